// SPDX-License-Identifier: BSL-1.0
// Equations that are refused, in all that takes a page: one error, and no names or sizes that are said to be
// unknown.
// expect: sluice: a gate is used but never defined; define it, or correct its name
// errors: 1
#include <sluice/xtensor.hpp>

#include <sluice/cudnn/rnn/accepted.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/plan/print_plan.hpp>

using namespace sluice::equation;
using sluice::literals::operator""_s;

constexpr auto f = gate<"f">;
constexpr auto context = input<"context">;
struct page {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        f = sigmoid(x * W<"f">),
#endif
        next(h) = tanh(x * W<"h"> + context * W<"context"> + f * h * setting<"slope">));
};
constexpr sluice::sizes sizes{.input = 3, .units = 5, .own = {{"context", 2}}};
using cell = sluice::cell<page, sluice::extents<sizes>>;

constexpr auto counted = sluice::parameter_count<page>(sizes), kept = sluice::arena_size<page>(sizes);
constexpr double flops = sluice::flops<page>(sizes);
constexpr bool accepted = sluice::cudnn::accepts<page>();
auto const text = sluice::print<page>();
auto const plan = sluice::print_plan<page>();
auto const gradient = sluice::print_gradient<page>();

auto learn(xt::xtensor<float, 3> const& x, xt::xtensor<float, 3> const& more) {
    sluice::cell<page> one(sizes, sluice::seed{7}, {{"slope", 1}});
    one.assign("W_context"_s, xt::ones<float>({2, 5}));
    auto state = one.zero_state(4);
    state["h"_s].fill(1);
    auto const given = sluice::inputs("x"_s, x, "context"_s, more);
    auto const run = sluice::unroll(one, given, state);
    sluice::infer(one, given);
    return sluice::backward(one, run, run.outputs);
}
auto make() {
    return cell(sluice::seed{7}, {{"slope", 1}});
}
