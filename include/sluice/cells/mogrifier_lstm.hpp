// SPDX-License-Identifier: BSL-1.0
// Mogrifier LSTM (Melis et al., arXiv 1909.01792): before an LSTM sees them, the input and the state gate
// each other in turn, for some rounds k = 1 ...; each gate lies around 1.
//
//   x_k = 2 sigmoid(h_k-1 Q_k) . x_k-2             odd rounds, x_-1 = x             [batch, input]
//   h_k = 2 sigmoid(x_k-1 R_k) . h_k-2             even rounds, h_0 = h             [batch, units]
//
//   i  = sigmoid(X W_i + H R_i + b_i)              input gate; X and H are the last x_k and h_k
//   j  = tanh(X W_j + H R_j + b_j)                 new input
//   f  = sigmoid(X W_f + H R_f + b_f)              forget gate
//   o  = sigmoid(X W_o + H R_o + b_o)              output gate
//   c' = f . c + i . j                             cell
//   h' = o . tanh(c')                              state, and output
//
// Q_k [units, input] and R_k [input, units] are of full rank; the paper also makes each a product of two
// narrow ones. Five rounds are the catalogue's; without a round it is an LSTM.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <int Rounds>
struct mogrifier_lstm_of_rounds {
    static constexpr std::string_view name = "Mogrifier LSTM";
    static constexpr std::string_view source = "Melis et al., arXiv 1909.01792";

    /// The input and the state after round K.
    template <int K>
    static constexpr auto input_after = [] {
        using namespace equation;
        if constexpr (K < 1)
            return x;
        else
            return gate<numbered<"x", K - 1 + K % 2>>;
    }();
    template <int K>
    static constexpr auto state_after = [] {
        using namespace equation;
        if constexpr (K < 2)
            return h;
        else
            return gate<numbered<"h", K - K % 2>>;
    }();

    template <int K>
    static constexpr auto round = [] {
        using namespace equation;
        constexpr auto of_input = input_after<K - 1>;
        constexpr auto of_state = state_after<K - 1>;
        if constexpr (K % 2 == 1)
            return lines(input_after<K> = 2_n * sigmoid(of_state * matrix<numbered<"Q_", K>>) * of_input);
        else
            return lines(state_after<K> = 2_n * sigmoid(of_input * matrix<numbered<"R_", K>>) * of_state);
    }();

    static constexpr auto lstm = [] {
        using namespace equation;
        constexpr auto X = input_after<Rounds>;
        constexpr auto H = state_after<Rounds>;
        constexpr auto i = gate<"i">;
        constexpr auto j = gate<"j">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;
        // clang-format off
        return lines(
            i       = sigmoid(X * W<"i"> + H * R<"i"> + b<"i">),
            j       = tanh(X * W<"j"> + H * R<"j"> + b<"j">),
            f       = sigmoid(X * W<"f"> + H * R<"f"> + b<"f">),
            o       = sigmoid(X * W<"o"> + H * R<"o"> + b<"o">),
            next(c) = f * c + i * j,
            next(h) = o * tanh(next(c)));
        // clang-format on
    }();

    static constexpr auto equations = []<int... I>(std::integer_sequence<int, I...>) {
        return lines(round<I + 1>..., lstm);
    }
    (std::make_integer_sequence<int, Rounds>{});
};

struct mogrifier_lstm : mogrifier_lstm_of_rounds<5> {};

} // namespace sluice
