// SPDX-License-Identifier: BSL-1.0
// Writes docs/language.md out of the language itself: what a word is, from the comment on it; how it is
// printed and its derivative, as the library prints them; shapes, as the library finds them.
// SLUICE_REWRITE_GOLDEN=1 writes the file, otherwise it is compared. No word of vocabulary.hpp is left out.
#include <cctype>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/rules.hpp>
#include <sluice/sluice.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "own_names.hpp"

namespace language_test {

using namespace sluice::equation;

namespace {

std::string read(std::filesystem::path const& path) {
    std::ifstream file(path);
    REQUIRE_MESSAGE(file, path.native() << " is missing");
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
}

/// The headers that define words and functions, one after the other.
std::string const& headers() {
    static std::string const all = [] {
        std::string text;
        for (char const* header :
             {"vocabulary", "composed", "operation", "elementary", "comparison", "activation", "reduction"})
            text += read(std::filesystem::path(SLUICE_SOURCE) / "include/sluice/expr" /
                         (std::string(header) + ".hpp"));
        return text;
    }();
    return all;
}

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The comment, ///, in front of the declaration that begins at a place of the headers, as one line.
std::string comment_before(std::size_t place) {
    std::string const& text = headers();
    std::string all;
    for (std::size_t end = text.rfind('\n', place); end != text.npos && end > 0;) {
        std::size_t const begin = text.rfind('\n', end - 1) + 1;
        std::string const line = text.substr(begin, end - begin);
        if (line.starts_with("///"))
            all = line.substr(3) + all;
        else if (line.empty() || line.ends_with('}') || line.ends_with(';') || line.starts_with("//"))
            break;
        end = begin - 1;
    }
    return all.empty() ? all : all.substr(1);
}

/// What a word is: the comment on it, or else on the function that it stands for.
std::string meaning_of(std::string const& word, std::string const& function) {
    std::string const& text = headers();
    std::regex const declared("(^|\n)[^\n/]*constexpr [^\n(]*\\b" + word + "\\(");
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
        std::size_t const begin = static_cast<std::size_t>(at->position()) + (at->str(1).empty() ? 0 : 1);
        if (std::string const comment = comment_before(begin); text[begin] != ' ' && !comment.empty())
            return comment;
    }
    std::size_t const there = text.find("\nstruct " + function + " ");
    return there == text.npos ? "" : comment_before(there + 1);
}

/// The name of the struct that an expression is a function of, or nothing.
template <class F, expression... E>
std::string function_of(function_term<F, E...>) {
    std::string_view const all = __PRETTY_FUNCTION__;
    std::size_t const begin = all.find("F = ") + 4;
    std::string_view const whole = all.substr(begin, all.find_first_of(";,]", begin) - begin);
    return std::string(whole.substr(whole.rfind(':') + 1));
}
template <class F, class Groups, expression E>
std::string function_of(grouped_reduction_term<F, Groups, E>) {
    return function_of(function_term<F, E>{});
}
template <class E>
std::string function_of(E) {
    return "";
}

std::string escaped(std::string text) {
    for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2))
        text.insert(at, "\\");
    return text;
}
std::string in_code(std::string const& text) {
    return "`" + escaped(text) + "`";
}

constexpr auto z = input<"z", units>;
constexpr auto a = input<"a", units>;
constexpr auto S = outer(z, a);
constexpr auto corrected = [](auto T, auto) { return T + outer(z, a - z * T); };

template <class Lines>
struct page {
    static constexpr Lines equations{};
};
template <expression E>
using page_of = page<sluice::equation_set<decltype(output = E{})>>;

std::string without(std::string text, std::string_view what) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what))
        text.erase(at, what.size());
    return text;
}

/// The lines of a print, side by side.
std::string in_one_line(std::string text) {
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n'))
        text.replace(at, 1, ", ");
    return text;
}

