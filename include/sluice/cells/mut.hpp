// SPDX-License-Identifier: BSL-1.0
// MUT1, MUT2 and MUT3, the best of more than ten thousand cells that a search tried (Jozefowicz, Zaremba
// and Sutskever, An Empirical Exploration of Recurrent Network Architectures, ICML 2015). Each is a GRU of
// which a part is changed.
//
//   e  = x W_e                                            the input, as wide as the state      [batch, units]
//
//   mut1   z  = sigmoid(e W_z + b_z)                      update gate, of the input alone
//          r  = sigmoid(e W_r + h R_r + b_r)              reset gate
//          n  = tanh((r . h) R_n + tanh(e) + b_n)         candidate
//
//   mut2   z  = sigmoid(e W_z + h R_z + b_z)
//          r  = sigmoid(e + h R_r + b_r)                  the input itself
//          n  = tanh((r . h) R_n + e W_n + b_n)
//
//   mut3   z  = sigmoid(x W_z + tanh(h) R_z + b_z)
//          r  = sigmoid(x W_r + h R_r + b_r)
//          n  = tanh((r . h) R_n + x W_n + b_n)
//
//   h' = z . n + (1 - z) . h                              state, and output
//
// The update gate lets the candidate in. Where MUT1 and MUT2 add the input to the state, the paper's input is
// as wide as the state; W_e makes it so, and the identity in its place is the paper's cell.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct mut1 {
    static constexpr std::string_view name = "MUT1";
    static constexpr std::string_view source = "Jozefowicz, Zaremba and Sutskever, ICML 2015";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto e = gate<"e">;
        constexpr auto z = gate<"z">;
        constexpr auto r = gate<"r">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            e       = x * W<"e", units>,
            z       = sigmoid(e * W<"z"> + b<"z">),
            r       = sigmoid(e * W<"r"> + h * R<"r"> + b<"r">),
            n       = tanh((r * h) * R<"n"> + tanh(e) + b<"n">),
            next(h) = z * n + (1 - z) * h);
        // clang-format on
    }();
};

struct mut2 {
    static constexpr std::string_view name = "MUT2";
    static constexpr std::string_view source = mut1::source;

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto e = gate<"e">;
        constexpr auto z = gate<"z">;
        constexpr auto r = gate<"r">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            e       = x * W<"e", units>,
            z       = sigmoid(e * W<"z"> + h * R<"z"> + b<"z">),
            r       = sigmoid(e + h * R<"r"> + b<"r">),
            n       = tanh((r * h) * R<"n"> + e * W<"n"> + b<"n">),
            next(h) = z * n + (1 - z) * h);
        // clang-format on
    }();
};

struct mut3 {
    static constexpr std::string_view name = "MUT3";
    static constexpr std::string_view source = mut1::source;

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto r = gate<"r">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            z       = sigmoid(x * W<"z"> + tanh(h) * R<"z"> + b<"z">),
            r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
            n       = tanh((r * h) * R<"n"> + x * W<"n"> + b<"n">),
            next(h) = z * n + (1 - z) * h);
        // clang-format on
    }();
};

} // namespace sluice
