// SPDX-License-Identifier: BSL-1.0
#include "cells.hpp"

#include <cstdlib>
#include <sluice/graph/passes.hpp>
#include <support/both.hpp>

namespace print_test {

using namespace sluice::equation;

namespace {

constexpr auto f = gate<"f">;
constexpr auto g = gate<"g">;
constexpr auto update = gate<"update_gate">;
constexpr auto i = gate<"i">;
constexpr auto j = gate<"j">;
constexpr auto o = gate<"o">;
constexpr auto c = state<"c">;

using cells::mgu;
using cells::print;
using cells::print_graph;

constexpr auto lstm =
    sluice::lines(i = x * W<"i"> + h * R<"i"> + b<"i"> + c * p<"i">, j = x * W<"j"> + h * R<"j"> + b<"j">,
                  f = x * W<"f"> + h * R<"f"> + b<"f"> + c * p<"f">,
                  o = x * W<"o"> + h * R<"o"> + b<"o"> + next(c) * p<"o">,
                  next(c) = sigmoid(f + setting<"forget_bias">) * c + sigmoid(i) * tanh(j),
                  next(h) = sigmoid(o) * tanh(next(c)), output = next(h));

/// One line for the update of h.
template <class E>
constexpr auto line_of(E) {
    return print(sluice::lines(next(h) = E{}));
}
/// The number in an expression.
template <class E>
constexpr double number_in(E) {
    for (sluice::node const& n : cells::passes_of<decltype(sluice::lines(next(h) = E{}))>::graph.nodes)
        if (n.kind == sluice::op::number)
            return n.value;
    throw "no number";
}

} // namespace

TEST_CASE("print: the minimal gated unit as text") {
    BOTH(print(mgu).view() == "f = sigmoid(x W_f + h R_f + b_f)\n"
                              "n = tanh(x W_n + (f . h) R_n + b_n)\n"
                              "next(h) = (1 - f) . h + f . n\n");
}

TEST_CASE("print: the minimal gated unit as LaTeX") {
    BOTH(print<sluice::notation::latex>(mgu).view() ==
         R"(\begin{aligned}
f &= \sigma(x \, W_{\mathrm{f}} + h \, R_{\mathrm{f}} + b_{\mathrm{f}}) \\
n &= \tanh(x \, W_{\mathrm{n}} + (f \odot h) \, R_{\mathrm{n}} + b_{\mathrm{n}}) \\
h' &= (1 - f) \odot h + f \odot n
\end{aligned}
)");
}

TEST_CASE("print: an LSTM with peepholes as text") {
    BOTH(print(lstm).view() == "i = x W_i + h R_i + b_i + c . p_i\n"
                               "j = x W_j + h R_j + b_j\n"
                               "f = x W_f + h R_f + b_f + c . p_f\n"
                               "o = x W_o + h R_o + b_o + next(c) . p_o\n"
                               "next(c) = sigmoid(f + forget_bias) . c + sigmoid(i) . tanh(j)\n"
                               "next(h) = sigmoid(o) . tanh(next(c))\n"
                               "output = next(h)\n");
}

TEST_CASE("print: an LSTM with peepholes as LaTeX") {
    BOTH(print<sluice::notation::latex>(lstm).view() ==
         R"(\begin{aligned}
i &= x \, W_{\mathrm{i}} + h \, R_{\mathrm{i}} + b_{\mathrm{i}} + c \odot p_{\mathrm{i}} \\
j &= x \, W_{\mathrm{j}} + h \, R_{\mathrm{j}} + b_{\mathrm{j}} \\
f &= x \, W_{\mathrm{f}} + h \, R_{\mathrm{f}} + b_{\mathrm{f}} + c \odot p_{\mathrm{f}} \\
o &= x \, W_{\mathrm{o}} + h \, R_{\mathrm{o}} + b_{\mathrm{o}} + c' \odot p_{\mathrm{o}} \\
c' &= \sigma(f + \mathrm{forget\_bias}) \odot c + \sigma(i) \odot \tanh(j) \\
h' &= \sigma(o) \odot \tanh(c') \\
\mathrm{output} &= h'
\end{aligned}
)");
}

