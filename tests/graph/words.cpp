// SPDX-License-Identifier: BSL-1.0
// Words that are made of others are printed as they were written.
#include "cells.hpp"

#include <sluice/graph/print/words.hpp>
#include <support/both.hpp>

namespace words_test {

using namespace sluice::equation;
using cells::print;
using sluice::notation;

namespace {

constexpr auto f = gate<"f">;
constexpr auto m = gate<"m">;
constexpr auto n = gate<"n">;
constexpr auto dt = input_number<"dt">;

template <notation How = notation::text, class E>
constexpr auto line_of(E) {
    return print<How>(sluice::lines(next(h) = E{}));
}
#define CHECK_PRINTED(WRITTEN, PRINTED) BOTH(line_of(WRITTEN).view() == "next(h) = " PRINTED "\n")

} // namespace

TEST_CASE("words: each is printed as it was written") {
    CHECK_PRINTED(h * mean(h), "h . mean(h)");
    CHECK_PRINTED(h * variance(h), "h . variance(h)");
    CHECK_PRINTED(h / norm(h), "h / norm(h)");
    CHECK_PRINTED(softmax(h * R<"h">), "softmax(h R_h)");
    CHECK_PRINTED(h - log_softmax(h + x * W<"x">), "h - log_softmax(h + x W_x)");
    CHECK_PRINTED(tanh(layer_norm(h, p<"g">, b<"s">)), "tanh(layer_norm(h, p_g, b_s))");
    CHECK_PRINTED(layer_norm(h, p<"g">, b<"s">, setting<"epsilon">), "layer_norm(h, p_g, b_s, epsilon)");
    CHECK_PRINTED(rms_norm(h, p<"g">), "rms_norm(h, p_g)");
    CHECK_PRINTED(rms_norm(h, p<"g">, 0.01_n), "rms_norm(h, p_g, 0.01)");
    CHECK_PRINTED(clip(h, -2_n, 1), "clip(h, -2, 1)");
    CHECK_PRINTED(softmax(layer_norm(h, mean(h) * p<"g">, b<"s">)),
                  "softmax(layer_norm(h, mean(h) . p_g, b_s))");
}

TEST_CASE("words: within groups, and only where all parts have the same groups") {
    CHECK_PRINTED(softmax<4>(h), "softmax<4>(h)");
    CHECK_PRINTED(h * mean<groups>(h), "h . mean<groups>(h)");
    CHECK_PRINTED(layer_norm<2>(h, p<"g">, b<"s">), "layer_norm<2>(h, p_g, b_s)");
    CHECK_PRINTED(h * sum<3>(square(h - mean(h))) / sum<3>(h), "h . sum<3>(square(h - mean(h))) / sum<3>(h)");
}

TEST_CASE("words: what is nearly a word is no word") {
    CHECK_PRINTED(exp(h - max(h)) / sum(exp(h - max(h))), "exp(h - max(h)) / sum(exp(h - max(h)))");
    CHECK_PRINTED(h / sqrt(sum(square(h))), "h / sqrt(sum(square(h)))");
    CHECK_PRINTED((h - mean(h)) * rsqrt(variance(x * W<"x">) + 1e-5_n) * p<"g"> + b<"s">,
                  "(h - mean(h)) . rsqrt(variance(x W_x) + 1e-5) . p_g + b_s");
}

TEST_CASE("words: an input of one number is printed by its name") {
    CHECK_PRINTED(h - dt * tanh(h), "h - dt . tanh(h)");
    BOTH(print(sluice::lines(f = dt, next(h) = exp(-f) * h)).view() == "f = dt\nnext(h) = exp(-f) . h\n");
    CHECK_PRINTED(h * sum(x), "h . sum(x)");
}

TEST_CASE("words: one feature that meets others is printed as it was written") {
    constexpr auto g = x * matrix<"G", 1>;
    CHECK_PRINTED(g * tanh(h), "x G . tanh(h)");
    CHECK_PRINTED(h - (g - dt), "h - (x G - dt)");
    CHECK_PRINTED(h / (g * g), "h / (x G . x G)");
    BOTH(print(sluice::lines(f = sigmoid(g), next(h) = f * h + (1 - f) * tanh(x * W<"h">))).view() ==
         "f = sigmoid(x G)\nnext(h) = f . h + (1 - f) . tanh(x W_h)\n");
    BOTH(line_of<notation::latex>(square(g - 1) * h).view() == R"(\begin{aligned}
h' &= \left(x \, G - 1\right)^{2} \odot h
\end{aligned}
)");
}

TEST_CASE("words: a gate within one keeps its name where nothing else reads it") {
    BOTH(print(sluice::lines(m = mean(square(h)), next(h) = h * rsqrt(m + 1e-5_n) * p<"g">)).view() ==
         "m = mean(square(h))\nnext(h) = h . rsqrt(m + 1e-5) . p_g\n");
    BOTH(print(sluice::lines(m = mean(h), next(h) = layer_norm(h, p<"g">, b<"s">) + m)).view() ==
         "m = mean(h)\nnext(h) = layer_norm(h, p_g, b_s) + m\n");
}

TEST_CASE("words: in LaTeX") {
    BOTH(line_of<notation::latex>(softmax<4>(h) + dt * h / norm(h)).view() == R"(\begin{aligned}
h' &= \operatorname{softmax}_{\text{4}}(h) + \mathrm{dt} \odot h \oslash \left\|h\right\|
\end{aligned}
)");
    BOTH(line_of<notation::latex>(h * norm<4>(h)).view() == R"(\begin{aligned}
h' &= h \odot \operatorname{norm}_{\text{4}}(h)
\end{aligned}
)");
}

TEST_CASE("words: in a graph for Graphviz they stand for all that they are made of") {
    BOTH(cells::print_graph(sluice::lines(f = rms_norm(h, p<"g">), next(h) = dt * f)).view() ==
         R"(digraph cell {
  rankdir=LR;
  n0 [label="h", shape=box];
  n2 [label="p_g", shape=box];
  n11 [label="f: rms_norm"];
  n0 -> n11 [label="1"];
  n2 -> n11 [label="2"];
  n12 [label="dt", shape=box];
  n13 [label="next h: ."];
  n12 -> n13;
  n11 -> n13;
}
)");
}

TEST_CASE("words: checkpoints compare what they are made of") {
    constexpr auto lines =
        sluice::lines(n = softmax(x * W<"n">) + dt, next(h) = clip(h, -1_n, 1) * n * mean(h));
    BOTH(print<notation::expanded>(lines).view() ==
         "n = exp(x W_n - max(x W_n)) / sum(exp(x W_n - max(x W_n))) + sum(dt)\n"
         "next(h) = min(max(h, -1), 1) . n . (sum(h) / features(h))\n");
}

} // namespace words_test
