// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

namespace planned_half_test {

TEST_CASE("planned half: cells on a CUDA device conform in half") {
    backend::conformance<planned_policy::planned_driver, sluice::half>();
}

} // namespace planned_half_test
