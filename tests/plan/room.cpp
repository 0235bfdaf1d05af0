// SPDX-License-Identifier: BSL-1.0
// Cells that are larger than any in a paper: nothing in the passes has a capacity, and constant expressions
// stay within what compilers allow.
#include <doctest/doctest.h>
#include <sluice/plan/plans.hpp>
#include <support/both.hpp>
#include <utility>

namespace room_test {

namespace {

using namespace sluice::equation;
using sluice::lines;
using sluice::task_kind;

template <char Letter, int I>
using numbered =
    boost::hana::string<Letter, static_cast<char>('0' + I / 10), static_cast<char>('0' + I % 10)>;

using units_key = sluice::key_of_width<units>;
using three_key = sluice::key_of_width<3>;

template <int I>
constexpr auto g = gate_term<numbered<'g', I>>{};
template <int I>
constexpr auto s = state_term<numbered<'s', I>, units_key>{};
template <int I>
constexpr auto three = state_term<numbered<'t', I>, three_key>{};
template <int I>
constexpr auto K = parameter_term<numbered<'K', I>, form::matrix>{};
template <int I>
constexpr auto M = parameter_term<numbered<'M', I>, form::matrix>{};
template <int I>
constexpr auto v = parameter_term<numbered<'v', I>, form::bias>{};

template <int... I>
constexpr auto many_matrices(std::integer_sequence<int, I...>) {
    return lines((g<I> = tanh(x * K<I> + h * M<I>))..., next(h) = (g<I> + ...));
}
template <int... I>
constexpr auto chained_states(std::integer_sequence<int, I...>) {
    return lines(next(s<0>) = tanh(x * K<0>), (next(s<I + 1>) = s<I>)..., output = s<sizeof...(I)> * M<0>);
}
template <int... I>
constexpr auto chained_gates(std::integer_sequence<int, I...>) {
    return lines(g<0> = x * K<0> + h * M<0>, (g<I + 1> = tanh(g<I> + v<I>))..., next(h) = g<sizeof...(I)>);
}
template <int... I>
constexpr auto one_sum(std::integer_sequence<int, I...>) {
    return lines(next(h) = tanh(((h * M<I>)+...) + x * K<0>));
}
template <int... I>
constexpr auto width_constraints(std::integer_sequence<int, I...>) {
    return lines((next(three<I>) = h - tanh(x * K<I>))..., next(h) = h * M<0> + (three<I> + ...));
}
template <int... I>
constexpr auto levels(std::integer_sequence<int, I...>) {
    return lines(g<0> = h * M<0> + x * K<0>, (g<I + 1> = g<I> * K<I + 1>)..., next(h) = g<sizeof...(I)>);
}
/// Steps of v' = v - v^3 by Euler's method, each a gate that reads the one before four times.
template <int... I>
constexpr auto euler(std::integer_sequence<int, I...>) {
    return lines(g<0> = h + x * K<0>, (g<I + 1> = g<I> + 0.1_n * (g<I> - g<I> * g<I> * g<I>))...,
                 next(h) = g<sizeof...(I)>);
}

template <int N>
constexpr auto numbers = std::make_integer_sequence<int, N>{};

template <class Lines>
struct page {
    static constexpr Lines equations{};
};
template <class Lines>
using plans_of = sluice::plans<page<std::remove_cvref_t<Lines>>>;

constexpr int products_of(sluice::plan_view p) {
    int count = 0;
    for (sluice::task const& t : p.tasks)
        count += t.kind == task_kind::product;
    return count;
}

} // namespace

TEST_CASE("room: thirty matrices on one operand are one product") {
    using plans = plans_of<decltype(many_matrices(numbers<30>))>;
    BOTH(products_of(plans::inference) == 2);
    BOTH(products_of(plans::forward) == 2);
    BOTH(products_of(plans::backward) == 2);
}

TEST_CASE("room: thirty states in a chain are delays, and no recurrence") {
    using plans = plans_of<decltype(chained_states(numbers<29>))>;
    BOTH(plans::inference.carried.size() == 30);
    BOTH(!plans::forward.about.has_product_in_loop);
    BOTH(plans::backward.tasks.size() > 0);
}

TEST_CASE("room: ninety gates in a chain are one block") {
    using plans = plans_of<decltype(chained_gates(numbers<89>))>;
    BOTH(plans::graph.definitions.size() == 91);
    BOTH(plans::forward.blocks.size() == 1);
    BOTH(plans::backward.tasks.size() > 0);
}

TEST_CASE("room: fifteen products of one left side in one sum") {
    using plans = plans_of<decltype(one_sum(numbers<15>))>;
    BOTH(products_of(plans::forward) == 2);
    BOTH(plans::backward.tasks.size() > 0);
}

TEST_CASE("room: forty widths that are checked when the numbers are known") {
    using passes = sluice::passes<page<decltype(width_constraints(numbers<40>))>>;
    BOTH(passes::checked.constraints.size() >= 1);
    BOTH(!check_sizes(passes::checked, {.input = 2, .units = 3}));
    BOTH(check_sizes(passes::checked, {.input = 2, .units = 4}).why == sluice::reason::mismatched_widths);
    BOTH(plans_of<decltype(width_constraints(numbers<40>))>::inference.tasks.size() > 0);
}

TEST_CASE("room: seventy recurrent levels, none of them dropped") {
    using plans = plans_of<decltype(levels(numbers<70>))>;
    BOTH(products_of(plans::forward) == 72);
    BOTH(products_of(plans::backward) == 72);
}

TEST_CASE("room: a chain of gates that each read the last one several times is one short block") {
    using plans = plans_of<decltype(euler(numbers<40>))>;
    BOTH(plans::inference.blocks.size() == 1);
    BOTH(plans::inference.blocks[0].code.count ==
         1 + 1 + 40 * 5); // x K + h, the number 0.1, five for each step
    BOTH(plans::backward.tasks.size() > 0);
}

} // namespace room_test
