// SPDX-License-Identifier: BSL-1.0
// Which pages stand in the type of a stack, and which states follow from them.
#include <sluice/sequence/stack.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace stack_pages_test {

namespace {

using sluice::any_input_mode, sluice::dense, sluice::gru, sluice::layers, sluice::lstm, sluice::skip_input;
using sluice::detail::stack_pages, sluice::detail::stack_pages_of, sluice::detail::states_of_stack;

template <class Page>
using pages = typename stack_pages_of<Page>::type;
template <bool IsUniform, class... Pages>
using states = typename states_of_stack<IsUniform, float, Pages...>::type;

static_assert(std::is_same_v<pages<gru>, stack_pages<true, gru>>);
static_assert(std::is_same_v<pages<any_input_mode<gru>>, stack_pages<true, skip_input<gru>, gru>>);
static_assert(std::is_same_v<pages<layers<lstm, gru, dense>>, stack_pages<false, lstm, gru, dense>>);
static_assert(
    std::is_same_v<pages<layers<gru>>, stack_pages<false, gru>>); // one layer of one page is listed too
static_assert(std::is_same_v<pages<layers<gru, gru>>, stack_pages<false, gru, gru>>);

static_assert(std::is_same_v<states<true, gru>, sluice::stacked_states<gru, float>>);
// Of any input mode: the page with matrices, which has the same states, says what they are.
static_assert(std::is_same_v<states<true, skip_input<gru>, gru>, sluice::stacked_states<gru, float>>);
static_assert(std::is_same_v<states<false, lstm, gru>, sluice::states_by_layer<float, lstm, gru>>);

} // namespace

TEST_CASE("stack pages: the first layer of any input mode has the states of the others") {
    constexpr auto const& first = sluice::passes<skip_input<gru>>::states;
    constexpr auto const& others = sluice::passes<gru>::states;
    REQUIRE(first.size() == others.size());
    for (int i = 0; i < first.size(); ++i)
        CHECK(first[i].called == others[i].called);
}

} // namespace stack_pages_test
