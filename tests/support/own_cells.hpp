// SPDX-License-Identifier: BSL-1.0
// A cell that a user might write, with what the stock cells lack: two states of different widths, a state of
// a fixed number of features, an activation of its own, a number in the equations, an output of a third
// width.
//
//   z  = sigmoid(x W_z + m R_z + c . p_z + b_z)         update gate with a peephole       [batch, units]
//   n  = swish(x W_n + (z . c) (x) R_n + b_n)           candidate, recurrent in groups    [batch, units]
//   c' = z . c + (1 - z) . n                            memory                            [batch, units]
//   m' = leak m + 0.5 tanh(c' W_m - m . q)              trace, slower than the memory     [batch, 4]
//   y  = m' W_y + b_y + softplus(x W_o)                                                   [batch, projection]
#pragma once

#include <sluice/xtensor.hpp>
#include <support/swish.hpp>

namespace own_cells {

using namespace sluice::equation;

/// swish with a derivative that is wrong: for tests of the check itself.
struct swish_gone_wrong : support::swish {
    static constexpr std::string_view name = "swish_gone_wrong";
    static constexpr auto derivative(auto z, auto y) { return y + sigmoid(z) * (1 + y); }
};

constexpr auto z = gate<"z">;
constexpr auto n = gate<"n">;
constexpr auto c = state<"c">;
constexpr auto m = state<"m", 4>;

// clang-format off
template <class Candidate>
struct traced_with {
    static constexpr auto equations = sluice::lines(
        z       = sigmoid(x * W<"z"> + m * R<"z"> + c * p<"z"> + b<"z">),
        n       = apply<Candidate>(x * W<"n"> + (z * c) * grouped(R<"n">) + b<"n">),
        next(c) = z * c + (1 - z) * n,
        next(m) = setting<"leak">(0_n) * m + 0.5_n * tanh(next(c) * W<"m"> - m * vector<"q">),
        output  = next(m) * W<"y", projection> + b<"y"> + softplus(x * W<"o">));
};
// clang-format on
struct traced : traced_with<support::swish> {};
struct wrong : traced_with<swish_gone_wrong> {};

constexpr sluice::sizes extents{.input = 5, .units = 9, .projection = 3, .groups = 3};
constexpr double leak = 0.75;

// The same in plain arithmetic: matrices are xtensors, products are loops.

template <class S>
xt::xtensor<S, 2> times(xt::xtensor<S, 2> const& a, sluice::parameter_tensor<S, 2> const& w) {
    xt::xtensor<S, 2> y = xt::zeros<S>({a.shape()[0], w.shape()[1]});
    for (std::size_t r = 0; r < a.shape()[0]; ++r)
        for (std::size_t k = 0; k < w.shape()[0]; ++k)
            for (std::size_t i = 0; i < w.shape()[1]; ++i)
                y(r, i) += a(r, k) * w(k, i);
    return y;
}
template <class S>
xt::xtensor<S, 2> times(xt::xtensor<S, 2> const& a, sluice::parameter_tensor<S, 3> const& w) {
    std::size_t const rows = w.shape()[1], columns = w.shape()[2];
    xt::xtensor<S, 2> y = xt::zeros<S>({a.shape()[0], w.shape()[0] * columns});
    for (std::size_t r = 0; r < a.shape()[0]; ++r)
        for (std::size_t g = 0; g < w.shape()[0]; ++g)
            for (std::size_t k = 0; k < rows; ++k)
                for (std::size_t i = 0; i < columns; ++i)
                    y(r, g * columns + i) += a(r, g * rows + k) * w(g, k, i);
    return y;
}

template <class Parameters, class States, class S>
xt::xtensor<S, 2> plain_step(Parameters const& w, States& state, xt::xtensor<S, 2> const& xt_) {
    using namespace sluice::literals;
    using matrix = xt::xtensor<S, 2>;
    matrix& memory = state["c"_s];
    matrix& trace = state["m"_s];
    matrix const before =
        times(xt_, w["W_z"_s]) + times(trace, w["R_z"_s]) + memory * w["p_z"_s] + w["b_z"_s];
    matrix const update = S(1) / (S(1) + xt::exp(-before));
    matrix const gated = update * memory;
    matrix const a = times(xt_, w["W_n"_s]) + times(gated, w["R_n"_s]) + w["b_n"_s];
    matrix const candidate = a / (S(1) + xt::exp(-a));
    memory = matrix(update * memory + (S(1) - update) * candidate);
    trace = matrix(S(leak) * trace + S(0.5) * xt::tanh(times(memory, w["W_m"_s]) - trace * w["q"_s]));
    return times(trace, w["W_y"_s]) + w["b_y"_s] + xt::log1p(xt::exp(times(xt_, w["W_o"_s])));
}

} // namespace own_cells
