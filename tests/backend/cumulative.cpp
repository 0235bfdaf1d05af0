// SPDX-License-Identifier: BSL-1.0
// Cumulative sums: every one of them at every count, and rows that do not depend on each other.
#include <doctest/doctest.h>
#include <limits>
#include <support/agreement.hpp>
#include <support/word_cells.hpp>
#include <vector>

namespace cumulative_test {

using namespace support;
using cumulating = sized<word_cells::cumulating>;

TEST_CASE_TEMPLATE("cumulative: a cumulative sum is one of as many numbers as there are", S, float, double) {
    for (std::size_t count = 0; count < 41; ++count) {
        CAPTURE(count);
        std::vector<S> z(count), y(count + 1, S(-1)), reversed(count + 1, S(-1));
        for (std::size_t i = 0; i < count; ++i)
            z[i] = S(1 + i * i % 7); // whole numbers: any order gives the same
        sluice::xtensor::cumulate<false>(z.data(), y.data(), count);
        sluice::xtensor::cumulate<true>(z.data(), reversed.data(), count);
        S before = 0, behind = 0;
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(y[i] == (before += z[i]));
            CHECK(reversed[count - 1 - i] == (behind += z[count - 1 - i]));
        }
        CHECK(y[count] == -1);
        CHECK(reversed[count] == -1);
    }
}

TEST_CASE("cumulative: what is no number is none in all sums that it is a part of, and in no other") {
    std::vector<double> z(23, 1), y(23);
    z[9] = std::numeric_limits<double>::quiet_NaN();
    for (bool const reversed : {false, true}) {
        reversed ? sluice::xtensor::cumulate<true>(z.data(), y.data(), 23)
                 : sluice::xtensor::cumulate<false>(z.data(), y.data(), 23);
        for (std::size_t i = 0; i < 23; ++i)
            CHECK((y[i] != y[i]) == (reversed ? i <= 9 : i >= 9));
    }
}

TEST_CASE_TEMPLATE("cumulative: cumulative sums in the planned lowering", S, float, double) {
    lowerings_agree<cumulating, S>();
}

TEST_CASE("cumulative: a row of cumulative sums has the same bits in any batch") {
    for (std::size_t const units : std::initializer_list<std::size_t>{1, 11, 33, 53, 130}) {
        CAPTURE(units);
        sluice::sizes const n{.input = 3, .units = units};
        sluice::cell<word_cells::cumulating> cell(n);
        randomize(cell);
        auto const xs = random_sequence<float>(4, 7, 3), dys = random_sequence<float>(4, 7, units, "dys");
        auto const run = unroll(cell, xs, cell.zero_state(7));
        auto const learned = backward(cell, run, dys);
        for (std::size_t row = 0; row < 7; ++row) {
            auto const of = [&](auto const& all) {
                return xt::xtensor<float, 3>(xt::view(all, xt::all(), xt::range(row, row + 1), xt::all()));
            };
            auto const alone = unroll(cell, of(xs), cell.zero_state(1));
            CHECK(same_bits(of(run.outputs), alone.outputs));
            CHECK(same_bits(of(learned.inputs), backward(cell, alone, of(dys)).inputs));
        }
    }
}

} // namespace cumulative_test
