// SPDX-License-Identifier: BSL-1.0
// Cells whose equations ask for derivatives, and some in which these are written out.
#pragma once

#include <sluice/sluice.hpp>

namespace derivative_cells {

using namespace sluice::equation;

constexpr auto k = gate<"k">;
constexpr auto v = gate<"v">;
constexpr auto loss = gate<"loss">;
constexpr auto M = state<"M", units, units, groups>;

/// A step down an energy of the state.
struct energy {
    static constexpr auto equations =
        sluice::lines(loss = sum(softplus(h * R<"h"> + x * W<"h">)) + 0.5_n * sum(square(h - p<"rest">)),
                      next(h) = h - 0.3_n * derivative(loss, h));
};

/// A memory of one layer with an activation, whose loss is that of each head.
struct nonlinear_memory {
    static constexpr auto equations = sluice::lines(
        k = tanh(x * W<"k">), v = x * W<"v">, loss = sum<groups>(square(tanh(k * M) - v)),
        next(M) = 0.9_n * M - row<groups>(sigmoid(x * W<"b">)) * derivative(loss, M), output = k * next(M));
};

/// A derivative within a loss, and derivatives with respect to a gate, a next state and an input.
struct of_second_order {
    static constexpr auto inner = gate<"inner">;
    static constexpr auto equations =
        sluice::lines(k = tanh(0.4_n * (x * W<"k"> + h * R<"k">)),
                      inner = derivative(sum(sin(h) * k) + 0.2_n * sum(h * M * k), h),
                      loss = sum(square(inner + slice<0, units>(concat(k, h)))),
                      next(M) = 0.5_n * M + 0.1_n * outer<groups>(k, tanh(h)),
                      next(h) = tanh(0.3_n * h - 0.1_n * derivative(loss, h) +
                                     0.1_n * derivative(sum(square(k * next(M))), k)),
                      output = concat(next(h), derivative(sum(h* next(M)) + log(sum(exp(x))), x),
                                      h* derivative(sum(sin(h* next(M))), next(M))));
};

/// TTT-Linear, with its gradient by hand.
struct ttt_linear_by_hand {
    static constexpr auto equations = [] {
        constexpr auto q = gate<"q">;
        constexpr auto step = gate<"b">;
        constexpr auto G = gate<"G">;
        return sluice::lines(q = x * W<"q">, k = x * W<"k">, v = x * W<"v">,
                             step = setting<"rate">(1_n) * sigmoid(x * W<"b", groups> + b<"b">),
                             G = 2_n * outer<groups>(k, k * M - v),
                             next(M) = M - row<groups>(per_group<groups>(step)) * G, output = q * next(M));
    }();
};

/// Titans, with its gradient by hand.
struct titans_by_hand {
    static constexpr auto equations = [] {
        constexpr auto q = gate<"q">;
        constexpr auto a = gate<"a">;
        constexpr auto step = gate<"b">;
        constexpr auto c = gate<"c">;
        constexpr auto G = gate<"G">;
        constexpr auto S = state<"S", units, units, groups>;
        return sluice::lines(
            q = l2_norm<groups>(silu(x * W<"q">)), k = l2_norm<groups>(silu(x * W<"k">)),
            v = silu(x * W<"v">), a = sigmoid(x * W<"a", groups> + b<"a">),
            step = sigmoid(x * W<"b", groups> + b<"b">), c = sigmoid(x * W<"c", groups> + b<"c">),
            G = 2_n * outer<groups>(k, k * M - v),
            next(S) = row<groups>(per_group<groups>(c)) * S - row<groups>(per_group<groups>(step)) * G,
            next(M) = row<groups>(per_group<groups>(1 - a)) * M + next(S), output = q * next(M));
    }();
};

} // namespace derivative_cells
