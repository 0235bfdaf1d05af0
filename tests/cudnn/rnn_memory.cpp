// SPDX-License-Identifier: BSL-1.0
// Several arrays in one block of the device's memory.
#include <sluice/cudnn/rnn/rnn_memory.hpp>

#include <array>
#include <cstdint>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>

namespace rnn_memory_test {

using namespace sluice::cudnn;

TEST_CASE("rnn memory: arrays lie side by side in one block, each on a multiple of 256") {
    auto const q = queue::of_this_thread();
    long const before = host_device::count().allocations;
    {
        device_arrays arrays;
        std::size_t const first = arrays.add(1), none = arrays.add(0), second = arrays.add(256),
                          third = arrays.add(257), last = arrays.add(3);
        CHECK(std::array{first, none, second, third, last} ==
              std::array<std::size_t, 5>{0, 256, 256, 512, 1024});
        arrays.allocate(q);
        CHECK(host_device::count().allocations == before + 1);
        for (std::size_t const offset : {first, second, third, last})
            CHECK(reinterpret_cast<std::uintptr_t>(arrays.at(offset)) % 256 == 0);
        CHECK(q->holds(static_cast<char*>(arrays.at(last)) + 2));
        device_arrays nothing;
        CHECK_NOTHROW(nothing.allocate(q));
    }
    q->wait();
    CHECK(host_device::count().allocations == before);
}

} // namespace rnn_memory_test
