// SPDX-License-Identifier: BSL-1.0
// Somebody else's program: a cell from its own equations, one step of it, and the same step by hand, so that
// whatever BLAS is after it is held to plain arithmetic.
#include <cmath>
#include <iostream>
#include <sluice/xtensor.hpp>
#include <type_traits>
#ifdef CONSUMER_SAVES
#include <sluice/checkpoint/checkpoint.hpp>
#endif
#ifdef CONSUMER_READS_MODELS
#include <sluice/model/read_model.hpp>
#endif
#ifdef CONSUMER_HAS_RANKS
#include <sluice/mpi.hpp>
static_assert(std::is_base_of_v<sluice::transport, sluice::mpi::transport>);
#endif
#ifdef CONSUMER_HAS_DEVICES
#include <sluice/cudnn.hpp>
#ifndef SLUICE_DEVICE_RUNTIME
#error "sluice::cudnn tells a program that the runtime of devices is compiled"
#endif
#endif

#if defined(CONSUMER_HAS_HEADERS_ONLY) == defined(SLUICE_RUNTIME)
#error "all but sluice::xtensor_header_only tell a program that the runtime is compiled"
#endif

using namespace sluice::equation;
struct elman {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">));
};

int main() {
    using namespace sluice::literals;
    sluice::cell<elman> cell({.input = 37, .units = 53}, sluice::seed{7});
#ifdef CONSUMER_SAVES
    save("consumer.safetensors", cell);
    load("consumer.safetensors", cell);
#endif
#ifdef CONSUMER_READS_MODELS
    auto const twice = sluice::describe_model_text(
        R"({"in_shape": [1], "layers": [{"type": "dense", "activation": "", "shape": [1], "weights": [[[2]], [0]]}]})",
        "consumer.json");
    if (sluice::compiled_cells().make(twice).infer({{{21.f}}})(0, 0, 0) != 42)
        return 1;
#endif
#ifdef CONSUMER_HAS_DEVICES
    try {
        sluice::cell<elman, sluice::cudnn::planned> const there({.input = 37, .units = 53}, sluice::seed{7});
        if (!(there.parameters()["W_h"_s] == cell.parameters()["W_h"_s]))
            return 1;
    } catch (sluice::cudnn::device_error const&) { // there is no device
        if (sluice::cudnn::device_available())
            throw;
    }
#endif
    xt::xtensor<float, 2> x_t = xt::zeros<float>({9, 37});
    auto state = cell.zero_state(9);
    auto& h_t = state["h"_s];
    float angle = 0;
    for (auto* tensor : {&x_t, &h_t})
        for (float& number : *tensor)
            number = std::sin(++angle);
    auto const y = cell(x_t, state).output;

    auto const& W = cell.parameters()["W_h"_s];
    auto const& R = cell.parameters()["R_h"_s];
    auto const& b = cell.parameters()["b_h"_s];
    double largest = 0;
    for (std::size_t r = 0; r < 9; ++r)
        for (std::size_t u = 0; u < 53; ++u) {
            double z = b(u);
            for (std::size_t i = 0; i < 37; ++i)
                z += double(x_t(r, i)) * double(W(i, u));
            for (std::size_t i = 0; i < 53; ++i)
                z += double(h_t(r, i)) * double(R(i, u));
            largest = std::max(largest, std::abs(std::tanh(z) - double(y(r, u))));
        }
    std::cout << cell.parameter_count() << " parameters, output " << y.shape(0) << " x " << y.shape(1) << ", "
              << (largest < 1e-5 ? "as by hand" : "not as by hand") << '\n';
    return largest < 1e-5 ? 0 : 1;
}
