// SPDX-License-Identifier: BSL-1.0
// Sizes that are known at run time only: the words of the compiler, when the cell is made.
#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>

namespace refusals_test {

using namespace sluice::equation;

namespace {

constexpr auto three = state<"three", 3>;
struct grouped_cell {
    static constexpr auto equations = sluice::lines(next(three) = tanh(x * W<"a"> + three),
                                                    next(h) = tanh(x * grouped(W<"b">) + three * h));
};
struct projected {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), output = next(h) * W<"P", projection>);
};

/// What making a cell says, sentence by sentence.
template <class Page>
std::string said(sluice::sizes const& n) {
    try {
        sluice::cell<Page, double> const cell(n);
    } catch (std::invalid_argument const& refusal) {
        return refusal.what();
    }
    return "nothing";
}
bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace

TEST_CASE("refusals: what fits is made") {
    CHECK(said<grouped_cell>({.input = 4, .units = 3}) == "nothing");
    CHECK(said<projected>({.input = 4, .units = 3, .projection = 2}) == "nothing");
}

TEST_CASE("refusals: the sentence of the compiler, the gate, the parameter and the widths") {
    using sluice::reason;
    auto const groups = said<grouped_cell>({.input = 4, .units = 3, .groups = 3});
    CHECK(contains(groups, sluice::sentence(reason::groups_do_not_divide)));
    CHECK(contains(groups, "in gate h; about W_b; widths input = 4 and 3"));

    auto const widths = said<grouped_cell>({.input = 4, .units = 5});
    CHECK(contains(widths, sluice::sentence(reason::mismatched_widths)));
    CHECK(contains(widths, "in gate h; "));
    CHECK(contains(widths, "widths units = 5 and 3"));

    auto const missing = said<projected>({.input = 4, .units = 3});
    CHECK(contains(missing, sluice::sentence(reason::size_missing)));
    CHECK(contains(missing, "in gate output; about projection"));
    CHECK(contains(said<projected>({.input = 4, .projection = 2}), "in gate h; about units"));
    CHECK(contains(said<projected>({.units = 3, .projection = 2}), "in gate h; about input"));

    auto const unused = said<grouped_cell>({.input = 4, .units = 3, .projection = 2});
    CHECK(contains(unused, sluice::sentence(reason::size_unused)));
    CHECK(contains(unused, "about projection"));
    CHECK(contains(said<projected>({.input = 4, .units = 3, .projection = 2, .groups = 2}), "about groups"));
}

TEST_CASE("refusals: sizes against those in the type of the cell") {
    using fixed = sluice::cell<projected, double, sluice::extents<sluice::sizes{.units = 3}>>;
    CHECK(fixed({.input = 4, .projection = 2}).extents().units == 3);
    CHECK(fixed({.input = 4, .units = 3, .projection = 2}).extents().units == 3);
    CHECK_THROWS_WITH_AS(
        fixed({.input = 4, .units = 5, .projection = 2}),
        "sluice: the type of the cell says units = 3, but 5 was given; leave it out or give the same",
        std::invalid_argument);
    CHECK_THROWS_AS(fixed({.input = 4}), std::invalid_argument);
}

} // namespace refusals_test
