// SPDX-License-Identifier: BSL-1.0
// Resets equal separate sequences: cells with two states.
#include "resets_check.hpp"

#include <support/cells.hpp>
#include <support/device.hpp>

namespace resets_lstm_test {

using support::planned, support::reference, support::subject, support::device;

TEST_CASE_TEMPLATE("resets: a reset LSTM runs as separate sequences do", Subject,
                   planned<support::lstm, float>, reference<support::projected_lstm>,
                   subject<support::projected_lstm, double, device>) {
    resets::check(Subject::make());
}
TEST_CASE("resets: the gradient of a reset LSTM with a projection is that of differences") {
    auto const cell = planned<support::projected_lstm>::make();
    resets::check(cell);
    resets::check_gradient(cell);
}
TEST_CASE("resets: two states of different widths, and an output of a third") {
    resets::check(planned<support::traced>::make());
}

} // namespace resets_lstm_test
