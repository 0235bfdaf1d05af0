// SPDX-License-Identifier: BSL-1.0
// Scans of cells, the library's and a user's: as the reference has them, and in rows that do not depend on
// each other.
#include <doctest/doctest.h>
#include <support/agreement.hpp>
#include <support/word_cells.hpp>

namespace scan_test {

using namespace support;
using cumulating = sized<word_cells::cumulating>;

TEST_CASE_TEMPLATE("scan: in the planned lowering", S, float, double) {
    lowerings_agree<cumulating, S>();
    lowerings_agree<sized<word_cells::scanning>, S>();
}

TEST_CASE_TEMPLATE("scan: a row has the same bits in any batch", Page, word_cells::cumulating,
                   word_cells::scanning) {
    for (std::size_t const units : std::initializer_list<std::size_t>{1, 11, 33, 53, 130}) {
        CAPTURE(units);
        sluice::sizes const n{.input = 3, .units = units};
        sluice::cell<Page> cell(n);
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

} // namespace scan_test
