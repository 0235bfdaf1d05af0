// SPDX-License-Identifier: BSL-1.0
// What derivatives in equations are made of, and which are refused.
#include "cells.hpp"

#include <sluice/graph/expand.hpp>
#include <support/both.hpp>

namespace expand_test {

using namespace sluice::equation;
using sluice::notation;
using sluice::reason;

namespace {

constexpr auto g = gate<"g">;
constexpr auto v = gate<"v">;
constexpr auto loss = gate<"loss">;
constexpr auto S = state<"S", units, units, groups>;
constexpr auto c = state<"c", 1>;

template <notation How, class Lines>
constexpr auto printed(Lines) {
    return sluice::print<cells::page<Lines>, How>();
}
/// What the derivative of a loss with respect to something is made of, in lines that update h.
#define CHECK_DERIVATIVE(LOSS, OF, EXPANDED)                                                                 \
    BOTH(printed<notation::expanded>(sluice::lines(next(h) = h + derivative(LOSS, OF))).view() ==            \
         "next(h) = h + " EXPANDED "\n")

template <class Lines>
constexpr reason refused(Lines lines) {
    auto const flat = sluice::flatten<sluice::operations_of<Lines>>(lines);
    return sluice::resolve(flat.seen()).trouble.why;
}
template <class Loss, class Of>
constexpr reason refused(Loss l, Of of) {
    return refused(sluice::lines(g = tanh(x * W<"g">), v = p<"v"> + 1, next(S) = S,
                                 next(h) = tanh(g * (h + v) + S * h), output = derivative(l, of)));
}

} // namespace

TEST_CASE("expand: of vectors") {
    CHECK_DERIVATIVE(sum(square(h)), h, "2 . h");
    CHECK_DERIVATIVE(0.5_n * sum(square(h * R<"h"> - b<"h">)), h, "(0.5 . 2 . (h R_h - b_h)) R_h^T");
    CHECK_DERIVATIVE(sum(h), h, "spread(1)");
    CHECK_DERIVATIVE(sum(floor(h) * p<"a">), h, "spread(0)");
    CHECK_DERIVATIVE(sum<groups>(square(h)), h, "2 . h");
    CHECK_DERIVATIVE(log(sum(exp(h))), h, "1 / sum(exp(h)) . exp(h)");
    BOTH(printed<notation::expanded>(sluice::lines(g = tanh(x * W<"g">), loss = sum(g * h) + sum(square(h)),
                                                   next(h) = h - derivative(loss, h)))
             .view() == "g = tanh(x W_g)\nloss = sum(g . h) + sum(square(h))\nnext(h) = h - (2 . h + g)\n");
    // g is held: what it is made of takes no part.
    BOTH(printed<notation::expanded>(
             sluice::lines(g = tanh(h * W<"g">), next(h) = h - derivative(sum(g * h), h)))
             .view() == "g = tanh(h W_g)\nnext(h) = h - (g + (h . (1 - g . g)) W_g^T)\n");
    BOTH(printed<notation::expanded>(
             sluice::lines(g = tanh(h * W<"g">), next(h) = h - derivative(sum(g * h), g)))
             .view() == "g = tanh(h W_g)\nnext(h) = h - h\n");
}

TEST_CASE("expand: of parts, and of one feature") {
    BOTH(printed<notation::expanded>(sluice::lines(next(h) = h + derivative(sum(square(slice<0, 2>(h))), h)))
             .view() == "next(h) = h + [2 . h[0 : 2], copy(0)]\n");
    BOTH(printed<notation::expanded>(
             sluice::lines(next(c) = c - derivative(sum(square(c * h - x * W<"h">)), c), next(h) = tanh(h)))
             .view() == "next(c) = c - spread(sum(2 . (sum(c) . h - x W_h) . h))\nnext(h) = tanh(h)\n");
}

TEST_CASE("expand: of a matrix value, within heads") {
    constexpr auto lines = sluice::lines(v = x * W<"v">, loss = sum(square(h * S - v)),
                                         next(S) = S - derivative(loss, S), next(h) = h * next(S));
    BOTH(printed<notation::expanded>(lines).view() ==
         "v = x W_v\nloss = sum(square(h S - v))\nnext(S) = S - row<groups>(2 . (h S - v)) . "
         "column<groups>(h)\nnext(h) = h next(S)\n");
    BOTH(printed<notation::text>(lines).view() ==
         "v = x W_v\nloss = sum(square(h S - v))\nnext(S) = S - d(loss)/d(S)\nnext(h) = h next(S)\n");
}

TEST_CASE("expand: a derivative of what a derivative is made of") {
    CHECK_DERIVATIVE(sum(square(derivative(sum(sin(h)), h))), h, "2 . cos(h) . (-sin(h))");
}

TEST_CASE("expand: leaves come first, and no derivative is left") {
    using page = cells::page<std::remove_const_t<decltype(
        [] { return sluice::lines(next(h) = h - derivative(sum(square(h * R<"h">)), h)); }())>>;
    using passes = sluice::passes<page>;
    BOTH(sluice::has_derivative(passes::written));
    BOTH(!sluice::has_derivative(passes::graph));
    BOTH([] {
        bool computed = false, in_order = true;
        for (sluice::node const& n : passes::graph.nodes) {
            in_order = in_order && !(computed && is_leaf(n.kind));
            computed = computed || !is_leaf(n.kind);
        }
        return in_order;
    }());
}

TEST_CASE("expand: as it was written, as text and LaTeX") {
    constexpr auto lines =
        sluice::lines(loss = sum(square(h - x * W<"h">)),
                      next(h) = h - 0.1_n * derivative(loss, h) / (1 + derivative(sum(h), h)));
    BOTH(printed<notation::text>(lines).view() ==
         "loss = sum(square(h - x W_h))\nnext(h) = h - 0.1 . (d(loss)/d(h)) / (1 + d(sum(h))/d(h))\n");
    BOTH(printed<notation::latex>(
             sluice::lines(loss = sum(square(h - x * W<"h">)),
                           next(h) = h - 0.1_n * derivative(loss, h) + derivative(2_n * sum(h), h)))
             .view() == R"(\begin{aligned}
\mathrm{loss} &= \textstyle\sum(\left(h - x \, W_{\mathrm{h}}\right)^{2}) \\
h' &= h - 0.1 \odot \frac{\partial \mathrm{loss}}{\partial h} + \frac{\partial }{\partial h}(2 \odot \textstyle\sum(h))
\end{aligned}
)");
}

TEST_CASE("expand: what has no derivative is refused") {
    BOTH(refused(sum(g * h), h) == reason::none);
    BOTH(refused(sum(g * h), x) == reason::none);
    BOTH(refused(sum<3>(square(g)), g) == reason::none);
    BOTH(refused(sum(square(h * next(S))), next(S)) == reason::none);
    BOTH(refused(square(g), g) == reason::derivative_of_features);
    BOTH(refused(0.5_n * sum<3>(square(g)), g) == reason::derivative_of_features);
    BOTH(refused(S, S) == reason::derivative_of_features);
    BOTH(refused(sum(v), v) == reason::derivative_by_parameter);
    BOTH(refused(sum(h), S) == reason::derivative_of_nothing);
    BOTH(refused(sum(h) * features(g), g) == reason::derivative_of_nothing);
    BOTH(refused(0.5_n, h) == reason::derivative_of_nothing);
    BOTH(refused(sum(h > x * W<"h">), h) == reason::condition_outside_where);
}

} // namespace expand_test
