// SPDX-License-Identifier: BSL-1.0
#include <sluice/xtensor/step.hpp>

#include "gru.hpp"

int main() {
    sluice::cell<cost::my_gru> cell({.input = 3, .units = 5}, sluice::seed{7});
    xt::xtensor<float, 2> const x = xt::ones<float>({2, 3});
    auto const [y, state] = cell(x, cell.zero_state(2));
    return y(0, 0) > 2;
}
