// SPDX-License-Identifier: BSL-1.0
#include "conformance.hpp"
#include <sluice/xtensor/planned.hpp>

namespace planned_test {

namespace {

struct driver {
    using backend = sluice::xtensor::planned;
    using kernels = sluice::xtensor::kernels;
};

} // namespace

TEST_CASE_TEMPLATE("planned: the planned lowering on xtensor conforms", S, float, double) {
    backend::conformance<driver, S>();
}

} // namespace planned_test
