// SPDX-License-Identifier: BSL-1.0
// The book's pages of a few cells.
#include <catalogue/conventions.hpp>
#include <catalogue/page.hpp>
#include <doctest/doctest.h>
#include <filesystem>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/echo_state.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/janet.hpp>
#include <sluice/cells/lmu.hpp>
#include <sluice/cells/lstm.hpp>

namespace book_test {

using namespace catalogue_test;

namespace {

std::string const& conventions_of(std::string const& cell, std::size_t number) {
    static auto const all = list_conventions();
    auto const [first, last] = all.equal_range(cell);
    REQUIRE(number < static_cast<std::size_t>(std::distance(first, last)));
    return std::next(first, static_cast<std::ptrdiff_t>(number))->second;
}

template <class Page>
std::string page(std::map<std::string, std::string> speeds = {}) {
    return page_of(facts_of<Page>(), {SLUICE_SOURCE, list_conventions(), std::move(speeds), {"LMU"}});
}

/// Whether all of these stand in a text, one after the other.
bool has(std::string const& text, std::initializer_list<std::string_view> parts) {
    std::size_t at = 0;
    for (std::string_view const part : parts) {
        std::size_t const found = text.find(part, at);
        if (found == text.npos) {
            MESSAGE("not there: " << std::string(part));
            return false;
        }
        at = found + part.size();
    }
    return true;
}

} // namespace

TEST_CASE("book: the page of a cell says what the cell is, in its order") {
    CHECK(has(page<sluice::gru>(),
              {"# GRU\n",
               "`sluice::gru`, `#include <sluice/cells/gru.hpp>`",
               "[arXiv 1406.1078v3](https://arxiv.org/abs/1406.1078v3)",
               "the reset gate acts before",
               "```text\n  r  = sigmoid(x W_r + h R_r + b_r)",
               "## Equations",
               "```math\n\\begin{aligned}\nr &= \\sigma(x",
               "\\end{aligned}\n```",
               "next(h) = u . h + (1 - u) . n",
               "```cpp\ntemplate <class Activation>\nstruct gru_with {",
               "n       = apply<Activation>(",
               "struct gru : gru_with<activation::tanh> {};\n```",
               "## Graph",
               "```dot\ndigraph cell {",
               "## Sizes",
               "| input | `x` | input = 64 | |",
               "| state | `h` | units = 128 | starts at 0 |",
               "| output | | units = 128 | |",
               "## Parameters",
               "| `W_r` | [input, units] | [64, 128] | 8192 | Glorot uniform, as a part of [192, 256] |",
               "| `b_r` | [units] | [128] | 128 | at 1 |",
               "Together 74112 numbers are trained",
               "## Recurrence",
               "nonlinear: r is sigmoid of what depends on a state",
               "## Operations",
               "| before the loop, all steps at once | 49152 | 0 |",
               "| in the loop | 98304 | 1792 |",
               "Together 149248 floating",
               "## Speed",
               "Not measured",
               "## Weights from elsewhere",
               "`layout::keras_gru_reset_before`",
               "## Plans",
               "forward\n  before the loop\n",
               "backward\n  saved\n",
               "after the loop"}));
}

TEST_CASE("book: matrix states, groups and affine recurrences have their words") {
    std::string const text = page<sluice::delta_net>();
    CHECK(has(text, {"| state | `S` | ", "diagonal plus low rank. The state is multiplied",
                     "No framework's files"}));
}

TEST_CASE("book: settings with and without a default, fixed parameters, and numbers of their own") {
    CHECK(has(page<sluice::janet>(), {"| setting | `beta` | | 1 where nothing is said |"}));
    CHECK(has(page<sluice::echo_state>(),
              {"| `R_h` | [units, units] | [128, 128] | 16384 | uniform from -0.137784 to "
               "0.137784; never trained |",
               "| `W_y` |", "Glorot uniform |"}));
    CHECK(has(page<sluice::lmu>(), {"# LMU, lmu\n", "| `A` | ", "; never trained |"}));
}

TEST_CASE("book: conventions come from the library's list, those of a plain network for both functions") {
    CHECK(conventions_of("lstm", 0) ==
          "`layout::pytorch_lstm`: PyTorch LSTM, of `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`.");
    CHECK(conventions_of("tanh_rnn", 0).starts_with("`layout::pytorch_rnn<>`: PyTorch RNN"));
    CHECK(conventions_of("relu_rnn", 0).starts_with("`layout::pytorch_rnn<relu_rnn>`: PyTorch RNN"));
}

TEST_CASE("book: speeds are those of the table, with how they were measured") {
    auto const speeds = read_speeds("# One thread.\n# So measured.\ncell,one,sixteen\ngru,12345.6,789\n");
    CHECK(speeds.size() == 2);
    CHECK(speeds.at("") == "One thread. So measured.");
    CHECK(has(page<sluice::gru>(speeds),
              {"With 256 inputs and units: 12.3 µs a step of one row, 789 ns a step and row in a "
               "batch of 16. One thread. So measured.\n"}));
}

TEST_CASE("book: what Markdown would read as signs is escaped, outside of formulas") {
    CHECK(in_markdown("a * b_c <d> | `a_b <c>`") == "a \\* b\\_c &lt;d&gt; &#124; `a_b <c>`");
    CHECK(prose_of("GRU, a cell\nof gates:\n\n  r = s * h\n\n  u = h\n\nThe end, arXiv 1234.56789.\n") ==
          "GRU, a cell\nof gates:\n\n\n```text\n  r = s * h\n\n  u = h\n```\n\n\nThe end, [arXiv "
          "1234.56789](https://arxiv.org/abs/1234.56789).\n");
    CHECK(prose_of("A page.\n\n  x = y\n") == "A page.\n\n\n```text\n  x = y\n```\n");
}

TEST_CASE("book: the struct of a page comes with those of its header that it is made of") {
    header_text const header(SLUICE_SOURCE, "projected_lstm");
    CHECK(header.name == "sluice/cells/lstm.hpp");
    std::string const code = header.code("projected_lstm");
    CHECK(code.starts_with("template <class Activation"));
    CHECK(
        has(code, {"struct lstm_with {",
                   "\n};\n\nstruct projected_lstm : lstm_with<activation::tanh, false, true> {", "\n};\n"}));
    CHECK(code.find("peephole_lstm") == code.npos);
    CHECK(header_text(SLUICE_SOURCE, "no_such_cell").name.empty());
}

} // namespace book_test
