// SPDX-License-Identifier: BSL-1.0
// FastRNN and FastGRNN (Kusupati et al., arXiv 1901.02358): a residual connection with two trained numbers,
// and a gate that shares the candidate's matrices.
//
//   FastRNN
//   n  = tanh(x W_h + h R_h + b_h)                 candidate             [batch, units]
//   h' = sigmoid(alpha) n + sigmoid(beta) h        state, and output     alpha, beta: []
//
//   FastGRNN
//   z  = sigmoid(x W_h + h R_h + b_z)              update gate           [batch, units]
//   n  = tanh(x W_h + h R_h + b_n)                 candidate
//   h' = (sigmoid(zeta) (1 - z) + sigmoid(nu)) . n + z . h               zeta, nu: []
//
// The paper's four numbers lie between 0 and 1: they are the sigmoids here, whose arguments are trained, as
// in the authors' code, and start as there: alpha -3, beta 3, zeta 1, nu -4. The paper's low-rank, sparse and
// quantised matrices are not part of the cell. Matrices start glorot uniform, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct fast_rnn {
    static constexpr std::string_view name = "FastRNN";
    static constexpr std::string_view source = "Kusupati et al., arXiv 1901.02358";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            n       = tanh(x * W<"h"> + h * R<"h"> + b<"h">),
            next(h) = sigmoid(scalar<"alpha">) * n + sigmoid(scalar<"beta">) * h);
        // clang-format on
    }();

    struct initial_values {
        double alpha = -3;
        double beta = 3;

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "alpha"  ? start{init::constant{alpha}}
                   : p.called.view() == "beta" ? start{init::constant{beta}}
                                               : default_start(p);
        }
    };
};

struct fast_grnn {
    static constexpr std::string_view name = "FastGRNN";
    static constexpr std::string_view source = "Kusupati et al., arXiv 1901.02358";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto n = gate<"n">;
        constexpr auto both = x * W<"h"> + h * R<"h">;
        // clang-format off
        return lines(
            z       = sigmoid(both + b<"z">),
            n       = tanh(both + b<"n">),
            next(h) = (sigmoid(scalar<"zeta">) * (1 - z) + sigmoid(scalar<"nu">)) * n + z * h);
        // clang-format on
    }();

    struct initial_values {
        double zeta = 1;
        double nu = -4;

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "zeta" ? start{init::constant{zeta}}
                   : p.called.view() == "nu" ? start{init::constant{nu}}
                                             : default_start(p);
        }
    };
};

} // namespace sluice
