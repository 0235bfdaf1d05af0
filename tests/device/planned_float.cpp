// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

namespace planned_float_test {

TEST_CASE("planned float: cells on a CUDA device conform in float") {
    backend::conformance<planned_policy::planned_driver, float>();
}

} // namespace planned_float_test
