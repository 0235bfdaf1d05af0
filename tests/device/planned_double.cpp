// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

namespace planned_double_test {

TEST_CASE("planned double: cells on a CUDA device conform in double") {
    backend::conformance<planned_policy::planned_driver, double>();
}

} // namespace planned_double_test
