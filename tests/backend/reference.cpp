// SPDX-License-Identifier: BSL-1.0
#include "conformance.hpp"
#include <sluice/xtensor/reference.hpp>

namespace reference_test {

namespace {

struct driver {
    using backend = sluice::xtensor::reference;
    using kernels = void;
};

} // namespace

TEST_CASE_TEMPLATE("reference: the reference lowering on xtensor conforms", S, float, double,
                   sluice::bfloat16) {
    backend::conformance<driver, S>();
}

} // namespace reference_test
