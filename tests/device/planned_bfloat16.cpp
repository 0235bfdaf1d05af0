// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

namespace planned_bfloat16_test {

TEST_CASE("planned bfloat16: cells on a CUDA device conform in bfloat16") {
    backend::conformance<planned_policy::planned_driver, sluice::bfloat16>();
}

} // namespace planned_bfloat16_test
