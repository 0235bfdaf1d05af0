// SPDX-License-Identifier: BSL-1.0
// Resets equal separate sequences: cells whose states and outputs are not what one expects of them.
#include "resets_check.hpp"

#include <support/cells.hpp>
#include <support/device.hpp>
#include <support/state_cells.hpp>

using namespace state_cells;

namespace {

template <class Backend, class... Page>
void check() {
    constexpr sluice::sizes extents{.input = 3, .units = 5};
    (resets::check(support::sized<Page, extents>::template make<double, Backend>()), ...);
}

} // namespace

TEST_CASE("resets: states that are not read, change places, or are delays") {
    check<sluice::xtensor::planned, never_read, swapped, delayed>();
}
TEST_CASE("resets: outputs that are a state before the step, or the input") {
    check<sluice::xtensor::planned, before, passed>();
}
TEST_CASE("resets: what is made of parameters alone, columns, parts, and no input") {
    check<sluice::xtensor::planned, constant, mixed, alone>();
}
TEST_CASE("resets: a state that passes through, and one that is late, in every lowering") {
    check<sluice::xtensor::planned, kept>();
    check<sluice::xtensor::reference, kept>();
    check<support::device, kept>();
}
