// SPDX-License-Identifier: BSL-1.0
// Cells of the literature, written for these tests with the vocabulary alone.
#pragma once

#include <sluice/plan/plans.hpp>

namespace cells {

using namespace sluice::equation;

constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;
constexpr auto i = gate<"i">;
constexpr auto j = gate<"j">;
constexpr auto f = gate<"f">;
constexpr auto o = gate<"o">;
constexpr auto c = state<"c">;
constexpr auto m = state<"m", projection>;

constexpr auto mgu =
    sluice::equations(f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
                      n = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">), next(h) = (1 - f) * h + f * n);

constexpr auto gru = sluice::equations(
    r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
    n = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">), next(h) = u * h + (1 - u) * n);

constexpr auto cudnn_gru = sluice::equations(
    r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
    n = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)), next(h) = u * h + (1 - u) * n);

/// An LSTM whose output is projected.
constexpr auto lstm =
    sluice::equations(i = x * W<"i"> + m * R<"i"> + b<"i">, j = x * W<"j"> + m * R<"j"> + b<"j">,
                      f = x * W<"f"> + m * R<"f"> + b<"f">, o = x * W<"o"> + m * R<"o"> + b<"o">,
                      next(c) = sigmoid(f + setting<"forget_bias">) * c + sigmoid(i) * tanh(j),
                      next(m) = (sigmoid(o) * tanh(next(c))) * W<"P">, output = next(m));

constexpr auto glstm =
    sluice::equations(i = x * grouped(W<"i">) + h * grouped(R<"i">) + b<"i">,
                      j = x * grouped(W<"j">) + h * grouped(R<"j">) + b<"j">,
                      f = x * grouped(W<"f">) + h * grouped(R<"f">) + b<"f">,
                      o = x * grouped(W<"o">) + h * grouped(R<"o">) + b<"o">,
                      next(c) = sigmoid(f + setting<"forget_bias">) * c + sigmoid(i) * tanh(j),
                      next(h) = sigmoid(o) * tanh(next(c)));

constexpr auto dense = sluice::equations(output = x * W<"y"> + b<"y">);

template <class Lines>
using passes_of = sluice::passes<std::remove_cvref_t<Lines>>;
template <class Lines>
using plans_of = sluice::plans<std::remove_cvref_t<Lines>>;

} // namespace cells
