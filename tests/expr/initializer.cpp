// SPDX-License-Identifier: BSL-1.0
// An initialiser is a value, and is refused when it is made.
#include <sluice/expr/initializer.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <vector>

namespace initializer_test {

using sluice::initializer;
namespace init = sluice::init;

TEST_CASE("initializer: refusals, each with an accepting twin") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(initializer(init::uniform{1, 0}), doctest::Contains("lower one first"),
                         std::invalid_argument);
    CHECK_NOTHROW(initializer(init::uniform{1, 1}));
    CHECK_THROWS_WITH_AS(initializer(init::normal{0, -1}), doctest::Contains("at least 0"),
                         std::invalid_argument);
    CHECK_NOTHROW(initializer(init::normal{0, 0}));
    for (double bad : {not_a_number, infinity, -infinity}) {
        CHECK_THROWS_AS(initializer(init::constant{bad}), std::invalid_argument);
        CHECK_THROWS_AS(initializer(init::uniform{bad, 1}), std::invalid_argument);
        CHECK_THROWS_AS(initializer(init::uniform{0, bad}), std::invalid_argument);
        CHECK_THROWS_AS(initializer(init::normal{bad, 1}), std::invalid_argument);
        CHECK_THROWS_AS(initializer(init::normal{0, bad}), std::invalid_argument);
        CHECK_THROWS_AS(initializer(init::orthogonal{bad}), std::invalid_argument);
    }
    CHECK_THROWS_AS(initializer(init::values{{1, infinity}}), std::invalid_argument);
    CHECK(initializer(init::values{{1, 2}}).values().size() == 2);
}

TEST_CASE("initializer: a value like any other") {
    CHECK(initializer() == initializer(init::glorot_uniform{}));
    initializer how = init::constant{2};
    CHECK(how == initializer(init::constant{2}));
    CHECK(how != initializer(init::constant{3}));
    how = init::zeros{};
    CHECK(how == init::zeros{});
}

} // namespace initializer_test
