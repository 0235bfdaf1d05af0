// SPDX-License-Identifier: BSL-1.0
// Selective state spaces: each channel u keeps `order` numbers, a linear system whose step dt, whose input
// B and whose reading C depend on the input.
//
//   u  = x W_u                             channels                       [batch, units]
//
//   dt = softplus(u W_d1 W_d2 + b_dt)      `mamba`: step of each channel  [batch, units]
//   B  = u W_B                             input                          [batch, order]
//   C  = u W_C                             reading
//   h' = exp(-dt exp(A)) . h + (dt . u) B^T    state                      [batch, units, order]
//   y  = h' C + D . u                      output                         [batch, units]
//
//   dt = softplus(x W_dt + b_dt)           `mamba2`: step of each head    [batch, heads]
//   B  = x W_B                             input, the key of all heads    [batch, order]
//   C  = x W_C                             reading, their query
//   S' = S exp(-dt exp(A)) + B (dt u)^T    memory                         [batch, order, units]
//   y  = C S' + D u                        output                         [batch, units]
//
// mamba is Gu and Dao, arXiv 2312.00752, algorithm 2; A has a number for each channel and each place of its
// state, and dt is of low rank, the size "rank". mamba2 is Dao and Gu, arXiv 2405.21060, section 7, with one
// group of B and C; dt, A and D are numbers of a head, of which there are `groups`, each of units / groups
// channels. As in the papers' code the decay is exact and the input is multiplied by dt (zero-order
// hold of A, Euler's rule for B), and what is put out is of the state after the step. A is kept as the
// logarithm of a rate. The convolution, the activation and the gate around the cell, and the normalisation of
// mamba2 belong to the papers' blocks: W_u is the first product of the block.
//
// exp(A) starts with 1, 2, ... in each channel of mamba, and uniform in the logarithm from 1 to 16 in
// mamba2; b_dt at the inverse softplus of 0.01, in the middle of the papers' range, and D at 1.
#pragma once

#include <cmath>
#include <sluice/expr/page.hpp>
#include <vector>

namespace sluice {
namespace detail {

struct mamba_start {
    start operator()(parameter_role const& p, sizes const& n) const {
        if (p.called.view() == "b_dt")
            return {init::constant{-4.600165719}};
        if (p.called.view() == "D")
            return {init::ones{}};
        if (p.called.view() != "A")
            return default_start(p);
        if (n.own["rank"] == 0) // of mamba2
            return {init::uniform{0, 2.772588722239781}};
        std::vector<double> rates;
        for (std::size_t channel = 0; channel < n.units; ++channel)
            for (std::size_t place = 1; place <= n.own["order"]; ++place)
                rates.push_back(std::log(static_cast<double>(place)));
        return {init::values{rates}};
    }
};

} // namespace detail

struct mamba {
    static constexpr std::string_view name = "Mamba";
    static constexpr std::string_view source = "Gu and Dao, arXiv 2312.00752";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto order = size<"order">;
        constexpr auto u = gate<"u">;
        constexpr auto dt = gate<"dt">;
        constexpr auto B = gate<"B">;
        constexpr auto C = gate<"C">;
        constexpr auto H = state<"h", units, order>;
        constexpr auto rate = exp(elements<"A", units, order>);
        // clang-format off
        return lines(
            u       = x * W<"u", units>,
            dt      = softplus((u * W<"d1", size<"rank">>) * W<"d2"> + b<"dt">),
            B       = u * W<"B">,
            C       = u * W<"C">,
            next(H) = exp(-(column(dt) * rate)) * H + outer(dt * u, B),
            output  = next(H) * C + vector<"D"> * u);
        // clang-format on
    }();

    using initial_values = detail::mamba_start;

    /// As in the paper, 16 numbers of each channel, and a sixteenth of the channels for the rank.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .own = {{"order", 16}, {"rank", (units + 15) / 16}}};
    }
};

struct mamba2 {
    static constexpr std::string_view name = "Mamba-2";
    static constexpr std::string_view source = "Dao and Gu, arXiv 2405.21060";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto order = size<"order">;
        constexpr auto u = gate<"u">;
        constexpr auto dt = gate<"dt">;
        constexpr auto B = gate<"B">;
        constexpr auto C = gate<"C">;
        constexpr auto S = state<"S", order, units>;
        constexpr auto a = exp(-(dt * exp(vector<"A">)));
        // clang-format off
        return lines(
            u       = x * W<"u", units>,
            dt      = softplus(x * W<"dt", groups> + b<"dt">),
            B       = x * W<"B">,
            C       = x * W<"C">,
            next(S) = row(per_group<groups>(a)) * S + outer(B, per_group<groups>(dt) * u),
            output  = C * next(S) + per_group<groups>(vector<"D">) * u);
        // clang-format on
    }();

    using initial_values = detail::mamba_start;

    /// Heads of 64 channels and 64 numbers of each channel, as in the paper, where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input,
                .units = units,
                .groups = units % 64 == 0 ? units / 64 : 1,
                .own = {{"order", 64}}};
    }
};

} // namespace sluice
