// SPDX-License-Identifier: BSL-1.0
// Loops that are one kernel: which may be, and what their text says.
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/sluice.hpp>
#include <sluice/source/loop_source.hpp>
#include <support/min_gru.hpp>

namespace loop_source_test {

using namespace sluice::equation;
using support::min_gru;

namespace {

/// Its loop sums over the features.
struct normed {
    static constexpr auto equations = sluice::lines(next(h) = (h + x * W<"n">) / (1 + sum(h * h)));
};

template <class Plan>
std::optional<sluice::printed_loop> loop_of() {
    return sluice::loop_source<typename Plan::operations, float>(Plan::plan);
}

} // namespace

TEST_CASE("loop: a loop without products is one kernel, which holds what it carries") {
    static_assert(!sluice::plans<min_gru>::inference.about.has_product_in_loop);
    auto const loop = loop_of<sluice::detail::inference_plan<min_gru>>();
    REQUIRE(loop);
    CHECK(loop->text.find("k == 0 ? widened(") != std::string::npos);
    CHECK(loop->text.find("for (unsigned int k = 0; k < steps; ++k)") != std::string::npos);
    CHECK(loop_of<sluice::detail::forward_plan<min_gru>>());
    CHECK(loop_of<sluice::detail::backward_plan<min_gru>>());
}

TEST_CASE("loop: a loop in which features wait for each other is not") {
    CHECK(!loop_of<sluice::detail::inference_plan<sluice::gru>>());
    CHECK(!loop_of<sluice::detail::inference_plan<normed>>());
}

} // namespace loop_source_test
