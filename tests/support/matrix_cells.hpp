// SPDX-License-Identifier: BSL-1.0
// Cells whose state is a matrix, with the equations of their papers. q, k and v are products of the input.
#pragma once

#include <sluice/expr/equations.hpp>
#include <sluice/expr/vocabulary.hpp>

namespace matrix_cells {

using namespace sluice::equation;
using namespace sluice::literals;

constexpr auto keys = size<"keys">;
constexpr auto values = size<"values">;
constexpr auto heads = size<"heads">;

constexpr auto q = gate<"q">;
constexpr auto k = gate<"k">;
constexpr auto v = gate<"v">;
constexpr auto f = gate<"f">;
constexpr auto w = gate<"w">;
constexpr auto T = gate<"T">;
constexpr auto S = state<"S", keys, values>;
constexpr auto Z = state<"Z", keys, values, heads>;
constexpr auto Y = state<"Y", keys, 4>;
constexpr auto M = state<"M", units, values, heads>;

// clang-format off

/// arXiv 2006.16236, without a feature map: S' = S + k v^T, o = S'^T q.
struct linear_attention {
    static constexpr auto equations = sluice::lines(
        q       = x * W<"q">,
        k       = x * W<"k">,
        v       = x * W<"v">,
        next(S) = S + outer(k, v),
        output  = q * next(S));
};

/// Gated linear attention, arXiv 2312.06635, in heads: S' = diag(f) S + k v^T, o = S'^T q.
struct gated_attention {
    static constexpr auto equations = sluice::lines(
        q       = x * W<"q">,
        k       = x * W<"k">,
        v       = x * W<"v">,
        f       = sigmoid(x * W<"f"> + b<"f">),
        next(Z) = column<heads>(f) * Z + outer<heads>(k, v),
        output  = q * next(Z));
};

/// DeltaNet, arXiv 2406.06484: S' = S + b k (v - S^T k)^T with a key of length 1,
/// or nearly so.
struct delta_net {
    static constexpr auto equations = sluice::lines(
        k       = x * W<"k">,
        w       = k * rsqrt(sum(square(k)) + 0.01_n),
        v       = x * W<"v">,
        next(S) = S + sigmoid(sum(x * W<"b", 1>)) * outer(w, v - w * S),
        output  = (x * W<"q">) * next(S));
};

/// Kimi Delta Attention, arXiv 2510.26692, in heads: T = diag(a) S, S' = T + k (v - T^T k)^T.
struct gated_delta_net {
    static constexpr auto equations = sluice::lines(
        k       = x * W<"k">,
        w       = k * rsqrt(sum<heads>(square(k)) + 0.01_n),
        v       = x * W<"v">,
        T       = column<heads>(sigmoid(x * W<"a"> + b<"a">)) * Z,
        next(Z) = T + outer<heads>(w, v - w * T),
        output  = (x * W<"q">) * next(Z));
};

/// All words, two states, contractions from both sides, functions of matrices, a vector of parameters in a
/// row, and a state that the other reads.
struct mixed {
    static constexpr auto equations = sluice::lines(
        k       = tanh(x * W<"k"> + h * M),
        v       = M * k + x * W<"v">,
        T       = tanh(M + outer<heads>(h, k)) * sum(v),
        next(M) = 0.5_n * T + row<heads>(p<"z">) * M,
        next(h) = sigmoid(next(M) * k + v) * h + x * W<"h">,
        output  = h * T);
};

/// One key for two memories, whose values have different widths.
struct shared_key {
    static constexpr auto equations = sluice::lines(
        k       = x * W<"k">,
        next(S) = S + outer(k, x * W<"v">),
        next(Y) = 0.5_n * Y + outer(k, x * W<"w">),
        output  = concat(k * next(S), k * next(Y)));
};

/// Selective state spaces, arXiv 2312.00752: a rate for each place of the matrix, and delta updates of it.
struct elementwise {
    static constexpr auto equations = sluice::lines(
        f       = softplus(x * W<"f"> + b<"f">),
        k       = l2_norm<heads>(x * W<"k">, 0.01_n),
        v       = x * W<"v">,
        T       = exp(-(column<heads>(f) * exp(elements<"A", keys, values, heads>))) * Z,
        next(Z) = repeat<2>(T + fixed(elements<"B", keys, values, heads>), [](auto t, auto i) {
                      return t + outer<heads>(k, x * W<sluice::numbered<"v", i>> - k * t);
                  }),
        output  = k * next(Z) + v);
};

/// Sums over matrices that no state leads to, one and two steps ago.
struct delayed {
    static constexpr auto equations = sluice::lines(
        k       = tanh(x * W<"k", keys>),
        v       = k * outer(k, x * W<"v", values>),
        output  = x * W<"o", values> + delay<1, values>(v) * delay<2, values>(v));
};

/// M2RNN, arXiv 2603.14360: Z = tanh(S R + k v^T), S' = f S + (1 - f) Z, in heads with a matrix R each.
struct nonlinear_memory {
    static constexpr auto equations = sluice::lines(
        k       = x * W<"k">,
        v       = x * W<"v">,
        f       = sigmoid(sum(x * W<"f", 1>)),
        T       = tanh(Z * grouped<heads>(R<"z">) + outer<heads>(k, v)),
        next(Z) = f * Z + (1 - f) * T,
        output  = (x * W<"q">) * next(Z));
};

/// Without heads; rows are multiplied with a matrix, its transpose and one of other columns, in sums to
/// which products are added, also of states that have gone through a function.
struct row_products {
    static constexpr auto equations = sluice::lines(
        k       = tanh(x * W<"k">),
        T       = 0.1_n * (S * (R<"s"> - transposed(R<"s">))) + tanh(S) * transposed(matrix<"A">),
        next(S) = 0.1_n * (T * matrix<"A">) * R<"b"> + outer(k, x * W<"v"> + h * W<"h">),
        next(h) = tanh(k * (next(S) * matrix<"o", 4>) * R<"h"> + b<"h">),
        output  = concat(h, k * T));
};

/// A state that is nothing but its product.
struct turned {
    static constexpr auto equations = sluice::lines(
        next(S) = S * R<"s">,
        output  = (x * W<"q", keys>) * S);
};

/// A matrix of each row as it is: its output is that matrix.
struct plain_memory {
    static constexpr auto equations = sluice::lines(
        next(S) = where(S > 0_n, 0.5_n, 0.9_n) * S + outer(x * W<"k">, x * W<"v">) * S);
};

// clang-format on

} // namespace matrix_cells
