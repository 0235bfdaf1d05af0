// SPDX-License-Identifier: BSL-1.0
// How LaTeX writes names, signs and functions.
#pragma once

#include <sluice/core/text.hpp>
#include <string_view>

namespace sluice::detail {

/// What LaTeX writes for the signs and functions that it knows.
struct latex_word {
    std::string_view plain;
    std::string_view latex;
};
inline constexpr latex_word latex_words[] = {
    {".", "\\odot"},    {"*", "\\odot"},  {"/", "\\oslash"}, {"sigmoid", "\\sigma"},
    {"tanh", "\\tanh"}, {"exp", "\\exp"}, {"log", "\\log"},  {"sin", "\\sin"},
    {"cos", "\\cos"},   {"max", "\\max"}, {"min", "\\min"},  {"sum", "\\textstyle\\sum"},
    {">", ">"},         {"<", "<"},       {">=", "\\geq"},   {"<=", "\\leq"},
    {"&&", "\\wedge"},  {"||", "\\vee"},  {"!", "\\neg "}};

/// How LaTeX writes a function of one operand in brackets of its own.
struct latex_brackets {
    std::string_view name, before, behind;
};
inline constexpr latex_brackets latex_functions[] = {{"sqrt", "\\sqrt{", "}"},
                                                     {"abs", "\\left|", "\\right|"},
                                                     {"norm", "\\left\\|", "\\right\\|"},
                                                     {"square", "\\left(", "\\right)^{2}"},
                                                     {"reciprocal", "\\tfrac{1}{", "}"},
                                                     {"rsqrt", "\\tfrac{1}{\\sqrt{", "}}"}};

/// The Greek letters for which LaTeX has a command of the same name.
inline constexpr std::string_view greek_letters[] = {
    "alpha",   "beta", "gamma", "delta", "epsilon", "zeta",     "eta",    "theta",    "iota",      "kappa",
    "lambda",  "mu",   "nu",    "xi",    "pi",      "rho",      "sigma",  "tau",      "upsilon",   "phi",
    "chi",     "psi",  "omega", "Gamma", "Delta",   "Theta",    "Lambda", "Xi",       "Pi",        "Sigma",
    "Upsilon", "Phi",  "Psi",   "Omega", "varphi",  "vartheta", "varrho", "varsigma", "varepsilon"};

constexpr bool is_greek(std::string_view word) {
    for (std::string_view letter : greek_letters)
        if (word == letter)
            return true;
    return false;
}

constexpr void write_escaped_for_latex(text& out, std::string_view letters) {
    for (char c : letters)
        if (c == '\\' || c == '^' || c == '~')
            out << (c == '\\' ? "\\backslash{}" : c == '^' ? "\\wedge{}" : "\\sim{}");
        else if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
            out << '\\' << c;
        else
            out << c;
}

/// A name. A Greek letter is its command, another letter stands for itself, and a longer word stands upright;
/// what follows a letter and `_` is its index: W_r is W_{\mathrm{r}}, lambda_f is \lambda_{\mathrm{f}}, W_phi
/// is W_{\phi}. In an index every letter stands upright.
constexpr void write_name_for_latex(text& out, std::string_view name, bool is_index = false) {
    std::size_t const dash = name.find('_');
    std::string_view head = name.substr(0, dash);
    bool const has_index = dash != std::string_view::npos && dash + 1 < name.size() &&
                           (is_greek(head) || (dash == 1 && !is_index));
    if (!has_index)
        head = name;
    bool const upright = !is_greek(head) && (is_index || head.size() > 1);
    out << (upright ? "\\mathrm{" : is_greek(head) ? "\\" : "");
    write_escaped_for_latex(out, head);
    out << (upright ? "}" : "");
    if (!has_index)
        return;
    out << "_{";
    write_name_for_latex(out, name.substr(dash + 1), true);
    out << '}';
}

/// 2.5e-7 is 2.5 \cdot 10^{-7}, and 1e-7 is 10^{-7}.
constexpr void write_number_for_latex(text& out, double value) {
    text all;
    all << value;
    std::string_view const figures = all;
    std::size_t const e = figures.find('e');
    bool const is_power = e != std::string_view::npos, is_one = figures.substr(0, e) == "1";
    if (!is_one || !is_power)
        out << figures.substr(0, e);
    if (is_power)
        out << (is_one ? "" : " \\cdot ") << "10^{" << figures.substr(e + 1) << '}';
}

} // namespace sluice::detail
