// SPDX-License-Identifier: BSL-1.0
// Sequences that are read from their end: rows, and where they start again.
#include <sluice/net/reverse.hpp>

#include <doctest/doctest.h>
#include <vector>

namespace reverse_test {

namespace {

using sluice::detail::reverse_in_time, sluice::detail::reversed;
using numbers = std::vector<int>;
using lengths_type = std::vector<std::size_t>;

/// Of [4, 3, 2]: step t of row b is 10 t + b, the second feature 100 more; rows lie `apart`.
numbers numbered(std::size_t apart = 2) {
    numbers xs(4 * 3 * apart, -1);
    for (std::size_t t = 0; t < 4; ++t)
        for (std::size_t b = 0; b < 3; ++b)
            for (std::size_t k = 0; k < 2; ++k)
                xs[(t * 3 + b) * apart + k] = static_cast<int>(10 * t + b + 100 * k);
    return xs;
}
numbers turned(numbers const& xs, lengths_type const& lengths) {
    numbers found(xs.size());
    reverse_in_time(4, 3, 2, xs.data(), 2, found.data(), 2, lengths);
    return found;
}
/// Row b of a feature over time.
numbers row_of(numbers const& xs, std::size_t b, std::size_t k, std::size_t apart = 2) {
    numbers all;
    for (std::size_t t = 0; t < 4; ++t)
        all.push_back(xs[(t * 3 + b) * apart + k]);
    return all;
}

} // namespace

TEST_CASE("reverse: a row turns round within its length, and twice is as before") {
    auto const xs = numbered();
    lengths_type const lengths{4, 0, 2};
    auto const back = turned(xs, lengths);
    CHECK(row_of(back, 0, 0) == numbers{30, 20, 10, 0});
    CHECK(row_of(back, 1, 0) == row_of(xs, 1, 0));
    CHECK(row_of(back, 2, 1) == numbers{112, 102, 122, 132});
    CHECK(turned(back, lengths) == xs);
    CHECK(row_of(turned(xs, {}), 2, 0) == numbers{32, 22, 12, 2});
}

TEST_CASE("reverse: rows are columns of wider tensors, of which no other number is written") {
    auto const xs = numbered(5);
    numbers wide(4 * 3 * 7, -2);
    reverse_in_time(4, 3, 2, xs.data(), 5, wide.data() + 3, 7, {});
    CHECK(row_of(wide, 1, 3, 7) == numbers{31, 21, 11, 1});
    CHECK(row_of(wide, 1, 2, 7) == numbers(4, -2));
    CHECK(row_of(wide, 1, 5, 7) == numbers(4, -2));
    reverse_in_time<int>(0, 3, 2, nullptr, 2, nullptr, 2, {});
}

TEST_CASE("reverse: a row that starts again before step t does so on its way back before step t - 1") {
    xt::xtensor<bool, 2> const resets{{true, false}, {true, false}, {false, true}, {true, true}};
    auto const back = reversed(resets, lengths_type{4, 3}, 4, 2);
    // 0 | 1 2 | 3 becomes 3 | 2 1 | 0, and of three steps 0 1 | 2 becomes 2 | 1 0
    xt::xtensor<bool, 2> const expected{{false, false}, {true, true}, {false, false}, {true, false}};
    REQUIRE(back.values().size() == 8);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(back.values()[i] == expected.flat(i));
    CHECK(reversed({}, lengths_type{4, 3}, 4, 2).is_none());
}

} // namespace reverse_test
