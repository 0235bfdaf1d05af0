// SPDX-License-Identifier: BSL-1.0
// Cells that stay on the device: one with a projection, and one in groups.
#include "resident.hpp"
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>

namespace resident_kinds_test {

using namespace resident_test;

TEST_CASE("resident kinds: an LSTM with a projection, and one in groups, stay on the device") {
    check_cell<sluice::projected_lstm, double, device>({.input = 3, .units = 5, .projection = 2});
    check_cell<sluice::glstm, double, device>({.input = 4, .units = 6, .groups = 2});
}

} // namespace resident_kinds_test
