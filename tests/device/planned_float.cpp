// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

TEST_CASE("cells on a CUDA device conform in float") {
    backend::conformance<device::planned_driver, float>();
}