template <expression E>
std::string formula_of(E) {
    return in_one_line(without(std::string(sluice::print<page_of<E>>().view()), "output = "));
}
template <expression E>
std::string gradient_of(E) {
    using passes = sluice::passes<page_of<E>>;
    sluice::gradient const d =
        sluice::differentiate(passes::graph, sluice::derivative_rules(typename passes::operations{}));
    std::string lines(sluice::print_equations(d.whole.seen()).view());
    std::size_t const own = lines.find("output =");
    lines.erase(own, lines.find('\n', own) + 1 - own);
    return in_one_line(lines);
}
struct page_writer {
    std::ostringstream out{};
    std::set<std::string> words{};

    void note(std::string const& spelling) {
        for (std::size_t at = 0; at < spelling.size();)
            if (is_letter(spelling[at])) {
                std::size_t end = at;
                while (end < spelling.size() && is_letter(spelling[end]))
                    ++end;
                words.insert(spelling.substr(at, end - at));
                at = end;
            } else
                ++at;
    }
    void begin(char const* heading, char const* text, char const* columns) {
        out << "\n## " << heading << "\n\n" << text << "\n\n" << columns << '\n';
        for (char const* c = columns; *c != 0; ++c)
            if (*c == '|')
                out << (c[1] != 0 ? "| --- " : "|\n");
    }
    void term(std::string const& spelling, char const* text, char const* shape) {
        note(spelling);
        out << "| " << in_code(spelling) << " | " << text << " | " << shape << " |\n";
    }
    template <expression E>
    void function(std::string const& spelling, E e) {
        note(spelling);
        bool const is_call = is_letter(spelling[1]);
        std::string const word = spelling.substr(0, spelling.find_first_of("(<"));
        std::string const meaning = meaning_of(is_call ? word : "no word", function_of(e));
        CAPTURE(word);
        CHECK(!meaning.empty());
        std::string const printed = formula_of(e);
        out << "| " << in_code(spelling) << " | " << escaped(meaning) << " | " << in_code(printed) << " | "
            << in_code(gradient_of(e)) << " |\n";
    }
};
#define TERM(TEXT, SHAPE, ...)                                                                               \
    (void)(__VA_ARGS__);                                                                                     \
    w.term(#__VA_ARGS__, TEXT, SHAPE)
#define WORD(...) w.function(#__VA_ARGS__, __VA_ARGS__)

/// The code of own_names.hpp, from its namespace on.
std::string example() {
    std::string const all = read(std::filesystem::path(SLUICE_SOURCE) / "tests/language/own_names.hpp");
    return without(without(all.substr(all.find("namespace")), "// clang-format off\n"),
                   "// clang-format on\n");
}

constexpr double dt = 0.125;
constexpr char const* columns = "| word | what it is | printed | derivative |";

page_writer written() {
    page_writer w;
    w.out << "<!-- tests/language writes this page, with SLUICE_REWRITE_GOLDEN=1. -->\n"
             "# The language of equations\n\n"
             "A cell is a list of lines: `f = ...` names a part, a gate, `next(c) = ...` updates a state, "
             "`output = ...` is what a step gives,\n"
             "and `initial(h) = vector<\"h0\">` is where a state starts. Inputs are `x` and "
             "`input<\"context\">`, states `h` and `state<\"c\">`. Matrices are\n"
             "`W<\"f\">`, `R<\"f\">`, `matrix<\"K\">`, also `grouped` and `transposed`; vectors are added "
             "(`b<\"f\">`) or multiply (`p<\"f\">`);\n"
             "`scalar<\"alpha\">` is trained, `setting<\"dt\">` and `fixed(...)` are not; numbers are "
             "`0.5_n`, the plain `1`, and `number<dt>` of a\n"
             "constant. `*` with a matrix on the right is the product, everything else is element by "
             "element. `apply<F>` and `reduce<F>` take\n"
             "functions of your own, which are structs as `include/sluice/expr/operation.hpp` shows.\n"
             "\n"
             "These are all words of `sluice/expr/vocabulary.hpp` and `composed.hpp`. What is printed and "
             "the derivatives are "
             "the library's own; `d(z)` is the\n"
             "gradient of z, and `d(output)` that of the value.\n";
    w.begin("Terms", "One row of a batch has the width in the brackets; parameters have no batch.",
            "| word | what it is | shape |");
    TERM("the input", "[batch, input]", x);
    TERM("the input, of another width", "[batch, 3]", input_of<3>);
    TERM("an input of one number for each row", "[batch, 1]", input_number<"dt">);
    TERM("an input of its own name, as wide as the size of that name", "[batch, context]", input<"context">);
    TERM("and of a width of its own", "[batch, 7]", input<"pitch", 7>);
    TERM("the state", "[batch, units]", h);
    TERM("a state of its own name and width", "[batch, projection]", state<"m", projection>);
    TERM("a matrix in each row of the batch; outside of the equations it is a vector, its rows one after the "
         "other",
         "[batch, keys x values]", state<"S", size<"keys">, size<"values">>);
    TERM("one matrix for each group, or head", "[batch, keys x values / groups]",
         state<"S", size<"keys">, size<"values">, groups>);
    TERM("a contraction: the sum over i of h_i S_ij", "[batch, values]",
         h * state<"S", units, size<"values">>);
    TERM("from the other side: the sum over j of S_ij h_j", "[batch, keys]",
         state<"S", size<"keys">, units> * h);
    TERM("each row times a matrix, in groups that of its group: the sum over j of S_ij R_jc",
         "[batch, keys x columns / groups]",
         state<"S", size<"keys">, size<"values">, groups> * grouped(R<"s">));
    TERM("a part of the equations that has a name; `constexpr auto f = gate<\"f\">`", "of its definition",
         gate<"f">);
    TERM("a state after the step; its equation, and an operand anywhere else", "of the state", next(h));
    TERM("where a state starts if the caller does not say; its equation is a vector, such as "
         "`initial(h) = vector<\"h0\">`",
         "of the state", initial(h));
    TERM("what a step returns; without an equation the next h, or the only next state", "of its definition",
         output);
    TERM("the weights of the input, W_f: `x * W<\"f\">` is a product", "[input, units]", W<"f">);
    TERM("the weights of the state, R_f", "[units, units]", R<"f">);
    TERM(
        "of one feature: `x * W<\"f\", 1>` is a number of each row, which meets any width, and so is a state "
        "of one feature",
        "[input, 1]", W<"f", 1>);
    TERM("weights of any name; widths follow from what stands beside, or are given", "[rows, 10]",
         matrix<"M", 10>);
    TERM("a matrix for each group of features, and one number of groups for all of a cell",
         "[groups, rows / groups, columns / groups]", grouped(W<"f">));
    TERM("the transpose of a matrix", "[columns, rows]", transposed(R<"f">));
    TERM("a vector that is added, b_f", "[units]", b<"f">);
    TERM("one of any name", "[units]", bias<"shift">);
    TERM("a vector that multiplies, p_f, such as a peephole", "[units]", p<"f">);
    TERM("one of any name", "[units]", vector<"scale">);
    TERM("a number that is trained", "[]", scalar<"alpha">);
    TERM("how many features z has; `features<groups>(z)` of how many each group has", "[]", features(z));
    TERM("numbers that meet a matrix value, one in each place", "[keys x values / groups]",
         elements<"A", size<"keys">, size<"values">, groups>);
    TERM("a parameter that is given its value and never trained", "of the parameter", fixed(matrix<"A">));
    TERM("a number that the cell is given when it is made", "[]", setting<"forget_bias">);
    TERM("one with a default", "[]", setting<"dt">(0.1_n));
    TERM("a number; a plain 1 needs no suffix", "[]", 0.5_n);
    TERM("the number of a constant, `constexpr double dt = 0.125`", "[]", number<dt>);
    TERM("features side by side", "[batch, input + units]", concat(x, h));
    TERM("so many features, from one on", "[batch, 3]", slice<units, 3>(x));
    TERM("x two steps ago; the library makes the states x_t-1 and x_t-2, which start with 0",
         "[batch, input]", delay<2>(x));
    TERM("h of the step before the one before: h by itself is the last step's", "[batch, units]",
         delay<1>(h));
    TERM("a gate three steps ago, of so many units", "[batch, units]", delay<3, units>(gate<"f">));
    TERM("a size of a cell's own, given as `.own = {{\"context\", 7}}`; `units` and `projection` are others, "
         "and "
         "`size<\"input\">` is the width of x",
         "a width", size<"context">);
    TERM("a function of one's own, as `expr/operation.hpp` says", "element by element",
         apply<sluice::activation::relu>(z));
    TERM("a reduction of one's own, as `expr/operation.hpp` says", "[batch]",
         reduce<sluice::operation::sum>(z));
    TERM("a scan of one's own, as `expr/operation.hpp` says: of each feature and what is in front of it",
         "as z", scan<sluice::operation::cumulative_sum>(z));
    w.out
        << "\n## Names of one's own\n\n"
           "A gate or a state may have the name of a word, such as `mean`. In a namespace, together with the "
           "equations, it hides the word, which is still there as `sluice::equation::mean`. Outside of "
           "namespaces "
           "C++ finds both and calls the name ambiguous.\n\n"
           "```cpp\n"
        << example() << "```\n";
    w.begin("Arithmetic and conditions",
            "Element by element: the value has all the axes that its operands have, so that a vector meets "
            "each row, and a "
            "number of a row each of its features. What has one feature is such a number too, where it meets "
            "another width, and its gradient is summed. A bias that is added to one feature has one; a "
            "matrix without a width of its own beside it, as in `x * W<\"f\", 1> + h * R<\"f\">`, has one as "
            "well, and is refused where the sum meets another width: write `R<\"f\", 1>`. Next states, and "
            "matrix values in `*`, take no one feature: write `sum(f)`. Conditions are 1 or 0 and stand in "
            "`where()`, in gates, and in `!`, `&&`, `||`.",
            columns);
    WORD(z + a);
    WORD(z - a);
    WORD(-z);
    WORD(z * a);
    WORD(z / a);
    WORD(where(z > a, z, a));
    WORD(where((z >= 0_n && !(z <= a)) || z < 1, z, a));
    WORD(max(z, a));
    WORD(min(z, a));
    WORD(clip(z, -2_n, 1));
    w.begin("Matrices as values",
            "A state or a gate can be a matrix in each row of the batch. Functions of it are element by "
            "element, and "
            "numbers of a row meet it as they meet vectors; a vector says how it stands in it. `*` of a "
            "vector and "
            "such a matrix is a contraction, `S * R<\"s\">` a product of each row, and of groups "
            "`S * grouped(R<\"s\">)`. `outer<groups>(z, a)`, `column<groups>(z)` and `row<groups>(z)` "
            "are of "
            "each group by itself, as heads are.",
            columns);
    WORD(outer(z, a));
    WORD(column(z));
    WORD(row(z));
    WORD(per_group<4>(slice<0, 4>(z)) * a);
    WORD(repeat<2>(S, corrected));
    w.begin(
        "Derivatives",
        "The gradient of a loss with respect to a state, a gate or an input, as an operand, of its shape: a "
        "memory M that learns is `loss = sum(square(k * M - v))` and `next(M) = M - derivative(loss, M)`. "
        "The loss is one number for each row, or `sum<groups>(z)`, whose numbers are added up: heads have "
        "nothing to do with each other, so that each gets the gradient of its own. A gate is varied by "
        "itself, and what it is made of is not. The library writes the gradient out by the rules of this "
        "page when it compiles, and so the gradient of a cell has second derivatives in it. Refused are a "
        "loss of many numbers, parameters and what is made of them alone, and a loss that does not depend "
        "on the value; one that depends by functions such as `floor` has the derivative 0.",
        columns);
    WORD(derivative(sum(square(z - a)), z));
    w.begin("Elementary functions", "Element by element.", columns);
    WORD(exp(z));
    WORD(expm1(z));
    WORD(log(z));
    WORD(log1p(z));
    WORD(sin(z));
    WORD(cos(z));
    WORD(erf(z));
    WORD(abs(z));
    WORD(sign(z));
    WORD(floor(z));
    WORD(square(z));
    WORD(reciprocal(z));
    WORD(sqrt(z));
    WORD(rsqrt(z));
    WORD(pow(z, 3_n));
    WORD(pow(z, -1.5_n));
    w.begin("Activations", "Element by element.", columns);
    WORD(identity(z));
    WORD(sigmoid(z));
    WORD(log_sigmoid(z));
    WORD(hard_sigmoid(z));
    WORD(tanh(z));
    WORD(hard_tanh(z));
    WORD(tanh_shrink(z));
    WORD(softsign(z));
    WORD(softplus(z));
    WORD(relu(z));
    WORD(relu6(z));
    WORD(leaky_relu(z));
    WORD(leaky_relu(z, a));
    WORD(elu(z));
    WORD(selu(z));
    WORD(gelu(z));
    WORD(gelu_tanh(z));
    WORD(silu(z));
    WORD(swish(z));
    WORD(mish(z));
    WORD(gaussian(z));
    w.begin("Over the features", "One number for each row, [batch, units] to [batch].", columns);
    WORD(sum(z));
    WORD(mean(z));
    WORD(variance(z));
    WORD(max(z));
    WORD(min(z));
    WORD(norm(z));
    w.begin("Within groups",
            "The same of each of so many groups of features, which lie side by side: [batch, units], each "
            "feature the "
            "number of its group. `groups` is the size of that name.",
            columns);
    WORD(sum<4>(z));
    WORD(mean<groups>(z));
    WORD(max<4>(z));
    WORD(softmax<4>(z));
    WORD(l2_norm<groups>(z));
    WORD(rms_norm<groups>(z, p<"gain">));
    w.begin("Of all features", "Each of a row, [batch, units].", columns);
    WORD(softmax(z));
    WORD(log_softmax(z));
    WORD(layer_norm(z, p<"gain">, b<"shift">));
    WORD(rms_norm(z, p<"gain">));
    WORD(l2_norm(z));
    WORD(rotate<4>(z, slice<0, 4>(a)));
    WORD(cumsum(z));
    WORD(reverse_cumsum(z));
    w.begin("Over time", "Of this step and those before, [batch, units].", columns);
    WORD(convolution<3>(z));
    return w;
}

} // namespace

