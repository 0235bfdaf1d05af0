// SPDX-License-Identifier: BSL-1.0
// stream: stock cells, and cells whose states and outputs are not what one expects of them.
#include "stream_check.hpp"

#include <support/cells.hpp>
#include <support/state_cells.hpp>

namespace stream_cells_test {

using namespace state_cells;

namespace {

template <class... Page>
void check() {
    constexpr sluice::sizes sizes{.input = 3, .units = 5};
    (stream::check(support::sized<Page, sizes>::template make<double, sluice::xtensor::planned>()), ...);
}

} // namespace

TEST_CASE("stream: stock cells step as they run over a sequence") {
    stream::check(support::planned<support::gru>::make());
    stream::check(support::planned<support::full_lstm, float>::make());
    stream::check(support::planned<support::projected_glstm>::make());
    stream::check(support::planned<support::dense, float>::make());
}
TEST_CASE("stream: states that are not read, change places, or are delays") {
    check<never_read, swapped, delayed>();
}
TEST_CASE("stream: outputs that are a state before the step, or the input") {
    check<before, passed>();
}
TEST_CASE("stream: what is made of parameters alone, columns, parts, and no input") {
    check<constant, mixed, alone>();
}

} // namespace stream_cells_test
