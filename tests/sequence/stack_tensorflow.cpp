// SPDX-License-Identifier: BSL-1.0
// TensorFlow's "simple inference" of its cuDNN layers: every parameter, input and state is 1, and the sum of
// the outputs and final states is known.
#include "stack_check.hpp"
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace stack_tensorflow_test {

using namespace stacks;

namespace {

/// An Elman network with both of cuDNN's biases.
struct relu_rnn {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = relu(x * W<"h"> + h * R<"h"> + b<"W"> + b<"R">));
    }();
};

template <class Page>
double sum_of_ones(sluice::sizes const& n, std::size_t layers, std::size_t batch, std::size_t steps) {
    double sum = 0;
    for (double const rate : {0.0, 0.5, 1.0}) {
        sluice::stack<Page, double> net(n, {.layers = layers, .dropout = rate});
        net.update_values([](std::span<double> all) { std::ranges::fill(all, 1.0); });
        auto state = net.zero_state(batch);
        sluice::for_each_parameter(state, [](auto, auto& tensor) { tensor.fill(1); });
        xt::xtensor<double, 3> const xs = xt::ones<double>({steps, batch, n.input});
        auto const found = infer(net, xs, state);
        double total = xt::sum(found.outputs)();
        sluice::for_each_parameter(found.state,
                                   [&](auto, auto const& tensor) { total += xt::sum(tensor)(); });
        CHECK((rate == 0 || total == sum));
        sum = total;
    }
    return sum;
}

} // namespace

TEST_CASE("stack tensorflow: simple inference of TensorFlow's cuDNN layers, with any dropout") {
    CHECK(sum_of_ones<sluice::gru>({.input = 200, .units = 200}, 4, 20, 10) ==
          doctest::Approx(56000).epsilon(1e-12));
    CHECK(sum_of_ones<sluice::lstm>({.input = 200, .units = 200}, 4, 20, 10) ==
          doctest::Approx(231833.22649566756).epsilon(1e-12));
    CHECK(sum_of_ones<relu_rnn>({.input = 4, .units = 8}, 2, 4, 2) == 130688);
}

} // namespace stack_tensorflow_test
