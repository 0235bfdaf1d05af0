// SPDX-License-Identifier: BSL-1.0
// How widths, names and expressions are written: brackets where they are needed and nowhere else, in text and
// in LaTeX.
#include <doctest/doctest.h>
#include <sluice/graph/print/notation.hpp>
#include <support/graph_text.hpp>

namespace notation_test {

using sluice::notation;

namespace {

constexpr char const* leaves = R"(
    a = input [T B 3]
    b = state [T B 3]
    c = state [T B 3]
    W_r = parameter [3 x 3]
    G = parameter [3: 3 x 3]
    gain = setting []
)";

/// The last node of these lines, as an expression.
std::string written(std::string const& text, notation how = notation::text) {
    sluice::graph const g = graph_text::graph_of(leaves + text);
    sluice::detail::printer out(g.seen(), how);
    out.expression(g.size() - 1);
    return std::string(out.out.view());
}
std::string latex(std::string const& text) {
    return written(text, notation::latex);
}
/// A sum of widths, with signs.
std::string widths(std::initializer_list<std::pair<char const*, int>> parts) {
    sluice::graph g;
    sluice::detail::width_sum sum;
    for (auto const& [called, times] : parts) {
        bool const is_number = *called >= '0' && *called <= '9';
        sum.add(g.seen(),
                g.intern(is_number ? sluice::width(std::stoul(called))
                                   : sluice::width_called(sluice::name(std::string_view(called)))),
                times);
    }
    sluice::text out;
    sum.write(out, g.seen());
    return std::string(out.view()) + (sum.is_zero() ? " (nothing)" : "");
}

} // namespace

TEST_CASE("notation: widths are added up, each symbol with how often it is there") {
    CHECK(widths({{"units", 1}}) == "units");
    CHECK(widths({{"units", 2}, {"projection", 1}, {"3", 1}}) == "2 units + projection + 3");
    CHECK(widths({{"units", -1}, {"3", -2}}) == "-units - 6");
    CHECK(widths({{"units", 1}, {"5", 1}, {"units", -1}}) == "5");
    CHECK(widths({{"units", 1}, {"units", -1}}) == "0 (nothing)");
    CHECK(widths({}) == "0 (nothing)");
}

TEST_CASE("notation: brackets stand where a sign binds less than the one around it") {
    std::string const sum = "v = add a b [T B 3]\n", difference = "w = subtract a b [T B 3]\n";
    CHECK(written(sum + "x = multiply v c [T B 3]") == "(a + b) . c");
    CHECK(written(sum + "x = add v c [T B 3]") == "a + b + c");
    CHECK(written(sum + "x = add c v [T B 3]") == "c + a + b");
    CHECK(written(sum + "x = subtract c v [T B 3]") == "c - (a + b)");
    CHECK(written(difference + "x = add c w [T B 3]") == "c + (a - b)");
    CHECK(written(difference + "x = subtract w c [T B 3]") == "a - b - c");
    CHECK(written("v = multiply a b [T B 3]\n x = divide c v [T B 3]") == "c / (a . b)");
    CHECK(written("v = negate a [T B 3]\n x = add b v [T B 3]") == "b + (-a)");
    CHECK(written(sum + "x = negate v [T B 3]") == "-(a + b)");
    CHECK(written("n = number -2 []\n x = multiply n a [T B 3]") == "(-2) . a");
    CHECK(written(sum + "x = sigmoid v [T B 3]") == "sigmoid(a + b)");
}

TEST_CASE("notation: products with matrices, of sums and of functions, dense and in groups") {
    CHECK(written("x = product a W_r [T B 3]") == "a W_r");
    CHECK(written("v = add a b [T B 3]\n x = product v W_r [T B 3]") == "(a + b) W_r");
    CHECK(written("v = multiply a b [T B 3]\n x = product v W_r [T B 3]") == "(a . b) W_r");
    CHECK(written("v = product a W_r [T B 3]\n x = product v W_r [T B 3]") == "a W_r W_r");
    CHECK(written("x = product a G [T B 3]") == "a (x) G");
    CHECK(written("t = transpose W_r [3 x 3]\n x = product a t [T B 3]") == "a W_r^T");
    CHECK(latex("t = transpose W_r [3 x 3]\n x = product a t [T B 3]") == "a \\, W_{\\mathrm{r}}^\\top");
    CHECK(latex("x = product a G [T B 3]") == "a \\boxtimes G");
}

TEST_CASE("notation: parts side by side, and parts of them") {
    CHECK(written("x = concat a b [T B 6]") == "[a, b]");
    CHECK(written("M = concat W_r W_r [3 x 6]") == "[W_r W_r]");
    CHECK(written("v = concat a b [T B 6]\n x = slice v from 2 [T B 3]") == "[a, b][2 : 5]");
    CHECK(written("v = add a b [T B 3]\n x = slice v [T B 1]") == "(a + b)[0 : 1]");
    // the part of a product that one of its matrices makes is a product with that
    CHECK(written("V = parameter [3 x 2]\n M = concat W_r V [3 x 5]\n v = product a M [T B 5]\n x = slice v "
                  "from 3 [T B 2]") == "a V");
    CHECK(latex("v = concat a b [T B 6]\n x = slice v from 2 [T B 3]") == "[a, b][\\text{2 : 5}]");
}

TEST_CASE("notation: numbers and functions in LaTeX") {
    CHECK(latex("n = number 2.5e-7 []") == "2.5 \\cdot 10^{-7}");
    CHECK(latex("n = number 1e-7 []") == "10^{-7}");
    CHECK(latex("n = number 0.5 []") == "0.5");
    CHECK(written("n = number 1e-7 []") == "1e-7");
    CHECK(latex("x = sigmoid a [T B 3]") == "\\sigma(a)");
    CHECK(latex("x = relu a [T B 3]") == "\\operatorname{relu}(a)");
    CHECK(latex("x = multiply gain a [T B 3]") == "\\mathrm{gain} \\odot a");
    CHECK(latex("x = divide a b [T B 3]") == "a \\oslash b");
    CHECK(written("x = sum a [T B]") == "sum(a)");
    CHECK(written("x = cumsum a [T B 3]") == "cumsum(a)");
    CHECK(written("x = reverse_cumsum a [T B 3]") == "reverse_cumsum(a)");
    CHECK(written("x = sum a groups 3 [T B 3]") == "sum<3>(a)");
}

} // namespace notation_test
