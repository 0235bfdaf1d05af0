// SPDX-License-Identifier: BSL-1.0
// What is wrong with sizes, at compile time and at run time: one function, the same words.
#include "cells.hpp"

#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/both.hpp>
#include <support/matrix_cells.hpp>

namespace sizes_test {

using namespace cells;
using sluice::reason;
using sluice::sizes;
using sluice::symbol;
using sluice::width;

namespace {

template <class Lines>
constexpr sluice::problem wrong(Lines, sizes n, bool complete = true) {
    return sluice::check_sizes(passes_of<Lines>::checked, n, complete);
}
std::string words(sluice::problem const& p, sizes n) {
    return sluice::describe(p, n);
}

constexpr auto three = state<"three", 3>;
constexpr auto number_meets_units =
    sluice::lines(next(three) = tanh(three), next(h) = tanh(x * W<"h"> + three * h));

} // namespace

TEST_CASE("sizes: what fits has no problem") {
    BOTH(!wrong(mgu, {.input = 3, .units = 5}));
    BOTH(!wrong(lstm, {.input = 3, .units = 5, .projection = 2}));
    BOTH(!wrong(glstm, {.input = 6, .units = 4, .groups = 2}));
    BOTH(!wrong(glstm, {.input = 5, .units = 3}));
    BOTH(!wrong(number_meets_units, {.input = 2, .units = 3}));
}

TEST_CASE("sizes: a matrix value has a size that is given, groups that divide it, and room") {
    using page = sluice::passes<matrix_cells::gated_attention>;
    auto const found = [](std::size_t keys, std::size_t values, std::size_t heads) {
        return sluice::check_sizes(
            page::checked, {.input = 3, .own = {{"keys", keys}, {"values", values}, {"heads", heads}}});
    };
    CHECK(!found(15, 21, 3));
    CHECK(found(15, 20, 3).why == reason::groups_do_not_divide);
    CHECK(found(14, 21, 3).why == reason::groups_do_not_divide);
    CHECK(found(0, 21, 3).why == reason::size_missing);
    CHECK(found(15, 0, 3).why == reason::size_missing);
    CHECK(found(15, 21, 0).why == reason::size_missing);
    std::size_t const large = std::size_t(1) << 40;
    CHECK(found(large, large, 1).why == reason::sizes_too_large);
    CHECK(found(std::size_t(0) - 1, 1, 1).why == reason::sizes_too_large);
}

TEST_CASE("sizes: groups that do not divide") {
    constexpr sizes given{.input = 5, .units = 4, .groups = 2};
    BOTH(wrong(glstm, given).why == reason::groups_do_not_divide);
    BOTH(wrong(glstm, given).left == width(symbol::input));
    BOTH(wrong(glstm, given).right == width(std::size_t(2)));
    BOTH(wrong(glstm, {.input = 6, .units = 5, .groups = 2}).why == reason::groups_do_not_divide);
    BOTH(wrong(glstm, {.input = 6, .units = 4, .groups = 0}).why == reason::groups_do_not_divide);
    CHECK(words(wrong(glstm, given), given) ==
          "sluice: the number of groups does not divide a width; choose groups that divide every width of a "
          "grouped product or reduction; in gate i; about W_i; widths input = 5 and 2");
}

TEST_CASE("sizes: one feature meets several") {
    constexpr auto g = gate<"g">;
    constexpr auto gated = sluice::lines(g = sigmoid(x * matrix<"g", 1>), next(h) = g);
    constexpr sizes given{.input = 3, .units = 5};
    BOTH(wrong(gated, given).why == reason::one_feature);
    BOTH(!wrong(gated, {.input = 3, .units = 1}));
    CHECK(words(wrong(gated, given), given) ==
          "sluice: a value of one feature stands where another width is due; write sum() of it, one number "
          "for each row, as in next(h) = sum(g), or sum(g) * S of a matrix value; in gate g; about h; widths "
          "units = 5 and 1");
    BOTH(!wrong(sluice::lines(g = sigmoid(x * matrix<"g", 1>), next(h) = sum(g)), given));
    constexpr auto one = state<"one", 1>;
    constexpr auto number = x * matrix<"n", 1>;
    BOTH(!wrong(sluice::lines(next(one) = one, next(h) = h * R<"h", units> + one * matrix<"m"> + number),
                given));
    constexpr auto S = state<"S", size<"keys">, units>;
    BOTH(wrong(sluice::lines(g = sigmoid(x * matrix<"g", 1>), next(S) = S, output = g * S),
               {.input = 3, .units = 5, .own = {{"keys", 3}}})
             .why == reason::one_feature);
    BOTH(wrong(number_meets_units, given).why == reason::mismatched_widths);
}

TEST_CASE("sizes: an input of the name of a size that is not given") {
    constexpr auto read = sluice::lines(next(h) = tanh(input<"x"> * W<"h"> + h * R<"h">));
    constexpr sizes given{.units = 5};
    BOTH(wrong(read, given).why == reason::input_size_missing);
    BOTH(!wrong(read, {.units = 5, .own = {{"x", 3}}}));
    CHECK(words(wrong(read, given), given) == "sluice: an input without a width of its own is as wide as the "
                                              "size of its name, and none is given; give "
                                              "it, as in .own = {{\"context\", 7}}, or write "
                                              "input<\"context\", 7>; the input [batch, input] is x; in "
                                              "gate h; about x");
}

TEST_CASE("sizes: a size that the equations need, or do not use") {
    BOTH(wrong(mgu, {.input = 0, .units = 5}).why == reason::size_missing);
    BOTH(wrong(mgu, {.input = 3, .units = 0}).why == reason::size_missing);
    BOTH(wrong(lstm, {.input = 3, .units = 5}).about.view() == "projection");
    BOTH(wrong(lstm, {.input = 3, .units = 5}).why == reason::size_missing);
    BOTH(wrong(mgu, {.input = 3, .units = 5, .projection = 2}).why == reason::size_unused);
    BOTH(wrong(mgu, {.input = 3, .units = 5, .groups = 2}).about.view() == "groups");
    CHECK(words(wrong(mgu, {.input = 3}), {.input = 3}) ==
          "sluice: the equations need a size that is zero; give at least one; in gate f; about units");
    constexpr sizes unused{.input = 3, .units = 5, .projection = 2};
    CHECK(words(wrong(mgu, unused), unused) ==
          "sluice: a size is given that the equations do not use; leave it out; about projection");
}

TEST_CASE("sizes: a number of features that meets a symbol") {
    constexpr sizes given{.input = 2, .units = 4};
    BOTH(wrong(number_meets_units, given).why == reason::mismatched_widths);
    BOTH(wrong(number_meets_units, given).gate.view() == "h");
    CHECK(words(wrong(number_meets_units, given), given) ==
          "sluice: operands of different widths meet in a gate; give them one width, or put a product with a "
          "matrix between them; in gate h; about h; widths units = 4 and 3");
}

TEST_CASE("sizes: what is not known yet is no problem yet") {
    BOTH(!wrong(mgu, {}, false));
    BOTH(!wrong(lstm, {.units = 5}, false));
    BOTH(!wrong(glstm, {.units = 4, .groups = 2}, false));
    BOTH(!wrong(number_meets_units, {.input = 2}, false));
    BOTH(wrong(glstm, {.input = 5, .groups = 2}, false).why == reason::groups_do_not_divide);
    BOTH(wrong(number_meets_units, {.units = 4}, false).why == reason::mismatched_widths);
}

namespace {
constexpr auto own =
    sluice::lines(next(h) = tanh(x * W<"x"> + input<"context"> * W<"c">) * grouped<size<"heads">>(R<"h">));
constexpr auto cut = sluice::lines(next(h) = tanh(slice<2, units>(concat(x, input<"context">)) * W<"h">));
} // namespace

TEST_CASE("sizes: those that the equations name themselves") {
    BOTH(!wrong(own, {.input = 2, .units = 6, .own = {{"context", 5}, {"heads", 3}}}));
    constexpr sizes missing{.input = 2, .units = 6, .own = {{"heads", 3}}};
    BOTH(wrong(own, missing).why == reason::input_size_missing);
    constexpr sizes headless{.input = 2, .units = 6, .own = {{"context", 5}, {"heads", 0}}};
    CHECK(words(wrong(own, headless), headless) ==
          "sluice: the equations need a size that is zero; give at least one; in gate h; about heads");
    constexpr sizes unused{.input = 2, .units = 6, .own = {{"context", 5}, {"heads", 3}, {"contxet", 5}}};
    BOTH(wrong(own, unused).why == reason::size_unused);
    BOTH(wrong(own, unused).about.view() == "contxet");
    constexpr sizes uneven{.input = 2, .units = 6, .own = {{"context", 5}, {"heads", 4}}};
    BOTH(wrong(own, uneven).why == reason::groups_do_not_divide);
    BOTH(wrong(own, uneven).right == width(std::size_t(4)));
    BOTH(wrong(own, {.input = 2, .own = {{"heads", 3}}}, false).why == reason::none);
    BOTH(wrong(mgu, {.input = 3, .units = 5, .own = {{"units", 5}}}).why == reason::size_unused);
}

TEST_CASE("sizes: a list of own sizes has names of 1 to 31 letters, each once, and at most eight") {
    CHECK_THROWS_AS((sluice::own_sizes{{"a", 1}, {"a", 2}}), std::invalid_argument);
    CHECK_THROWS_AS((sluice::own_sizes{{"", 1}}), std::invalid_argument);
    CHECK_THROWS_AS((sluice::own_sizes{{"a size whose name has 32 letters", 1}}), std::invalid_argument);
    CHECK_THROWS_AS(
        (sluice::own_sizes{
            {"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}, {"i", 1}}),
        std::invalid_argument);
    BOTH(sluice::own_sizes{{"a", 1}, {"b", 2}}["b"] == 2);
    BOTH(sluice::own_sizes{{"a", 1}}["b"] == 0);
}

TEST_CASE("sizes: a slice within what it cuts") {
    BOTH(!wrong(cut, {.input = 2, .units = 4, .own = {{"context", 4}}}));
    constexpr sizes given{.input = 2, .units = 4, .own = {{"context", 3}}};
    BOTH(wrong(cut, given).why == reason::slice_beyond);
    BOTH(wrong(cut, given).right == width(symbol::sum, 5));
    CHECK(words(wrong(cut, given), given) == "sluice: a slice reaches beyond the last feature of what it "
                                             "cuts; choose a smaller start or width; in "
                                             "gate h; widths units = 4 and sum = 5");
    BOTH(!wrong(cut, {.units = 4}, false));
}

TEST_CASE("sizes: more numbers than memory can have") {
    constexpr std::size_t half = std::size_t(1) << 63, all = ~std::size_t(0);
    for (std::size_t const many : {half, all, half - 1}) {
        CHECK(wrong(mgu, {.input = many, .units = 2}).why == reason::sizes_too_large);
        CHECK(wrong(mgu, {.input = 2, .units = many}).why == reason::sizes_too_large);
        CHECK(wrong(cut, {.input = many, .units = 2, .own = {{"context", many}}}).why == reason::none);
        CHECK(wrong(cut, {.input = 2, .units = many, .own = {{"context", many}}}).why != reason::none);
    }
}

} // namespace sizes_test
