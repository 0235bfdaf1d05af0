// SPDX-License-Identifier: BSL-1.0
// Options of a stack: their names, what is refused, how many directions there are and whether the input is
// taken as it is.
#include <sluice/net/stack_options.hpp>

#include <doctest/doctest.h>

namespace stack_options_test {

using sluice::direction, sluice::input_mode, sluice::residual;

static_assert(sluice::directions_of(direction::unidirectional) == 1 &&
              sluice::directions_of(direction::reversed) == 1 &&
              sluice::directions_of(direction::bidirectional) == 2);
static_assert(!sluice::skips_input(input_mode::linear_input, 5, 5) &&
              sluice::skips_input(input_mode::skip_input, 5, 5) &&
              sluice::skips_input(input_mode::skip_input, 4, 5) && // which the stack refuses
              sluice::skips_input(input_mode::auto_select, 5, 5) &&
              !sluice::skips_input(input_mode::auto_select, 4, 5) &&
              !sluice::skips_input(input_mode::auto_select, 5, 4));

TEST_CASE("stack options: without a choice there is one layer, in one direction, and nothing is dropped") {
    sluice::stack_options const o;
    CHECK(o.layers == 1);
    CHECK(name_of(o.direction) == "unidirectional");
    CHECK(name_of(o.input_mode) == "linear_input");
    CHECK(name_of(o.residual) == "none");
    CHECK((o.dropout == 0 && o.zoneout == 0 && o.recurrent_dropout == 0 && !o.variational));
}

TEST_CASE("stack options: each choice has its name") {
    CHECK(name_of(direction::bidirectional) == "bidirectional");
    CHECK(name_of(direction::reversed) == "reversed");
    CHECK(name_of(input_mode::skip_input) == "skip_input");
    CHECK(name_of(input_mode::auto_select) == "auto_select");
    CHECK(name_of(residual::between_layers) == "between_layers");
    CHECK(name_of(residual::all) == "all");
}

TEST_CASE("stack options: a number that is no choice is refused with those that there are") {
    CHECK_THROWS_WITH_AS(
        name_of(static_cast<direction>(3)),
        "sluice: a stack expects .direction to be unidirectional, bidirectional or reversed, "
        "but it is number 3",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(name_of(static_cast<input_mode>(-1)),
                         "sluice: a stack expects .input_mode to be linear_input, skip_input or auto_select, "
                         "but it is number -1",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        name_of(static_cast<residual>(17)),
        "sluice: a stack expects .residual to be none, between_layers or all, but it is number 17",
        std::invalid_argument);
}

} // namespace stack_options_test
