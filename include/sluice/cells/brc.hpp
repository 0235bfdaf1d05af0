// SPDX-License-Identifier: BSL-1.0
// BRC and nBRC, the bistable recurrent cell and the neuromodulated one (Vecoven, Ernst and Drion, arXiv
// 2006.05252): a unit whose feedback a is above 1 has two stable states, and stays in one of them until the
// input is strong.
//
//   brc    a  = 1 + tanh(x W_a + p_a . h)          feedback, from 0 to 2 [batch, units]
//          c  = sigmoid(x W_c + p_c . h)           update gate
//
//   nbrc   a  = 1 + tanh(x W_a + h R_a)            other units set how stable this one is
//          c  = sigmoid(x W_c + h R_c)
//
//   h' = c . h + (1 - c) . tanh(x W_h + a . h)     state, and output
//
// The update gate keeps the old state. There are no biases, as in the paper's equations.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <bool Neuromodulated>
struct brc_with {
    static constexpr std::string_view name = Neuromodulated ? "nBRC" : "BRC";
    static constexpr std::string_view source = "Vecoven, Ernst and Drion, arXiv 2006.05252";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto a = gate<"a">;
        constexpr auto c = gate<"c">;

        constexpr auto recurrent = [](auto vector, auto matrix) {
            if constexpr (Neuromodulated)
                return h * matrix;
            else
                return vector * h;
        };
        // clang-format off
        return lines(
            a       = 1 + tanh(x * W<"a"> + recurrent(p<"a">, R<"a">)),
            c       = sigmoid(x * W<"c"> + recurrent(p<"c">, R<"c">)),
            next(h) = c * h + (1 - c) * tanh(x * W<"h"> + a * h));
        // clang-format on
    }();
};

struct brc : brc_with<false> {};
struct nbrc : brc_with<true> {};

} // namespace sluice
