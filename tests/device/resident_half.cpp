// SPDX-License-Identifier: BSL-1.0
// Numbers of 16 bits that stay on the device.
#include "resident.hpp"
#include <sluice/cells/lstm.hpp>

namespace resident_half_test {

using namespace resident_test;

TEST_CASE("resident half: numbers of 16 bits stay on the device") {
    check_cell<sluice::lstm, sluice::half, device>({.input = 3, .units = 4});
}

} // namespace resident_half_test
