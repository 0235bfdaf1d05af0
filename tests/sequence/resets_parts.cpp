// SPDX-License-Identifier: BSL-1.0
// Resets equal separate sequences: cells of columns, of parts and without an input, and states that pass
// through or are late.
#include "resets_check.hpp"

#include <support/cells.hpp>
#include <support/device.hpp>
#include <support/state_cells.hpp>

namespace resets_parts_test {

using support::device, support::planned, support::reference, support::subject;

namespace {

template <class Page>
using odd = support::sized<Page, sluice::sizes{.input = 3, .units = 5}>;

} // namespace

TEST_CASE_TEMPLATE("resets: what is made of parameters alone, columns, parts, and no input", Subject,
                   planned<odd<state_cells::constant>>, planned<odd<state_cells::mixed>>,
                   planned<odd<state_cells::alone>>) {
    resets::check(Subject::make());
}
TEST_CASE_TEMPLATE("resets: a state that passes through, and one that is late, in every lowering", Subject,
                   planned<odd<state_cells::kept>>, reference<odd<state_cells::kept>>,
                   subject<odd<state_cells::kept>, double, device>) {
    resets::check(Subject::make());
}

} // namespace resets_parts_test