TEST_CASE("language: docs/language.md is what the headers and the library say") {
    auto const path = std::filesystem::path(SLUICE_SOURCE) / "docs/language.md";
    std::string const text = written().out.str();
    if (std::getenv("SLUICE_REWRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        MESSAGE("wrote " << path.native());
        return;
    }
    CHECK_MESSAGE(read(path) == text, path.native()
                                          << " says something else; SLUICE_REWRITE_GOLDEN=1 writes it");
}

TEST_CASE("language: a gate in a namespace may have the name of a word") {
    CHECK(sluice::print<centred_cells::centred>().view() ==
          "mean = mean(h)\nnext(h) = tanh(x W_h + (h - mean) R_h)\n");
}

TEST_CASE("language: no word of vocabulary.hpp or composed.hpp is left out") {
    std::filesystem::path const folder = std::filesystem::path(SLUICE_SOURCE) / "include/sluice/expr";
    std::string const text = read(folder / "vocabulary.hpp") + read(folder / "composed.hpp");
    std::set<std::string> const words = written().words,
                                helpers{"is_gate", "is_called", "earlier", "taps_from"};
    std::regex const constant(R"((?:inline )constexpr .*?(\w+)(?:\{\}| = ).*)"),
        function(R"(.*constexpr [^(]*?(\w+)\(.*)");
    std::istringstream lines(text);
    int found = 0;
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (line.starts_with("//") || line.starts_with(" ") ||
            !(std::regex_match(line, match, constant) || std::regex_match(line, match, function)))
            continue;
        CAPTURE(match.str(1));
        CHECK((words.contains(match.str(1)) || helpers.contains(match.str(1))));
        ++found;
    }
    CHECK(found > 60);
}

} // namespace language_test
