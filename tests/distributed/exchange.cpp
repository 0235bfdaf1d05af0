// SPDX-License-Identifier: BSL-1.0
// Sentences about calls and ranks, and pieces of memory.
#include <array>
#include <chrono>
#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/distributed/exchange.hpp>
#include <string>
#include <vector>

namespace exchange_test {

using sluice::call_kind;
using sluice::call_record;
using sluice::detail::deadline_after;
using sluice::detail::disagreement;
using sluice::detail::lateness;
using sluice::detail::text_of;

TEST_CASE("exchange: a call in words") {
    CHECK(text_of(call_record{.kind = call_kind::broadcast, .count = 12, .of = 3}) ==
          "broadcast of 12 bytes from rank 3");
    CHECK(text_of(call_record{.kind = call_kind::all_gather, .count = 1}) == "all_gather of 1 byte");
    CHECK(text_of(call_record{
              .number = 7, .kind = call_kind::all_gather_slices, .count = 5, .scalar = 8, .of = 7}) ==
          "all_gather_slices of 5 doubles");
    CHECK(text_of(call_record{
              .number = 7, .kind = call_kind::all_gather_slices, .count = 5, .scalar = 4, .of = 2}) ==
          "all_gather_slices of 5 floats, which ends call 2");
    CHECK(text_of(call_record{.kind = call_kind::reduce_scatter, .count = 5, .scalar = 4, .leaves = 9}) ==
          "reduce_scatter of 5 floats in 9 leaves");
    CHECK(text_of(call_record{.kind = call_kind::all_reduce, .count = 5, .scalar = 4, .leaves = 9}) ==
          "all_reduce of 5 floats in 9 leaves");
    CHECK(text_of(call_record{.kind = call_kind::fast_sum, .count = 5, .scalar = 4}) ==
          "fast_sum of 5 floats");
    CHECK(text_of(call_record{.kind = static_cast<call_kind>(77)}) == "an unknown call of 0 bytes");
}

TEST_CASE("exchange: ranks in words") {
    CHECK(text_of(std::vector{4}) == "rank 4");
    CHECK(text_of(std::vector{1, 3}) == "ranks 1 and 3");
    CHECK(text_of(std::vector{1, 3, 9}) == "ranks 1, 3 and 9");
    CHECK(text_of(std::vector{1, 2, 3, 4, 5, 6, 7, 8}) == "ranks 1, 2, 3, 4, 5, 6, 7 and 8");
    CHECK(text_of(std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) == "ranks 1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
}

TEST_CASE("exchange: sentences name the rank, what was expected and what to do") {
    call_record const mine{.number = 3, .kind = call_kind::all_reduce, .count = 5, .scalar = 4, .leaves = 9};
    call_record its = mine;
    its.count = 6;
    CHECK(
        disagreement(0, mine, 2, its) ==
        "sluice: rank 2 calls all_reduce of 6 floats in 9 leaves, where rank 0 calls all_reduce of 5 floats "
        "in 9 "
        "leaves (call 3): all ranks have to make the same calls, in the same order and with the same sizes");
    its.layout = 99;
    CHECK(disagreement(0, mine, 2, its) == "sluice: rank 2 and rank 0 run different versions of the library: "
                                           "all ranks have to be built from the same "
                                           "one");
    CHECK(lateness({1, 2}, false, mine, std::chrono::milliseconds(1500)) ==
          "sluice: ranks 1 and 2 did not come to call 3, all_reduce of 5 floats in 9 leaves, within 1.5 s: "
          "see what "
          "became of them, or give the transport more patience");
    CHECK(lateness({1}, true, mine, std::chrono::seconds(300)) ==
          "sluice: rank 1 came to, but did not finish, call 3, all_reduce of 5 floats in 9 leaves, within "
          "300 s: see "
          "what became of it, whether all ranks finish their sums in the same order, or give the transport "
          "more "
          "patience");
}

TEST_CASE("exchange: pieces lie a stride apart, and patience without end is a long time") {
    std::array<std::byte, 12> memory{};
    sluice::byte_pieces const pieces{memory.data() + 1, 3, 2, 4};
    CHECK(pieces.piece(2).data() == memory.data() + 9);
    CHECK(pieces.piece(2).size() == 2);
    CHECK_FALSE(pieces.is_empty());
    CHECK(sluice::byte_pieces{memory.data(), 3, 0, 4}.is_empty());
    CHECK(sluice::byte_pieces{}.is_empty());
    CHECK(deadline_after(std::chrono::milliseconds::max()) >
          std::chrono::steady_clock::now() + std::chrono::hours(1000));
}

} // namespace exchange_test
