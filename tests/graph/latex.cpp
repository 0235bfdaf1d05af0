// SPDX-License-Identifier: BSL-1.0
// Names in LaTeX: letters, words, Greek, indices of indices, and letters that LaTeX would act on.
#include <sluice/graph/print/latex.hpp>
#include <string>
#include <support/both.hpp>

namespace latex_test {

using sluice::detail::is_greek;

namespace {

std::string name(std::string_view letters) {
    sluice::text out;
    sluice::detail::write_name_for_latex(out, letters);
    return std::string(out.view());
}
std::string escaped(std::string_view letters) {
    sluice::text out;
    sluice::detail::write_escaped_for_latex(out, letters);
    return std::string(out.view());
}

} // namespace

TEST_CASE("latex: a letter stands for itself, a word stands upright, a Greek one is a command") {
    CHECK(name("h") == "h");
    CHECK(name("gain") == "\\mathrm{gain}");
    CHECK(name("lambda") == "\\lambda");
    CHECK(name("Omega") == "\\Omega");
    CHECK(name("Alpha") == "\\mathrm{Alpha}"); // LaTeX has no such command
    CHECK(name("varphi") == "\\varphi");
    CHECK(name("x1") == "\\mathrm{x1}");
    BOTH(is_greek("xi"));
    BOTH(!is_greek("x"));
    BOTH(!is_greek(""));
}

TEST_CASE("latex: what follows a letter or a Greek name is its index, in which letters stand upright") {
    CHECK(name("W_r") == "W_{\\mathrm{r}}");
    CHECK(name("lambda_f") == "\\lambda_{\\mathrm{f}}");
    CHECK(name("W_phi") == "W_{\\phi}");
    CHECK(name("W_alpha_r") == "W_{\\alpha_{\\mathrm{r}}}");
    CHECK(name("W_a_b") == "W_{\\mathrm{a\\_b}}");
    CHECK(name("W_update_gate") == "W_{\\mathrm{update\\_gate}}");
}

TEST_CASE("latex: a word has no index, and neither has a name that ends with its sign") {
    CHECK(name("update_gate") == "\\mathrm{update\\_gate}");
    CHECK(name("W_") == "\\mathrm{W\\_}");
    CHECK(name("_") == "\\_");
    CHECK(name("_f") == "\\mathrm{\\_f}");
    CHECK(name("beta_") == "\\mathrm{beta\\_}");
}

TEST_CASE("latex: what LaTeX would act on is escaped") {
    CHECK(escaped("a%b&c#d$e_f{g}") == "a\\%b\\&c\\#d\\$e\\_f\\{g\\}");
    CHECK(escaped("\\^~") == "\\backslash{}\\wedge{}\\sim{}");
    CHECK(escaped("").empty());
    CHECK(name("x_t-1") == "x_{\\mathrm{t-1}}");
}

} // namespace latex_test
