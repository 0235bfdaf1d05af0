// SPDX-License-Identifier: BSL-1.0
// The pages of the tests of cuDNN's match, and what is asked of each.
#pragma once

#include <algebra/match_check.hpp>
#include <doctest/doctest.h>
#include <sluice/cudnn/rnn/accepted.hpp>

namespace match_pages {

using sluice::cudnn::accepts, sluice::cudnn::form_of, sluice::cudnn::rnn_mode, sluice::cudnn::why_not;

/// A page that is accepted is the target with its parameters, in numbers, forward and backward.
template <class Page>
void check_accepted(rnn_mode mode, sluice::sizes const& n = {.input = 3, .units = 5}) {
    static_assert(accepts<Page>());
    static_assert(why_not<Page>().empty());
    using target = sluice::cudnn::canonical_of<Page>;
    CHECK(form_of<Page>().mode == mode);
    CHECK(why_not<Page>(n) == "");
    auto const t = match_check::graph_of<target>(), g = match_check::graph_of<Page>();
    CHECK(match_check::difference(t.seen(), g.seen(), n) < 1e-12);
}

/// Why cuDNN does not compute these lines.
template <class... Line>
std::string refused(Line... lines) {
    static_assert(!accepts(sluice::lines(Line{}...)));
    return std::string(why_not(sluice::lines(lines...)));
}

/// The summands of cuDNN's parameter, in words: "W_z^T", "-1 W_z^T", "1 forget_bias".
template <class Page>
std::string parameter(std::string_view called) {
    using target = sluice::cudnn::canonical_of<Page>;
    std::string all;
    for (sluice::match_term const& t : sluice::match_of<Page, target>::value.terms) {
        if (sluice::passes<target>::parameters[t.to].called.view() != called)
            continue;
        sluice::text words;
        if (t.factor != 1 || t.from < 0)
            words << t.factor << (t.from < 0 && t.count == 0 ? "" : " ");
        if (t.from >= 0)
            words << sluice::passes<Page>::parameters[t.from].called.view() << (t.transposed ? "^T" : "");
        for (int k = 0; k < t.count; ++k)
            words << sluice::passes<Page>::settings[t.of[k]].called.view();
        all += (all.empty() ? "" : " + ") + std::string(words.view());
    }
    return all;
}

/// The lines of cuDNN's GRU.
namespace gru_lines {

using namespace sluice::equation;

inline constexpr auto r = gate<"r">;
inline constexpr auto z = gate<"z">;
inline constexpr auto n = gate<"n">;

inline constexpr auto reset = r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">);
inline constexpr auto update = z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">);
inline constexpr auto fresh = n = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">));

} // namespace gru_lines

/// Those of its LSTM.
namespace lstm_lines {

using namespace sluice::equation;

inline constexpr auto i = gate<"i">;
inline constexpr auto f = gate<"f">;
inline constexpr auto g = gate<"g">;
inline constexpr auto o = gate<"o">;
inline constexpr auto c = state<"c">;

inline constexpr auto forget = f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">);
inline constexpr auto fresh = g = tanh(x * W<"g"> + h * R<"g"> + b<"g">);
inline constexpr auto out = o = sigmoid(x * W<"o"> + h * R<"o"> + b<"o">);

} // namespace lstm_lines

} // namespace match_pages
