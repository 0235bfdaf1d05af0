// SPDX-License-Identifier: BSL-1.0
// The states of a cell as rows of a net's, and back.
#include <sluice/net/state_rows.hpp>

#include <array>
#include <doctest/doctest.h>

namespace state_rows_test {

using matrix = xt::xtensor<double, 2>;

TEST_CASE("state rows: a state becomes one row, with a copy of its numbers, and comes back") {
    std::array<matrix, 2> const states{matrix{{1, 2, 3}, {4, 5, 6}}, matrix{{7}, {8}}};
    auto rows = sluice::detail::rows_of_states<double>(states);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0] == xt::xtensor<double, 3>{{{1, 2, 3}, {4, 5, 6}}});
    CHECK(rows[1] == xt::xtensor<double, 3>{{{7}, {8}}});
    CHECK(rows[0].data() != states[0].data());
    double const* const there = rows[0].data();
    CHECK(sluice::detail::addresses<double const>(rows)[0] == there);

    std::array<matrix, 2> found;
    sluice::detail::states_of_rows<double>(std::move(rows), found);
    CHECK(found[0] == states[0]);
    CHECK(found[1] == states[1]);
    CHECK(found[0].data() == there); // moved, not copied
}

TEST_CASE("state rows: of a batch of nothing, and of no states") {
    std::array<matrix, 1> const none{matrix::from_shape({0, 3})};
    auto rows = sluice::detail::rows_of_states<double>(none);
    CHECK(rows[0].shape() == std::array<std::size_t, 3>{1, 0, 3});
    std::array<matrix, 1> found;
    sluice::detail::states_of_rows<double>(std::move(rows), found);
    CHECK(found[0].shape() == std::array<std::size_t, 2>{0, 3});
    CHECK(sluice::detail::rows_of_states<double>({}).empty());
}

} // namespace state_rows_test
