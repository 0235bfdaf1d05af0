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
    sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
                  n = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">), next(h) = (1 - f) * h + f * n);

constexpr auto gru = sluice::lines(
    r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
    n = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">), next(h) = u * h + (1 - u) * n);

constexpr auto cudnn_gru = sluice::lines(
    r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
    n = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)), next(h) = u * h + (1 - u) * n);

/// An LSTM whose output is projected.
constexpr auto lstm =
    sluice::lines(i = x * W<"i"> + m * R<"i"> + b<"i">, j = x * W<"j"> + m * R<"j"> + b<"j">,
                  f = x * W<"f"> + m * R<"f"> + b<"f">, o = x * W<"o"> + m * R<"o"> + b<"o">,
                  next(c) = sigmoid(f + setting<"forget_bias">) * c + sigmoid(i) * tanh(j),
                  next(m) = (sigmoid(o) * tanh(next(c))) * W<"P">, output = next(m));

constexpr auto glstm = sluice::lines(i = x * grouped(W<"i">) + h * grouped(R<"i">) + b<"i">,
                                     j = x * grouped(W<"j">) + h * grouped(R<"j">) + b<"j">,
                                     f = x * grouped(W<"f">) + h * grouped(R<"f">) + b<"f">,
                                     o = x * grouped(W<"o">) + h * grouped(R<"o">) + b<"o">,
                                     next(c) = sigmoid(f + setting<"forget_bias">) * c + sigmoid(i) * tanh(j),
                                     next(h) = sigmoid(o) * tanh(next(c)));

constexpr auto dense = sluice::lines(output = x * W<"y"> + b<"y">);

/// A page of these lines: for those that a test writes in a function, where a struct cannot hold them.
template <class Lines>
struct page {
    static constexpr Lines equations{};
};

template <auto const& Lines>
using page_of = page<std::remove_cvref_t<decltype(Lines)>>;

template <class Lines>
using passes_of = sluice::passes<page<std::remove_cvref_t<Lines>>>;
template <class Lines>
using plans_of = sluice::plans<page<std::remove_cvref_t<Lines>>>;

template <sluice::notation How = sluice::notation::text, class Lines>
constexpr auto print(Lines) {
    return sluice::print<page<Lines>, How>();
}
template <class Lines>
constexpr auto print_graph(Lines) {
    return sluice::print_graph<page<Lines>>();
}
template <class Lines>
constexpr std::size_t parameter_count(Lines, sluice::sizes const& given) {
    return sluice::parameter_count<page<Lines>>(given);
}

} // namespace cells
