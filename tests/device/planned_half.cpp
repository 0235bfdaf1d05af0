// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

TEST_CASE("cells on a CUDA device conform in half") {
    backend::conformance<device::planned_driver, sluice::half>();
}
