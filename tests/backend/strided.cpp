// SPDX-License-Identifier: BSL-1.0
// Strided views: addresses over time, rows and pieces of columns, and the parts that can be taken of them.
#include <sluice/backend/strided.hpp>

#include <array>
#include <doctest/doctest.h>
#include <vector>

namespace strided_test {

namespace {

using view = sluice::strided_view<int>;

/// Where each column of a row lies, counted from `from`.
std::vector<std::ptrdiff_t> columns_of(view const& v, int const* from) {
    std::vector<std::ptrdiff_t> all;
    for (std::size_t c = 0; c < v.columns; ++c)
        all.push_back(v.at(0) + v.offset(c) - from);
    return all;
}
using places = std::vector<std::ptrdiff_t>;
using piece = std::array<std::size_t, 3>;

std::vector<piece> pieces_of(view const& v, std::size_t first, std::size_t count) {
    std::vector<piece> all;
    v.for_pieces(first, count, [&](std::size_t c, std::size_t offset, std::size_t length) {
        all.push_back({c, offset, length});
    });
    return all;
}

int memory[100];
/// Three groups of two columns, five numbers apart.
view const grouped{.data = memory, .time = 40, .row = 20, .columns = 6, .width = 2, .group = 5};

} // namespace

TEST_CASE("strided: dense rows follow each other, and time steps too; a constant is everywhere the same") {
    auto const v = view::dense(memory, 3, 5, true);
    CHECK(v.at(2) == memory + 30);
    CHECK(columns_of(v, memory) == places{0, 1, 2, 3, 4});
    CHECK((v.is_dense() && v.is_flat(3) && !v.is_flat(2)));
    auto const still = view::dense(memory, 3, 5, false);
    CHECK(still.at(7) == memory);
    CHECK(!still.is_flat(3));
    auto const one = view::constant(memory, 4);
    CHECK((one.at(9) == memory && one.row == 0 && !one.is_dense()));
    auto const none = view::dense(memory, 3, 0, true);
    CHECK((none.columns == 0 && none.width == 1 && none.at(4) == memory));
}

TEST_CASE("strided: time steps use their slots in turn, from the shift on") {
    view v{.data = memory, .time = 10, .shift = 1, .slot_count = 3};
    std::vector<std::ptrdiff_t> at;
    for (std::size_t t = 0; t < 7; ++t)
        at.push_back(v.at(t) - memory);
    CHECK(at == places{10, 20, 0, 10, 20, 0, 10});
    CHECK(!v.is_flat(1));
    v.slot_count = 0; // each has its own
    CHECK(v.at(6) == memory + 70);
    view const once{.data = memory, .columns = 4, .width = 4, .slot_count = 1}; // of all rows and steps
    CHECK((once.is_flat(1) && once.is_flat(3) && once.at(7) == memory));
    view const of_rows{.data = memory, .row = 4, .columns = 4, .width = 4, .slot_count = 1};
    CHECK(!of_rows.is_flat(3));
}

TEST_CASE("strided: pieces are as long as columns lie side by side, from any column on") {
    CHECK(columns_of(grouped, memory) == places{0, 1, 5, 6, 10, 11});
    CHECK(pieces_of(grouped, 0, 6) == std::vector<piece>{{0, 0, 2}, {2, 5, 2}, {4, 10, 2}});
    CHECK(pieces_of(grouped, 1, 4) == std::vector<piece>{{1, 1, 1}, {2, 5, 2}, {4, 10, 1}});
    CHECK(pieces_of(grouped, 3, 0).empty());
    CHECK(pieces_of(view::dense(memory, 1, 6, false), 1, 4) == std::vector<piece>{{1, 1, 4}});
    std::vector<std::array<std::size_t, 3>> common;
    view const threes{.data = memory, .row = 20, .columns = 6, .width = 3, .group = 7};
    sluice::for_common_pieces(grouped, threes, [&](std::size_t a, std::size_t b, std::size_t count) {
        common.push_back({a, b, count});
    });
    CHECK(common == std::vector<piece>{{0, 0, 2}, {5, 2, 1}, {6, 7, 1}, {10, 8, 2}});
}

TEST_CASE("strided: parts are at one distance where the pieces allow it") {
    std::size_t next = 0;
    CHECK((grouped.has_parts(3, 2, next) && next == 5));
    CHECK((grouped.has_parts(6, 1, next) == false)); // 0, 1, 5: at two distances
    CHECK((grouped.has_parts(2, 1, next) && next == 1));
    CHECK(!grouped.has_parts(2, 3, next));
    CHECK(!grouped.has_parts(2, 0, next));
}

TEST_CASE("strided: a part is columns that follow each other, or the same ones of each group") {
    auto const whole = view::dense(memory, 2, 12, true);
    CHECK(columns_of(whole.part(4, 3, 1), memory) == places{4, 5, 6});
    CHECK(columns_of(whole.part(3, 6, 3), memory) == places{1, 2, 5, 6, 9, 10});
    CHECK(columns_of(whole.part(3, 6, 3).part(3, 3, 3), memory) == places{2, 6, 10}); // a part of a part
    CHECK(columns_of(grouped.part(2, 4, 1), memory) == places{5, 6, 10, 11});
    CHECK(columns_of(grouped.part(3, 1, 1), memory) == places{6});
    CHECK(whole.part(12, 0, 1).columns == 0);
    CHECK_THROWS_WITH_AS(
        grouped.part(1, 2, 1),
        "sluice: a plan takes columns that lie in pieces of another size; this is a fault of the planner",
        std::logic_error);
    CHECK_THROWS_AS(grouped.part(0, 4, 2), std::logic_error);
}

TEST_CASE("strided: an address is of one of so many numbers, or of none") {
    CHECK(sluice::is_one_of<int>(memory, memory, 3));
    CHECK(sluice::is_one_of<int>(memory + 2, memory, 3));
    CHECK(!sluice::is_one_of<int>(memory + 3, memory, 3));
    CHECK(!sluice::is_one_of<int>(memory, memory + 1, 3));
    CHECK(!sluice::is_one_of<int>(memory, memory, 0));
    CHECK(!sluice::is_one_of<int>(nullptr, memory, 3));
}

} // namespace strided_test
