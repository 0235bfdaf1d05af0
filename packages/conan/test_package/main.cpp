// SPDX-License-Identifier: BSL-1.0
// A step of a GRU, and its weights saved and loaded.
#include <iostream>
#include <sluice/cells/gru.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/xtensor/step.hpp>

int main() {
    sluice::cell<sluice::gru> saved({.input = 3, .units = 5}, sluice::seed{7});
    sluice::cell<sluice::gru> loaded({.input = 3, .units = 5}, sluice::seed{8});
    save("consumer.safetensors", saved);
    load("consumer.safetensors", loaded);
    xt::xtensor<float, 2> const x = xt::ones<float>({2, 3});
    bool const same = saved(x, saved.zero_state(2)).output == loaded(x, loaded.zero_state(2)).output;
    std::cout << "sluice " SLUICE_VERSION_STRING ": " << saved.parameter_count() << " parameters, loaded "
              << (same ? "as saved" : "other than saved") << '\n';
    return same ? 0 : 1;
}
