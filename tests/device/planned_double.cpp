// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

TEST_CASE("cells on a CUDA device conform in double") {
    backend::conformance<device::planned_driver, double>();
}
