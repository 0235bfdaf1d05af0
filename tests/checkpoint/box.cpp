// SPDX-License-Identifier: BSL-1.0
// Boxes of numbers, copied from one order of their axes into another.
#include <cstddef>
#include <doctest/doctest.h>
#include <numeric>
#include <sluice/checkpoint/box.hpp>
#include <vector>

namespace box_test {

using sluice::detail::box_axis;

/// A box copied as its axes say, number by number.
std::vector<unsigned char> copied(std::vector<std::size_t> const& shape) {
    std::size_t count = 1;
    for (std::size_t const extent : shape)
        count *= extent;
    std::vector<unsigned char> from(count), to(count, 0xFF);
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
    std::vector<box_axis> axes;
    std::size_t fortran = 1, c = count;
    for (std::size_t const extent : shape) {
        c /= extent;
        axes.push_back({extent, fortran, c});
        fortran *= extent;
    }
    sluice::detail::copy_box(reinterpret_cast<std::byte const*>(from.data()),
                             reinterpret_cast<std::byte*>(to.data()), axes, 1);
    return to;
}

TEST_CASE("box: numbers from Fortran's order into C's") {
    CHECK(copied({2, 3}) == std::vector<unsigned char>{0, 2, 4, 1, 3, 5});
    CHECK(copied({1, 2, 1, 3, 1}) == copied({2, 3}));
    CHECK(copied({3}) == std::vector<unsigned char>{0, 1, 2});
    CHECK(copied({}) == std::vector<unsigned char>{0});
    auto const three = copied({2, 3, 4});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 4; ++k)
                CHECK(three[(i * 3 + j) * 4 + k] == i + 2 * j + 6 * k);
}

TEST_CASE("box: rows of a box within another one") {
    std::vector<unsigned char> from{1, 2, 3, 4, 5, 6}, to(12);
    sluice::detail::copy_box(reinterpret_cast<std::byte const*>(from.data()),
                             reinterpret_cast<std::byte*>(to.data()) + 5, {{2, 3, 4}}, 2);
    CHECK(to == std::vector<unsigned char>{0, 0, 0, 0, 0, 1, 2, 0, 0, 4, 5, 0});
}

TEST_CASE("box: many axes of one number cost nothing, and change nothing") {
    std::vector<std::size_t> shape(1000, 1);
    shape[3] = 5;
    shape[997] = 4;
    CHECK(copied(shape) == copied({5, 4}));
}

} // namespace box_test
