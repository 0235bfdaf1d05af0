// SPDX-License-Identifier: BSL-1.0
// Which rows run at which steps, where they start again, and masks of any expression.
#include <sluice/execute/rows.hpp>

#include <array>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rows_test {

namespace {

/// A letter for each step of a row: `-` after its end, `a` where it starts again, `.` where it goes on.
std::string line_of(sluice::row_times const& rows, std::size_t row, std::size_t steps) {
    std::string line;
    for (std::size_t t = 0; t < steps; ++t)
        line += !rows.runs(t, row) ? '-' : rows.starts_anew(t, row) ? 'a' : '.';
    return line;
}

} // namespace

TEST_CASE("rows: all run to the end and none starts again, unless something says so") {
    CHECK(line_of({.batch = 2}, 1, 4) == "....");
}

TEST_CASE("rows: a row ends at its length, and starts again where its mask says so, but not before its first "
          "step") {
    std::array<std::size_t, 3> const lengths{4, 0, 2};
    constexpr std::array<bool, 12> resets{true,  true,  true,  //
                                          false, true,  true,  //
                                          true,  true,  false, //
                                          true,  false, true};
    sluice::row_times rows{.batch = 3, .lengths = lengths, .resets = resets};
    CHECK(line_of(rows, 0, 4) == "..aa");
    CHECK(line_of(rows, 1, 4) == "----");
    CHECK(line_of(rows, 2, 4) == ".a--");
    rows.continues = true; // step 0 follows others
    CHECK(line_of(rows, 0, 4) == "a.aa");
    CHECK(line_of(rows, 1, 4) == "----");
    rows.lengths = {};
    CHECK(line_of(rows, 1, 4) == "aaa.");
}

TEST_CASE("rows: those that run in a step, as far as they lie side by side") {
    std::array<std::size_t, 6> const lengths{3, 2, 0, 1, 3, 0};
    sluice::row_times rows{.batch = 6};
    auto const running = [&](std::size_t t) {
        std::string all;
        rows.for_running(t, 6, [&](std::size_t first, std::size_t last) {
            all += std::to_string(first) + '-' + std::to_string(last) + ' ';
        });
        return all;
    };
    CHECK(running(7) == "0-6 ");
    rows.lengths = lengths;
    CHECK(running(0) == "0-2 3-5 ");
    CHECK(running(1) == "0-2 4-5 ");
    CHECK(running(2) == "0-1 4-5 ");
    CHECK(running(3).empty());
    rows.for_running(0, 0, [](std::size_t, std::size_t) { FAIL("there are no rows"); });
}

TEST_CASE("rows: a mask is made of a comparison, of a tensor and of nothing") {
    sluice::reset_mask none;
    CHECK(none.is_none());
    none.require_shape("unroll", 3, 2);
    xt::xtensor<float, 2> const done{{0, 1, 0}, {2, 0, -1}};
    sluice::reset_mask const mask = done > 0.5f;
    CHECK(!mask.is_none());
    CHECK(std::vector<bool>(mask.values().begin(), mask.values().end()) ==
          std::vector<bool>{false, true, false, true, false, false});
    mask.require_shape("unroll", 2, 3);
    CHECK(sluice::reset_mask(xt::xtensor<bool, 2>::from_shape({0, 5})).values().empty());
}

TEST_CASE("rows: a mask of another shape or rank, or that was moved from, is refused") {
    sluice::reset_mask const mask = xt::zeros<bool>({2, 3});
    CHECK_THROWS_WITH_AS(mask.require_shape("unroll", 3, 2),
                         "sluice: unroll expects resets of shape [3, 2], but got [2, 3]",
                         std::invalid_argument);
    xt::xarray<bool> const flat = xt::zeros<bool>({6});
    CHECK_THROWS_WITH_AS(sluice::reset_mask{flat},
                         "sluice: resets are a mask of shape [time, batch], but got one of shape [6]",
                         std::invalid_argument);
    xt::xtensor<bool, 2> gone = xt::zeros<bool>({2, 3});
    auto const there = std::move(gone);
    CHECK_THROWS_AS(sluice::reset_mask{gone}, std::exception);
    CHECK(there.size() == 6);
}

TEST_CASE("rows: those that are kept have memory of their own") {
    std::vector<std::size_t> lengths{2, 0};
    auto resets = std::make_unique<bool[]>(4);
    resets[2] = true;
    sluice::kept_rows const kept(
        sluice::row_times{.batch = 2, .lengths = lengths, .resets = {resets.get(), 4}});
    lengths = {0, 2};
    resets[2] = false;
    auto const rows = kept.rows();
    CHECK((rows.batch == 2 && rows.runs(1, 0) && !rows.runs(0, 1)));
    CHECK(rows.starts_anew(1, 0));
    CHECK(sluice::kept_rows(sluice::row_times{.batch = 3}).rows().resets.empty());
}

} // namespace rows_test
