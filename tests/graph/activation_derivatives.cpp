// SPDX-License-Identifier: BSL-1.0
// The derivative equation of each activation, once and twice, against differences of its values.
#include "differences.hpp"

#include <doctest/doctest.h>

using namespace sluice::equation;
using differences::errors_of;

#define CHECK_ACTIVATION(...)                                                                                \
    do {                                                                                                     \
        auto const e = errors_of(sluice::lines(next(h) = __VA_ARGS__));                                      \
        CHECK(e.first < 1e-7);                                                                               \
        CHECK(e.second < 1e-7);                                                                              \
    } while (false)

TEST_CASE("derivative equations of smooth activations") {
    CHECK_ACTIVATION(sigmoid(3_n * h));
    CHECK_ACTIVATION(tanh(3_n * h));
    CHECK_ACTIVATION(exp(h));
    CHECK_ACTIVATION(softplus(3_n * h));
    CHECK_ACTIVATION(identity(h) * identity(3_n * h));
    CHECK_ACTIVATION(apply<support::swish>(3_n * h));
}

TEST_CASE("derivative equations of activations with corners, left and right of them") {
    CHECK_ACTIVATION(relu(h) * h);
    CHECK_ACTIVATION(hard_sigmoid(4_n * h) * h);
}

TEST_CASE("derivative equations of an activation of an activation") {
    CHECK_ACTIVATION(tanh(sigmoid(relu(h) + softplus(h)) * exp(h)));
}