TEST_CASE("print: brackets stand where they change something") {
    BOTH(line_of(h - (h - h * h)).view() == "next(h) = h - (h - h . h)\n");
    BOTH(line_of(h - h - h).view() == "next(h) = h - h - h\n");
    BOTH(line_of(h - (h + h)).view() == "next(h) = h - (h + h)\n");
    BOTH(line_of((h + h) * h).view() == "next(h) = (h + h) . h\n");
    BOTH(line_of(-(h + h)).view() == "next(h) = -(h + h)\n");
    BOTH(line_of(h - -h).view() == "next(h) = h - (-h)\n");
    BOTH(line_of(h + -h).view() == "next(h) = h + (-h)\n");
    BOTH(line_of(-tanh(h)).view() == "next(h) = -tanh(h)\n");
    BOTH(line_of((h + h * h) * R<"h">).view() == "next(h) = (h + h . h) R_h\n");
    BOTH(line_of((h * R<"a">)*R<"b">).view() == "next(h) = h R_a R_b\n");
    BOTH(line_of(h * grouped(R<"a">)).view() == "next(h) = h (x) R_a\n");
}

/// A number prints as these digits; the compiler, the graph and a reader of the digits take it for the same.
#define CHECK_NUMBER(SPELLING, DIGITS)                                                                       \
    do {                                                                                                     \
        constexpr double expected = SPELLING;                                                                \
        BOTH(line_of(SPELLING##_n* h).view() == "next(h) = " DIGITS " . h\n");                               \
        BOTH(number_in(SPELLING##_n* h) == expected);                                                        \
        CHECK(std::strtod(DIGITS, nullptr) == expected);                                                     \
    } while (false)

TEST_CASE("print: numbers with the fewest digits") {
    CHECK_NUMBER(0.5, "0.5");
    CHECK_NUMBER(1e-3, "0.001");
    CHECK_NUMBER(1e-8, "1e-8");
    CHECK_NUMBER(1e22, "1e22");
    CHECK_NUMBER(1200000, "1200000");
    CHECK_NUMBER(3.14159265358979, "3.14159265358979");
    CHECK_NUMBER(0, "0");
    CHECK_NUMBER(2.50, "2.5");
    CHECK_NUMBER(0.25e-3, "0.00025");
}

TEST_CASE("print: a gate that is another one goes by the first name") {
    BOTH(print(sluice::lines(f = tanh(x * W<"f">), g = f, next(h) = g + h, output = next(h))).view() ==
         "f = tanh(x W_f)\ng = f\nnext(h) = f + h\noutput = next(h)\n");
}

TEST_CASE("print: names with several words and activations without a symbol of their own in LaTeX") {
    BOTH(print<sluice::notation::latex>(sluice::lines(next(h) = hard_sigmoid(h * matrix<"a_long_name">)))
             .view() == R"(\begin{aligned}
h' &= \operatorname{hard\_sigmoid}(h \, a_{\mathrm{long\_name}})
\end{aligned}
)");
    BOTH(print<sluice::notation::latex>(sluice::lines(update = x * matrix<"kernel_x">, next(h) = update))
             .view() == R"(\begin{aligned}
\mathrm{update\_gate} &= x \, \mathrm{kernel\_x} \\
h' &= \mathrm{update\_gate}
\end{aligned}
)");
}

TEST_CASE("print: Greek letters in LaTeX, by themselves, with an index and as one") {
    constexpr auto phi = state<"phi">;
    constexpr auto lambda = gate<"lambda_f">;
    constexpr auto lines = sluice::lines(lambda = phi * scalar<"nu"> + x * W<"phi">,
                                         next(phi) = delay<1>(phi) * W<"Sigma_x"> + lambda,
                                         output = phi + bias<"n_mu"> + bias<"number"> + bias<"nu_">);
    BOTH(print<sluice::notation::latex>(lines).view() == R"(\begin{aligned}
\lambda_{\mathrm{f}} &= \phi \odot \nu + x \, W_{\phi} \\
\phi' &= \phi_{\mathrm{t-2}} \, W_{\Sigma_{\mathrm{x}}} + \lambda_{\mathrm{f}} \\
\phi_{\mathrm{t-2}}' &= \phi \\
\mathrm{output} &= \phi + n_{\mu} + \mathrm{number} + \mathrm{nu\_}
\end{aligned}
)");
    BOTH(print(lines).view() == "lambda_f = phi . nu + x W_phi\nnext(phi) = phi_t-2 W_Sigma_x + lambda_f\n"
                                "next(phi_t-2) = phi\noutput = phi + n_mu + number + nu_\n");
}

TEST_CASE("print: squares in LaTeX have brackets where they change something") {
    constexpr auto latex = [](auto e) {
        auto const all = print<sluice::notation::latex>(sluice::lines(f = tanh(h), next(h) = e));
        std::string_view const lines = all.view();
        std::size_t const begin = lines.find("h' &= ") + 6;
        return lines.substr(begin, lines.find('\n', begin) - begin);
    };
    BOTH(latex(square(h) * f) == R"(h^{2} \odot f)");
    BOTH(latex(square(f)) == "f^{2}");
    BOTH(latex(f * p<"w"> * square(p<"w">)) == R"(f \odot p_{\mathrm{w}} \odot p_{\mathrm{w}}^{2})");
    BOTH(latex(square(h + f)) == R"(\left(h + f\right)^{2})");
    BOTH(latex(f * square(square(h))) == R"(f \odot \left(h^{2}\right)^{2})");
    BOTH(latex(f * square(tanh(h))) == R"(f \odot f^{2})");
    BOTH(latex(f * square(-1_n * h)) == R"(f \odot \left((-1) \odot h\right)^{2})");
    BOTH(latex(f * square(1e-7_n)) == R"(f \odot \left(10^{-7}\right)^{2})");
}

TEST_CASE("print: powers of ten in LaTeX") {
    constexpr auto latex = [](auto line) { return print<sluice::notation::latex>(sluice::lines(line)); };
    BOTH(latex(next(h) = 1e-5_n * h).view() == "\\begin{aligned}\nh' &= 10^{-5} \\odot h\n\\end{aligned}\n");
    BOTH(latex(next(h) = 2.5e20_n * h).view() ==
         "\\begin{aligned}\nh' &= 2.5 \\cdot 10^{20} \\odot h\n\\end{aligned}\n");
    BOTH(latex(next(h) = 0.5_n * h).view() == "\\begin{aligned}\nh' &= 0.5 \\odot h\n\\end{aligned}\n");
}

TEST_CASE("print: side by side, slices, transposed and summed matrices, reductions, division") {
    BOTH(print(sluice::lines(f = concat(x, h) * W<"f", units>, g = slice<1, units>(concat(h, f)),
                             next(h) = g / (f + 2_n) * (f / g)))
             .view() == "f = [x, h] W_f\ng = [h, f][1 : units + 1]\nnext(h) = g / (f + 2) . (f / g)\n");
    BOTH(print(sluice::lines(f = h * transposed(R<"f">) + x * (W<"a"> - 2_n * W<"b">),
                             next(h) = f * sum(f) + mean(h) * scalar<"alpha"> - max(f, h)))
             .view() == "f = h R_f^T + x (W_a - 2 . W_b)\n"
                        "next(h) = f . sum(f) + mean(h) . alpha - max(f, h)\n");
}

/// A function with a name that no notation can take as it is, and one with a sign.
struct hostile {
    static constexpr std::string_view name = R"(a"b\c_%{}^~&#$)";
    template <class T>
    static T value(T a, T b) {
        return a + b;
    }
    static constexpr auto derivative(auto, auto, auto) { return each(1_n, 1_n); }
};
struct power : hostile {
    static constexpr std::string_view name = "power", sign = "**";
    static constexpr int strength = 2;
};

TEST_CASE("print: names of a user are escaped where a notation needs it") {
    BOTH(line_of(apply<hostile>(h, h)).view() == R"(next(h) = a"b\c_%{}^~&#$(h, h))"
                                                 "\n");
    BOTH(print<sluice::notation::latex>(sluice::lines(next(h) = apply<hostile>(h, x * W<"a%b">))).view() ==
         R"(\begin{aligned}
h' &= \operatorname{a"b\backslash{}c\_\%\{\}\wedge{}\sim{}\&\#\$}(h, x \, W_{\mathrm{a\%b}})
\end{aligned}
)");
    BOTH(print_graph(sluice::lines(next(h) = apply<hostile>(h, h)))
             .view()
             .find(R"([label="next h: a\"b\\c_%{}^~&#$"];)") != std::string_view::npos);
    BOTH(line_of(apply<power>(apply<power>(h, h), h) * apply<power>(h, h + h)).view() ==
         "next(h) = h ** h ** h . (h ** (h + h))\n");
}

TEST_CASE("print: a graph for Graphviz") {
    BOTH(print_graph(sluice::lines(f = x * W<"f">, next(h) = (1 - h) * f)).view() ==
         R"(digraph cell {
  rankdir=LR;
  n0 [label="x", shape=box];
  n1 [label="W_f", shape=box];
  n2 [label="h", shape=box];
  n3 [label="1", shape=box];
  n4 [label="f: *"];
  n0 -> n4;
  n1 -> n4;
  n5 [label="-"];
  n3 -> n5 [label="1"];
  n2 -> n5 [label="2"];
  n6 [label="next h: ."];
  n5 -> n6;
  n4 -> n6;
}
)");
}

TEST_CASE(
    "print: conditions bind as in C++, and LaTeX has its own signs for roots, squares and absolute values") {
    constexpr auto lines = sluice::lines(
        f = (h > 0.5_n && h * h <= 1) || !(h < x * W<"f">),
        next(h) = where(f, sqrt(1 + square(h)), rsqrt(1 + abs(h - 1))) * pow(reciprocal(h), 1.5_n) - elu(h));
    BOTH(print(lines).view() == "f = h > 0.5 && h . h <= 1 || !(h < x W_f)\n"
                                "next(h) = where(f, sqrt(1 + square(h)), rsqrt(1 + abs(h - 1))) . "
                                "pow(reciprocal(h), 1.5) - elu(h)\n");
    BOTH(print<sluice::notation::latex>(lines).view() == R"(\begin{aligned}
f &= h > 0.5 \wedge h \odot h \leq 1 \vee \neg (h < x \, W_{\mathrm{f}}) \\
h' &= \operatorname{where}(f, \sqrt{1 + h^{2}}, \tfrac{1}{\sqrt{1 + \left|h - 1\right|}}) \odot \operatorname{pow}(\tfrac{1}{h}, 1.5) - \operatorname{elu}(h)
\end{aligned}
)");
}

TEST_CASE("print: a delay as its states") {
    constexpr auto lines = sluice::lines(next(c) = tanh(delay<2>(x) * W<"f">) + c);
    BOTH(print(lines).view() == "next(c) = tanh(x_t-2 W_f) + c\nnext(x_t-1) = x\nnext(x_t-2) = x_t-1\n");
    BOTH(print<sluice::notation::latex>(lines).view() == R"(\begin{aligned}
c' &= \tanh(x_{\mathrm{t-2}} \, W_{\mathrm{f}}) + c \\
x_{\mathrm{t-1}}' &= x \\
x_{\mathrm{t-2}}' &= x_{\mathrm{t-1}}
\end{aligned}
)");
}

TEST_CASE("print: where states start") {
    constexpr auto lines = sluice::lines(initial(c) = p<"c">, next(c) = tanh(x * W<"c">) * c);
    BOTH(print(lines).view() == "initial(c) = p_c\nnext(c) = tanh(x W_c) . c\n");
    BOTH(print<sluice::notation::latex>(lines).view() == R"(\begin{aligned}
c^{(0)} &= p_{\mathrm{c}} \\
c' &= \tanh(x \, W_{\mathrm{c}}) \odot c
\end{aligned}
)");
}

TEST_CASE("print: strings of Graphviz have no quotes and no ends of lines in them") {
    sluice::text out;
    sluice::detail::write_escaped_for_dot(out, "a \"b\" \\ c\nd");
    CHECK(out.view() == "a \\\"b\\\" \\\\ c\\nd");
}

} // namespace print_test
