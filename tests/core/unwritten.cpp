// SPDX-License-Identifier: BSL-1.0
// Arrays that are not written when they are made or grow: their alignment, and the numbers that they keep.
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <sluice/core/half.hpp>
#include <sluice/core/unwritten.hpp>
#include <utility>

namespace unwritten_test {

using sluice::detail::numbers_to_write, sluice::detail::unwritten;

TEST_CASE_TEMPLATE("unwritten: they begin with a cache line, and take part in what vectors do", S, float,
                   double, sluice::half, char) {
    for (std::size_t const count : {1u, 3u, 64u, 1001u}) {
        unwritten<S> numbers(count);
        CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64 == 0);
        CHECK(numbers.size() == count);
        S const* const there = numbers.data();
        unwritten<S> moved = std::move(numbers);
        CHECK(moved.data() == there);
    }
    CHECK(unwritten<S>().empty());
}

TEST_CASE("unwritten: elements without a value are not written") {
    using allocator = sluice::detail::cache_line_allocator<int>;
    alignas(int) unsigned char memory[sizeof(int)]{1, 2, 3, 4};
    int const before = *std::launder(reinterpret_cast<int*>(memory));
    allocator all;
    std::allocator_traits<allocator>::construct(all, std::launder(reinterpret_cast<int*>(memory)));
    CHECK(*std::launder(reinterpret_cast<int*>(memory)) == before);
    unwritten<int> numbers(3, 7); // those that have one are
    numbers.resize(5, 9);
    CHECK(numbers == unwritten<int>{7, 7, 7, 9, 9});
    unwritten<int> const copy = numbers;
    CHECK(copy == numbers);
    CHECK(copy.data() != numbers.data());
    CHECK(allocator() ==
          sluice::detail::cache_line_allocator<int>(sluice::detail::cache_line_allocator<double>()));
}

TEST_CASE("unwritten: where assertions are on, numbers to write start as NaN") {
    CHECK(numbers_to_write<float>(0).empty());
    CHECK(numbers_to_write<double>(7).size() == 7);
#ifndef NDEBUG
    for (double const number : numbers_to_write<double>(7))
        CHECK(std::isnan(number));
    for (sluice::half const number : numbers_to_write<sluice::half>(7))
        CHECK(std::isnan(static_cast<float>(number)));
#endif
}

} // namespace unwritten_test
