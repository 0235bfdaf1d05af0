// SPDX-License-Identifier: BSL-1.0
// Somebody else's program: a cell from its own equations, one step of it, and the number of its parameters.
#include <iostream>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
constexpr auto elman = sluice::equations(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">));

int main() {
    sluice::cell<elman> cell({.input = 3, .units = 4}, sluice::seed{7});
    xt::xtensor<float, 2> const x_t = xt::ones<float>({2, 3});
    auto [y, h1] = cell(x_t, cell.zero_state(2));
    std::cout << cell.count_params() << " parameters, output " << y.shape(0) << " x " << y.shape(1) << '\n';
}
