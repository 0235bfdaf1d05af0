// SPDX-License-Identifier: BSL-1.0
// Derivatives in equations: the gradient that backward has of the same loss, and in all lowerings, with
// second derivatives in the gradients of such cells. The memories that learn are what their papers write out.
#include "odd_cells.hpp"

#include <sluice/cells/test_time.hpp>
#include <support/derivative_cells.hpp>
#include <support/random_numbers.hpp>

namespace derivatives_test {

using namespace derivative_cells;
using namespace sluice::literals;

namespace {

/// The same states for all cells that have states of the same names.
template <class Cell>
auto given(Cell const& cell) {
    return support::random_map(cell.zero_state(3), "state");
}

/// The gradient of a loss by the state, of which the loss is a step's output.
template <class Loss>
struct of_loss {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h">), output = Loss{});
};
template <class Loss>
struct of_derivative {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h">), output = derivative(Loss{}, h));
};
template <class Loss>
void agrees_with_backward(Loss, std::size_t groups = 1) {
    sluice::sizes const n{.input = 3, .units = 6, .groups = groups};
    sluice::cell<of_loss<Loss>, double> loss(n, sluice::seed{7});
    sluice::cell<of_derivative<Loss>, double, sluice::xtensor::reference> derivative(n, sluice::seed{7});
    support::randomize(loss);
    sluice::for_each_parameter(
        loss.parameters(), [&](auto key, auto const& values) { derivative.assign(key, xt::eval(values)); });
    auto const xs = support::random_sequence<double>(1, 3, 3);
    auto const run = sluice::unroll(loss, xs, given(loss));
    auto ones = run.outputs;
    ones.fill(1);
    auto const expected = sluice::backward(loss, run, ones).state["h"_s];
    auto const found = sluice::infer(derivative, xs, given(derivative)).outputs;
    CHECK(support::distance(xt::view(found, 0), expected) < 1e-12);
    CHECK(!support::all_zero(expected));
}

/// Compares a page with one that writes its derivative out, bit for bit, and their gradients.
template <class Page, class ByHand>
void is_written_out() {
    sluice::sizes const n{.input = 3, .units = 15, .groups = 3};
    sluice::cell<Page, double> cell(n, sluice::seed{7});
    sluice::cell<ByHand, double> by_hand(n, sluice::seed{7});
    support::randomize(cell);
    sluice::for_each_parameter(cell.parameters(), [&](auto key, auto const& t) { by_hand.assign(key, t); });
    auto const xs = support::random_sequence<double>(7, 3, 3);
    auto const run = sluice::unroll(cell, xs, given(cell));
    auto const expected = sluice::unroll(by_hand, xs, given(by_hand));
    CHECK(run.outputs == expected.outputs);
    auto const dys = support::random_sequence<double>(7, 3, 15);
    auto const gradients = sluice::backward(cell, run, dys);
    auto const of_hand = sluice::backward(by_hand, expected, dys);
    CHECK(support::distance(gradients.inputs, of_hand.inputs) < 1e-12);
    sluice::for_each_parameter(
        gradients.parameters, of_hand.parameters,
        [](auto, auto const& a, auto const& b) { CHECK(support::distance(a, b) < 1e-12); });
}

} // namespace

TEST_CASE("derivatives: of vectors") {
    agrees_with_backward(sum(square(h * R<"h"> - x * W<"x">)));
    agrees_with_backward(log(sum(exp(h))) - mean(h * p<"a">) * norm(h + b<"b">));
    agrees_with_backward(sum(layer_norm(h, p<"g">, b<"s">) * softmax(x * W<"x">)));
    agrees_with_backward(sum(softmax<groups>(h) * tanh(x * W<"x"> + cumsum(h))), 2);
    agrees_with_backward(sum(square(concat(slice<0, 2>(h), x) * W<"c", 4>)) + sum(sin(slice<1, 3>(h))));
    agrees_with_backward(sum(max<groups>(h) * where(h > 0.1_n, h, square(h))), 2);
    agrees_with_backward(sum((h * matrix<"one", 1>)*tanh(h)));
}
TEST_CASE("derivatives: of what contracts a matrix") {
    agrees_with_backward(sum(square(h * outer<groups>(tanh(h), x * W<"v"> + h))), 2);
    agrees_with_backward(sum(square(outer<groups>(h, h) * tanh(x * W<"v">))) +
                             sum(per_group<groups>(slice<0, groups>(h)) * h),
                         2);
}

TEST_CASE("derivatives: of a product of matrix values") {
    agrees_with_backward(sum(square(tanh(h) * tanh(outer(h, x * W<"v">) * matrix<"T">))));
}

TEST_CASE("derivatives: a vector that goes down an energy") {
    odd::check<energy>({.input = 3, .units = 7});
}
TEST_CASE("derivatives: a memory with a nonlinear model") {
    odd::check<nonlinear_memory>({.input = 3, .units = 10, .groups = 2});
}
TEST_CASE("derivatives: of derivatives, of parts and by gates") {
    odd::check<of_second_order>({.input = 3, .units = 6, .groups = 2});
}

TEST_CASE("derivatives: TTT-Linear and Titans are what their papers write out") {
    is_written_out<sluice::ttt_linear, ttt_linear_by_hand>();
    is_written_out<sluice::titans, titans_by_hand>();
}

} // namespace derivatives_test
