// SPDX-License-Identifier: BSL-1.0
// Ordered neurons LSTM (Shen et al., arXiv 1810.09536): two master gates, each rising or falling over the
// units, part the memory into what is kept, what is rewritten, and between them what an LSTM's gates
// decide.
//
//   cumax(z) = cumsum(softmax(z))                      rises from near 0 to 1 over the units
//
//   F  = cumax(x W_F + h R_F + b_F)                    master forget gate, rising      [batch, units]
//   I  = 1 - cumax(x W_I + h R_I + b_I)                master input gate, falling
//   w  = F . I                                         where the two overlap
//   f  = sigmoid(x W_f + h R_f + b_f)                  forget gate
//   i  = sigmoid(x W_i + h R_i + b_i)                  input gate
//   o  = sigmoid(x W_o + h R_o + b_o)                  output gate
//   j  = tanh(x W_j + h R_j + b_j)                     new input
//   c' = (f . w + F - w) . c + (i . w + I - w) . j     cell
//   h' = o . tanh(c')                                  state, and output
//
// Each unit has its own place in the order; the paper also lets several neighbours in a chunk share one.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct on_lstm {
    static constexpr std::string_view name = "ON-LSTM";
    static constexpr std::string_view source = "Shen et al., arXiv 1810.09536";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto F = gate<"F">;
        constexpr auto I = gate<"I">;
        constexpr auto w = gate<"w">;
        constexpr auto f = gate<"f">;
        constexpr auto i = gate<"i">;
        constexpr auto o = gate<"o">;
        constexpr auto j = gate<"j">;
        constexpr auto c = state<"c">;

        constexpr auto cumax = [](auto z) { return cumsum(softmax(z)); };
        // clang-format off
        return lines(
            F       = cumax(x * W<"F"> + h * R<"F"> + b<"F">),
            I       = 1 - cumax(x * W<"I"> + h * R<"I"> + b<"I">),
            w       = F * I,
            f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
            i       = sigmoid(x * W<"i"> + h * R<"i"> + b<"i">),
            o       = sigmoid(x * W<"o"> + h * R<"o"> + b<"o">),
            j       = tanh(x * W<"j"> + h * R<"j"> + b<"j">),
            next(c) = (f * w + F - w) * c + (i * w + I - w) * j,
            next(h) = o * tanh(next(c)));
        // clang-format on
    }();
};

} // namespace sluice
