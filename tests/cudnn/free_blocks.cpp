// SPDX-License-Identifier: BSL-1.0
// Free blocks: which one is taken, and which are dropped.
#include <sluice/cudnn/runtime/free_blocks.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <vector>

namespace free_blocks_test {

using sluice::cudnn::free_blocks;

void* at(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}
constexpr auto drop_none = [](void*) { FAIL("nothing is to be dropped"); };

TEST_CASE("free blocks: of one size the lowest address is taken, in whatever order they came") {
    free_blocks all;
    CHECK(all.take(256) == nullptr);
    CHECK(all.take(0) == nullptr);
    for (std::uintptr_t const address : {0x3000u, 0x1000u, 0x2000u})
        all.give(at(address), 512);
    all.give(at(0x500), 256);
    CHECK(all.bytes() == 3 * 512 + 256);
    CHECK(all.take(768) == nullptr);
    CHECK(all.take(511) == nullptr);
    CHECK(all.take(512) == at(0x1000));
    CHECK(all.take(512) == at(0x2000));
    all.give(at(0x1000), 512);
    CHECK(all.take(512) == at(0x1000));
    CHECK(all.take(512) == at(0x3000));
    CHECK(all.take(512) == nullptr);
    CHECK(all.take(std::numeric_limits<std::size_t>::max()) == nullptr);
    CHECK(all.take(256) == at(0x500));
    CHECK(all.bytes() == 0);
}

TEST_CASE("free blocks: the oldest are dropped first, until few enough bytes are left") {
    free_blocks all;
    for (std::uintptr_t k = 5; k > 0; --k)
        all.give(at(k), 100 * k);
    CHECK(all.take(500) == at(5));
    all.give(at(5), 500); // now the youngest
    all.drop(1500, drop_none);
    std::vector<void*> dropped;
    auto const note = [&](void* one) { dropped.push_back(one); };
    all.drop(1499, note);
    CHECK(dropped == std::vector{at(4)});
    CHECK(all.bytes() == 1100);
    all.drop(600, note);
    CHECK(dropped == std::vector{at(4), at(3), at(2)});
    all.drop(0, note);
    CHECK(dropped == std::vector{at(4), at(3), at(2), at(1), at(5)});
    CHECK(all.take(500) == nullptr);
    all.drop(0, drop_none);
}

} // namespace free_blocks_test
