// SPDX-License-Identifier: BSL-1.0
// A program of nvcc's that calls the policy for CUDA devices. It prints what a cell gives on the device, or,
// where there is none, the sentence that says so.
#include <cstdio>
#include <sluice/cudnn.hpp>

namespace {

using namespace sluice::equation;

constexpr auto f = gate<"f">;

struct gated {
    static constexpr auto equations = sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
                                                    next(h) = (1 - f) * h + f * tanh(x * W<"n">));
};

} // namespace

int main() {
    try {
        sluice::cell<gated, float, sluice::cudnn::planned> const cell({.input = 3, .units = 5},
                                                                      sluice::seed{7});
        xt::xtensor<float, 3> const xs = xt::ones<float>({4, 2, 3});
        auto const run = sluice::unroll(cell, xs, cell.zero_state(2));
        auto const gradients = sluice::backward(cell, run, run.outputs);
        std::printf("a cell on a CUDA device: %g %g\n", static_cast<double>(run.outputs(3, 1, 4)),
                    static_cast<double>(gradients.inputs(0, 0, 0)));
    } catch (sluice::cudnn::device_error const& error) {
        std::printf("%s\n", error.what());
        return sluice::cudnn::device_available() ? 1 : 0;
    }
}
