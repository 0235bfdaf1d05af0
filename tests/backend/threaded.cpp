// SPDX-License-Identifier: BSL-1.0
#include "conformance.hpp"
#include <sluice/xtensor/threaded.hpp>

namespace threaded_test {

namespace {

struct driver {
    using backend = sluice::xtensor::threaded;
    using kernels = sluice::xtensor::threaded_kernels;
};

} // namespace

TEST_CASE_TEMPLATE("threaded: the planned lowering on several threads conforms", S, float, double) {
    backend::conformance<driver, S>();
}

} // namespace threaded_test
