// SPDX-License-Identifier: BSL-1.0
// Resets equal separate sequences: cells with unusual states and outputs, cells of columns and of parts, and
// cells without an input.
#include "resets_check.hpp"

#include <support/cells.hpp>
#include <support/device.hpp>
#include <support/matrix_cells.hpp>
#include <support/state_cells.hpp>

namespace resets_states_test {

using namespace state_cells;

namespace {

template <class Page>
using odd = support::sized<Page, sluice::sizes{.input = 3, .units = 5}>;

template <class... Page>
void check() {
    (resets::check(support::planned<odd<Page>>::make()), ...);
}

} // namespace

TEST_CASE("resets: states that are not read, change places, or are delays") {
    check<never_read, swapped, delayed>();
}
TEST_CASE("resets: outputs that are a state before the step, or the input") {
    check<before, passed>();
}
TEST_CASE("resets: what is made of parameters alone, columns, parts, and no input") {
    check<constant, mixed, alone>();
}
TEST_CASE_TEMPLATE("resets: a state that passes through, and one that is late, in every lowering", Subject,
                   support::planned<odd<kept>>, support::reference<odd<kept>>,
                   support::subject<odd<kept>, double, support::device>) {
    resets::check(Subject::make());
}

TEST_CASE("resets: states that are matrices") {
    constexpr sluice::sizes extents{.input = 3, .own = {{"keys", 4}, {"values", 6}, {"heads", 2}}};
    resets::check(
        support::sized<matrix_cells::gated_delta_net, extents>::make<double, sluice::xtensor::planned>());
    resets::check(
        support::sized<matrix_cells::nonlinear_memory, extents>::make<double, sluice::xtensor::planned>());
}

} // namespace resets_states_test
