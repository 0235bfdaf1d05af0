// SPDX-License-Identifier: BSL-1.0
// Cells that are larger than any in a paper: the room in graphs and plans follows from the terms that are written.
#include "cells.hpp"

#include <support/both.hpp>
#include <utility>

using namespace cells;
using sluice::lines;

namespace {

template <char Letter, int I>
using numbered =
    boost::hana::string<Letter, static_cast<char>('0' + I / 10), static_cast<char>('0' + I % 10)>;

template <int I>
constexpr auto g = gate_term<numbered<'g', I>>{};
template <int I>
constexpr auto s = state_term<numbered<'s', I>, units>{};
template <int I>
constexpr auto three = state_term<numbered<'t', I>, 3>{};
template <int I>
constexpr auto K = matrix_term<numbered<'K', I>, sluice::symbol::open, false>{};
template <int I>
constexpr auto M = matrix_term<numbered<'M', I>, sluice::symbol::open, false>{};
template <int I>
constexpr auto v = bias_term<numbered<'v', I>>{};

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

/// Every product of the graph is in the plan once, and every block is scheduled.
template <class Lines>
constexpr bool is_planned_whole(Lines) {
    auto const& plan = plans_of<Lines>::forward;
    int products = 0, columns = 0;
    for (sluice::scheduled const& task : plan.schedule)
        products += task.what == sluice::task::product;
    for (auto const& product : plan.products)
        columns += product.computes.size();
    int const all = static_cast<int>(sluice::count_products(passes_of<Lines>::graph));
    return products == plan.products.size() && columns == all &&
           plan.schedule.size() == plan.products.size() + plan.blocks.size() + plan.copies.size();
}
/// How many products and blocks the gradient has.
template <class Lines>
constexpr int backward_tasks(Lines) {
    return plans_of<Lines>::backward.schedule.size();
}

} // namespace

TEST_CASE("room: thirty matrices on one operand are one product") {
    constexpr auto lines = many_matrices(numbers<30>);
    BOTH(is_planned_whole(lines));
    BOTH(plans_of<decltype(lines)>::forward.products.size() == 2);
    BOTH(backward_tasks(lines) > 0);
}

TEST_CASE("room: thirty states in a chain") {
    constexpr auto lines = chained_states(numbers<29>);
    BOTH(is_planned_whole(lines));
    BOTH(passes_of<decltype(lines)>::states.size() == 30);
    BOTH(backward_tasks(lines) > 0);
}

TEST_CASE("room: ninety gates in a chain are one block") {
    constexpr auto lines = chained_gates(numbers<89>);
    BOTH(is_planned_whole(lines));
    BOTH(passes_of<decltype(lines)>::graph.definitions.size() == 91);
    BOTH(plans_of<decltype(lines)>::forward.blocks.size() == 1);
    BOTH(backward_tasks(lines) > 0);
}

TEST_CASE("room: fifteen products of one left side in one sum") {
    constexpr auto lines = one_sum(numbers<15>);
    BOTH(is_planned_whole(lines));
    BOTH(backward_tasks(lines) > 0);
}

TEST_CASE("room: forty widths that are checked when the numbers are known") {
    constexpr auto lines = width_constraints(numbers<40>);
    BOTH(passes_of<decltype(lines)>::checked.constraints.size() >= 1);
    BOTH(!check_sizes(passes_of<decltype(lines)>::checked, {.input = 2, .units = 3}));
    BOTH(check_sizes(passes_of<decltype(lines)>::checked, {.input = 2, .units = 4}).why ==
         sluice::reason::mismatched_widths);
    BOTH(is_planned_whole(lines));
}

TEST_CASE("room: seventy recurrent levels, none of them dropped") {
    constexpr auto lines = levels(numbers<70>);
    BOTH(is_planned_whole(lines));
    BOTH(plans_of<decltype(lines)>::forward.products.size() == 72);
}

TEST_CASE("room: a chain of gates that each read the last one several times is one short block") {
    constexpr auto lines = euler(numbers<40>);
    constexpr auto const& plan = plans_of<decltype(lines)>::forward;
    constexpr auto block = compile_block(passes_of<decltype(lines)>::graph, plan, 0);
    BOTH(is_planned_whole(lines));
    BOTH(plan.blocks.size() == 1);
    BOTH(block.code.size() == 1 + 1 + 40 * 5); // x K + h, the number 0.1, and five operations for each step
    BOTH(backward_tasks(lines) > 0);
}
