// SPDX-License-Identifier: BSL-1.0
// What the compiler makes of a cell's equations: the program of the README.
#include "mgu.hpp"

#include <iostream>
#if __has_include(<xtensor/generators/xrandom.hpp>) // where xtensor has it from version 0.26 on
#include <xtensor/generators/xrandom.hpp>
#else
#include <xtensor/xrandom.hpp>
#endif

int main() {
    using namespace sluice::literals;
    static_assert(sluice::parameter_count<mgu>({.input = 3, .units = 5}) == 90);

    sluice::cell<mgu> cell({.input = 3, .units = 5}, sluice::seed{7});
    auto const h0 = cell.zero_state(2);

    xt::xtensor<float, 2> const x_t = xt::random::rand<float>({2, 3});
    auto const [y, h1] = cell(x_t, h0); // one step: [batch, input] -> [batch, units]

    xt::xtensor<float, 3> const xs = xt::random::rand<float>({8, 2, 3});
    auto const run = sluice::unroll(cell, xs, h0); // a sequence: [time, batch, input] -> [time, batch, units]

    auto const target = xt::zeros_like(run.outputs);
    auto const loss = sluice::mean_squared_error(run.outputs, target);
    auto const gradients = sluice::backward(cell, run, loss.gradient); // exact, from the same equations

    sluice::adam optimizer(cell, {.learning_rate = 1e-2});
    optimizer.step(cell, gradients.parameters);

    std::cout << sluice::print<mgu>() << "parameters: " << cell.parameter_count() << ", output "
              << y.shape()[0] << " x " << y.shape()[1] << ", loss " << loss.loss()
              << ", largest gradient of R_n: " << xt::amax(xt::abs(gradients.parameters["R_n"_s]))() << '\n';
}
