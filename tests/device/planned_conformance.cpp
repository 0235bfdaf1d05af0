// SPDX-License-Identifier: BSL-1.0
// What every backend promises, of generated kernels, in each of their scalars.
#include <device/planned.hpp>

namespace planned_conformance_test {

TEST_CASE_TEMPLATE("planned conformance: cells on a CUDA device conform", S, float, double, sluice::half,
                   sluice::bfloat16) {
    backend::conformance<planned_policy::planned_driver, S>();
}

} // namespace planned_conformance_test
