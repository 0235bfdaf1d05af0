// SPDX-License-Identifier: BSL-1.0
// What the passes make of a page, as constants: entries in the order of the equations, counts, prints, and
// refusals that leave something.
#include <sluice/graph/passes.hpp>
#include <string_view>
#include <support/both.hpp>

namespace passes_test {

using namespace sluice;
using namespace sluice::equation;

namespace {

constexpr auto c = state<"c", 2>;
struct own_page {
    static constexpr auto equations =
        lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">),
              next(c) = setting<"decay">(0.5_n) * c + next(h) * fixed(matrix<"A">),
              output = concat(next(h), next(c)));
};
struct no_input {
    static constexpr auto equations = lines(next(h) = h * scalar<"a">);
};

} // namespace

TEST_CASE("passes: entries of all kinds, in the order in which the equations name them") {
    using made = passes<own_page>;
    BOTH(!made::trouble);
    BOTH(made::parameters.size() == 4);
    BOTH(made::parameters[0].called == name("W_h"));
    BOTH(made::parameters[3].called == name("A"));
    BOTH(!made::parameters[3].trained);
    BOTH(made::parameters[2].is_bias);
    BOTH(made::states.size() == 2);
    BOTH(made::states[1].called == name("c"));
    BOTH(made::settings.size() == 1);
    BOTH(made::inputs.size() == 1);
    BOTH(made::input == width(symbol::input));
    BOTH(extent(made::output, sizes{.input = 3, .units = 5}) == 7);
    BOTH(extent(made::states[1].columns, sizes{.input = 3, .units = 5}) == 2);
    BOTH(made::graph.results.size() == 3);
    BOTH(passes<no_input>::inputs.empty());
    BOTH(passes<no_input>::input == width(symbol::input));
}

TEST_CASE("passes: how many numbers there are, with the fixed ones and without") {
    constexpr sizes n{.input = 3, .units = 5};
    BOTH(parameter_count<own_page>(n) == 3 * 5 + 5 * 5 + 5);
    BOTH(arena_size<own_page>(n) == 3 * 5 + 5 * 5 + 5 + 5 * 2);
    BOTH(parameter_count<no_input>({.units = 9}) == 1);
    CHECK_THROWS_AS(parameter_count<own_page>({.input = 0, .units = 5}), std::invalid_argument);
    CHECK_THROWS_AS(parameter_count<own_page>({.input = std::size_t(1) << 62, .units = std::size_t(1) << 62}),
                    std::invalid_argument);
}

TEST_CASE("passes: a page is printed in each notation") {
    BOTH(print<own_page>().view() == "next(h) = tanh(x W_h + h R_h + b_h)\nnext(c) = decay . c + next(h) "
                                     "A\noutput = [next(h), next(c)]\n");
    BOTH(print<no_input, notation::expanded>().view() == "next(h) = h . a\n");
    CHECK(print<no_input, notation::latex>().view().find("h' &= h \\odot a") != std::string_view::npos);
    CHECK(print_graph<no_input>().view().starts_with("digraph"));
}

} // namespace passes_test
