// SPDX-License-Identifier: BSL-1.0
#include "conformance.hpp"
#include <sluice/xtensor/storage.hpp>
#include <sluice/xtensor/threaded.hpp>

namespace planned_storage_test {

namespace {

struct driver {
    using backend = sluice::xtensor::planned;
    using kernels = sluice::xtensor::kernels;
};
struct threaded_driver {
    using backend = sluice::xtensor::threaded;
    using kernels = sluice::xtensor::threaded_kernels;
};

} // namespace

TEST_CASE_TEMPLATE("planned storage: the planned lowering conforms in 16 bits", S, sluice::half,
                   sluice::bfloat16) {
    backend::conformance<driver, S>();
}
TEST_CASE_TEMPLATE("planned storage: and on several threads", S, sluice::half, sluice::bfloat16) {
    backend::conformance<threaded_driver, S>();
}

} // namespace planned_storage_test
