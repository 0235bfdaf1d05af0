// SPDX-License-Identifier: BSL-1.0
// Resets equal separate sequences: stock cells, in every lowering.
#include "resets_check.hpp"

#include <support/cells.hpp>
#include <support/device.hpp>

namespace resets_test {

using support::planned, support::reference, support::subject, support::device;

TEST_CASE_TEMPLATE("resets: a reset GRU runs as separate sequences do", Subject, planned<support::gru>,
                   planned<support::gru, float>, reference<support::gru>,
                   subject<support::gru, float, device>) {
    resets::check(Subject::make());
}
TEST_CASE("resets: the gradient of a reset GRU is that of differences") {
    resets::check_gradient(planned<support::gru>::make());
}
TEST_CASE("resets: a layer without states has nothing to reset") {
    resets::check(planned<support::dense>::make());
}

} // namespace resets_test
