// SPDX-License-Identifier: BSL-1.0
// A cell of a user's as nvcc and the host's compiler both understand it: it steps, runs a sequence, goes
// backward and learns, and prints all numbers, so that those of the two programs can be compared.
#include <cstdio>
#include <sluice/xtensor.hpp>

namespace {

using namespace sluice::equation;
using namespace sluice::literals;

constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;

// clang-format off
struct mgu {
    static constexpr auto equations = sluice::lines(
        f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
        n       = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
        next(h) = (1 - f) * h + setting<"rate">(0.5_n) * f * n);
};
// clang-format on

template <class Tensor>
void print_all(char const* called, Tensor const& tensor) {
    std::printf("%s:", called);
    for (std::size_t i = 0; i < tensor.size(); ++i)
        std::printf(" %.7g", static_cast<double>(tensor.data()[i]));
    std::printf("\n");
}

} // namespace

int main() {
    sluice::cell<mgu> cell({.input = 3, .units = 5}, sluice::seed{7});
    xt::xtensor<float, 3> xs = xt::zeros<float>({4, 2, 3});
    for (std::size_t i = 0; i < xs.size(); ++i)
        xs.data()[i] = 0.25f * static_cast<float>(i % 7) - 0.5f;
    xt::xtensor<float, 2> const x_0 = xt::view(xs, 0);

    auto const [y, state] = cell(x_0, cell.zero_state(2));
    print_all("a step", y);

    auto const run = sluice::unroll(cell, xs, state);
    print_all("a sequence", run.outputs);

    xt::xtensor<float, 3> const target = xt::zeros<float>({4, 2, 5});
    auto const loss = sluice::mean_squared_error(run.outputs, target);
    auto const gradients = sluice::backward(cell, run, loss.gradient);
    print_all("the gradient of W_f", gradients.parameters["W_f"_s]);
    print_all("of R_n", gradients.parameters["R_n"_s]);
    print_all("of the inputs", gradients.inputs);

    sluice::adam optimizer(cell, {.learning_rate = 1e-2});
    optimizer.step(cell, gradients.parameters);
    print_all("b_n after a step of Adam", cell.parameters()["b_n"_s]);
}
