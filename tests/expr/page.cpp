// SPDX-License-Identifier: BSL-1.0
// What a page that says nothing of its parameters gets, and whose they are.
#include <sluice/expr/page.hpp>

#include <doctest/doctest.h>

namespace page_test {

using sluice::default_start, sluice::belongs_to, sluice::parameter_role;
namespace init = sluice::init;

TEST_CASE("page: biases and what is only a start begin at zeros, all else glorot uniform") {
    CHECK(default_start(parameter_role{}).how == init::glorot_uniform{});
    CHECK(default_start(parameter_role{.rank = 1}).how == init::glorot_uniform{});
    CHECK(default_start(parameter_role{.rank = 1, .is_bias = true}).how == init::zeros{});
    CHECK(default_start(parameter_role{.rank = 1, .is_initial = true}).how == init::zeros{});
    CHECK(default_start(parameter_role{}).fan_in == 0); // its own fans
}

TEST_CASE("page: a parameter belongs to the line in which it stands first") {
    parameter_role const of_r{.gate = sluice::name("r")};
    CHECK(belongs_to(of_r, {"u", "r"}));
    CHECK_FALSE(belongs_to(of_r, {"u"}));
    CHECK_FALSE(belongs_to(of_r, {}));
}

} // namespace page_test
