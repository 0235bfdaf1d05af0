// SPDX-License-Identifier: BSL-1.0
// Arithmetic at known points; tests/graph has the derivatives.
#include <doctest/doctest.h>
#include <sluice/expr/operation.hpp>

namespace operation_test {

namespace operation = sluice::operation;

TEST_CASE("operation: arithmetic") {
    CHECK(operation::add::value(2.0, 3.0) == 5);
    CHECK(operation::subtract::value(2.0, 3.0) == -1);
    CHECK(operation::multiply::value(2.0, 3.0) == 6);
    CHECK(operation::divide::value(3.0, 2.0) == 1.5);
    CHECK(operation::divide::value(1.0F, 3.0F) == 1.0F / 3.0F);
    CHECK(operation::negate::value(2.0) == -2);
    CHECK(operation::copy::value(2.0) == 2);
}

} // namespace operation_test
