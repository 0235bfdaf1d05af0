// SPDX-License-Identifier: BSL-1.0
// A cell of a net: what the passes say of a page, in numbers.
#include <sluice/backend/kernels.hpp>
#include <sluice/net/page_cell.hpp>

#include <doctest/doctest.h>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/net/host_memory.hpp>
#include <vector>

namespace {

using namespace sluice::equation;
using memory = sluice::host_memory<double, sluice::no_kernels>;
using widths = std::vector<std::size_t>;

constexpr auto context = input<"context", 5>;
constexpr auto c = state<"c">;

struct two_inputs {
    static constexpr auto equations =
        sluice::lines(next(h) = context + x * W<"h">, next(c) = h - c, output = next(c));
};
struct starts_somewhere {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h), initial(h) = vector<"first">);
};
struct no_input {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h));
};

sluice::net_cell<memory> made(sluice::basic_entries<sluice::view> const& page) {
    return sluice::detail::net_cell_of<memory>(page, {.input = 3, .units = 5}, 2);
}

} // namespace

TEST_CASE("page cell: its place among the pages, the widths of its inputs, and where its states start") {
    auto const cell = made(sluice::passes<two_inputs>::entries);
    CHECK(cell.page == 2);
    CHECK(cell.widths == widths{5, 3}); // in the order of the equations
    CHECK(cell.has_inputs);
    CHECK(cell.extents == sluice::sizes{.input = 3, .units = 5});
    CHECK(cell.starts == std::vector<int>{-1, -1});
    CHECK(cell.places.empty());
    CHECK(cell.runs == nullptr);
    CHECK(made(sluice::passes<starts_somewhere>::entries).starts == std::vector<int>{1});
}

TEST_CASE("page cell: equations without an input read x, which says how many rows there are") {
    auto const cell = made(sluice::passes<no_input>::entries);
    CHECK(cell.widths == widths{3});
    CHECK_FALSE(cell.has_inputs);
}

TEST_CASE("page cell: states are listed after those that are there, with their rows and names") {
    std::vector<sluice::net_state_place> places;
    auto const& states = sluice::passes<two_inputs>::entries.states;
    sluice::detail::add_states(states, {.input = 3, .units = 5}, 1, "", places);
    sluice::detail::add_states(states, {.input = 3, .units = 7}, 2, "layer1/", places);
    REQUIRE(places.size() == 4);
    CHECK(places[0].called == "h");
    CHECK(places[1].called == "c");
    CHECK(places[1].rows == 1);
    CHECK(places[1].width == 5);
    CHECK(places[3].called == "layer1/c");
    CHECK(places[3].rows == 2);
    CHECK(places[3].width == 7);
}
