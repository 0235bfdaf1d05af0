// SPDX-License-Identifier: BSL-1.0
// Names, ranks, shapes and numbers of the parameters, all constant expressions.
#include "cells.hpp"

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/graph/fuse.hpp>
#include <support/both.hpp>

namespace entries_test {

using namespace cells;
using sluice::symbol;
using sluice::width;

namespace {

template <class Lines>
constexpr auto const& list(Lines) {
    return passes_of<Lines>::parameters;
}
template <class Lines>
constexpr bool names(Lines lines, auto... expected) {
    int k = 0;
    return list(lines).size() == int(sizeof...(expected)) &&
           ((list(lines)[k++].called.view() == std::string_view(expected)) && ...);
}
/// rank, rows and columns of the parameter of that name
template <class Lines>
constexpr bool is(Lines lines, std::string_view called, std::size_t rank, width rows, width columns) {
    for (sluice::parameter_entry const& e : list(lines))
        if (e.called.view() == called)
            return e.rank == rank && e.rows.word() == rows && e.columns.word() == columns;
    return false;
}
constexpr bool vector_of_units(auto lines, std::string_view called) {
    return is(lines, called, 1, width{}, symbol::units);
}
constexpr std::size_t count(auto lines, std::size_t input, std::size_t units, std::size_t projection = 0,
                            std::size_t groups = 1) {
    return parameter_count(lines, {input, units, projection, groups, {}});
}

} // namespace

TEST_CASE("parameters: they stand in the order of writing") {
    BOTH(names(mgu, "W_f", "R_f", "b_f", "W_n", "R_n", "b_n"));
    BOTH(names(cudnn_gru, "W_r", "R_r", "b_r", "W_u", "R_u", "b_u", "W_n", "b_n", "R_n", "b_Rn"));
    BOTH(names(lstm, "W_i", "R_i", "b_i", "W_j", "R_j", "b_j", "W_f", "R_f", "b_f", "W_o", "R_o", "b_o",
               "W_P"));
    BOTH(names(dense, "W_y", "b_y"));
    BOTH(names(sluice::lines(next(h) = h)));
    BOTH(names(sluice::lines(next(h) = vector<"scale"> * h + bias<"shift"> + x * matrix<"kernel">), "scale",
               "shift", "kernel"));
}

TEST_CASE("parameters: widths follow from their neighbours") {
    BOTH(is(mgu, "W_f", 2, symbol::input, symbol::units));
    BOTH(is(mgu, "R_n", 2, symbol::units, symbol::units));
    BOTH(vector_of_units(mgu, "b_n"));
    BOTH(vector_of_units(cudnn_gru, "b_Rn"));
    BOTH(is(lstm, "R_o", 2, symbol::projection, symbol::units));
    BOTH(is(lstm, "W_P", 2, symbol::units, symbol::projection));
    BOTH(is(glstm, "W_j", 3, symbol::input, symbol::units));
    BOTH(is(glstm, "R_j", 3, symbol::units, symbol::units));
    BOTH(is(dense, "W_y", 2, symbol::input, symbol::units));
}

TEST_CASE("parameters: columns that are given, states and inputs with widths of their own") {
    constexpr auto v = input_of<units>;
    constexpr auto three = state<"three", 3>;
    constexpr auto lines = sluice::lines(next(three) = tanh(v * W<"a"> + three * R<"a"> + b<"a">),
                                         output = next(three) * W<"y", 10> + b<"y">);
    BOTH(is(lines, "W_a", 2, symbol::units, std::size_t(3)));
    BOTH(is(lines, "R_a", 2, std::size_t(3), std::size_t(3)));
    BOTH(is(lines, "b_a", 1, width{}, std::size_t(3)));
    BOTH(is(lines, "W_y", 2, std::size_t(3), std::size_t(10)));
    BOTH(is(lines, "b_y", 1, width{}, std::size_t(10)));
    BOTH(passes_of<decltype(lines)>::output == width(std::size_t(10)));
    BOTH(passes_of<decltype(lines)>::states[0].columns == width(std::size_t(3)));
    BOTH(count(lines, 0, 4) == 4 * 3 + 3 * 3 + 3 + 3 * 10 + 10);
}

TEST_CASE("parameters: a width that nothing says is that of the units") {
    constexpr auto lines = sluice::lines(next(h) = tanh((x * W<"a">)*W<"b">));
    BOTH(is(lines, "W_a", 2, symbol::input, symbol::units));
    constexpr auto through = sluice::lines(f = x + vector<"p">, next(h) = f * W<"h">);
    BOTH(is(through, "p", 1, width{}, symbol::input));
}

TEST_CASE("parameters: extents for sizes") {
    constexpr sluice::sizes given{.input = 6, .units = 4, .projection = 0, .groups = 2};
    using extents = std::array<std::size_t, 3>;
    BOTH(list(glstm)[0].extents(given) == extents{2, 3, 2});
    BOTH(list(glstm)[2].extents(given) == extents{1, 1, 4});
    BOTH(list(mgu)[0].extents(given) == extents{1, 6, 4});
    BOTH(list(glstm)[0].count(given) == 12);
}

TEST_CASE("parameters: the numbers of TensorFlow's cells") {
    BOTH(count(gru, 2, 2) == 30);
    BOTH(count(gru, 3, 2) == 36);
    BOTH(count(gru, 5, 4) == 120);
    BOTH(count(cudnn_gru, 2, 2) == 32);
    BOTH(count(cudnn_gru, 3, 2) == 38);
    BOTH(count(cudnn_gru, 5, 4) == 124);
    BOTH(count(glstm, 4, 4) == 144);
    BOTH(count(glstm, 5, 4) == 160);
    BOTH(count(glstm, 4, 4, 0, 2) == 80);
    BOTH(count(glstm, 6, 4, 0, 2) == 96);
    BOTH(count(lstm, 4, 8, 4) == (4 + 4) * 4 * 8 + 4 * 8 + 8 * 4);
    BOTH(count(mgu, 3, 5) == 90);
    BOTH(count(dense, 3, 5) == 20);
}

TEST_CASE(
    "parameters: states in the order of their updates, settings in that of writing, with their widths") {
    using of = passes_of<decltype(lstm)>;
    BOTH(of::states.size() == 2);
    BOTH(of::states[0].called.view() == "c");
    BOTH(of::states[0].columns == width(symbol::units));
    BOTH(of::states[1].called.view() == "m");
    BOTH(of::states[1].columns == width(symbol::projection));
    BOTH(of::settings.size() == 1);
    BOTH(of::settings[0].called.view() == "forget_bias");
    BOTH(of::output == width(symbol::projection));
}

TEST_CASE("parameters: inputs in the order of writing, each with its width") {
    constexpr auto lines = sluice::lines(
        next(h) = tanh(x * W<"x"> + input<"context"> * W<"c"> + input<"pitch", 2> * W<"p"> + h * R<"h">));
    using of = passes_of<decltype(lines)>;
    BOTH(of::inputs.size() == 3);
    BOTH(of::inputs[0].called.view() == "x");
    BOTH(of::inputs[1].called.view() == "context");
    BOTH(of::inputs[1].columns == sluice::width_called(std::string_view("context")));
    BOTH(of::inputs[2].columns == width(std::size_t(2)));
    BOTH(parameter_count(lines, {.input = 3, .units = 4, .own = {{"context", 5}}}) == 4 * (3 + 5 + 2 + 4));
}

namespace {
template <class Lines>
constexpr sluice::parameter_entry entry(Lines lines, std::string_view called) {
    for (sluice::parameter_entry const& e : list(lines))
        if (e.called.view() == called)
            return e;
    return {};
}
} // namespace

TEST_CASE("parameters: the line that they belong to, and what they multiply") {
    using sluice::source;
    BOTH(entry(gru, "W_r").gate.view() == "r");
    BOTH(entry(gru, "b_n").gate.view() == "n");
    BOTH(entry(lstm, "W_P").gate.view() == "m");
    BOTH(entry(dense, "W_y").gate.view() == "output");
    BOTH(entry(gru, "W_r").multiplies == source::input);
    BOTH(entry(gru, "R_r").multiplies == source::state);
    BOTH(entry(gru, "R_n").multiplies == source::state); // of r . h
    BOTH(entry(gru, "b_n").multiplies == source::nothing);
    BOTH(entry(lstm, "W_P").multiplies == source::gate);

    constexpr auto lines =
        sluice::lines(f = sigmoid(concat(x, input<"context">) * W<"f"> + c * p<"f">),
                      next(c) = f * c + tanh((x * tanh(x)) * W<"c"> + slice<0, 2>(h) * transposed(R<"c">)),
                      next(h) = tanh(next(c) * p<"o">) + concat(x, h) * (0.5_n * R<"m"> - R<"n">));
    BOTH(entry(lines, "W_f").multiplies == source::input);
    BOTH(entry(lines, "p_f").multiplies == source::state);
    BOTH(entry(lines, "p_o").multiplies == source::gate);
    BOTH(entry(lines, "W_c").multiplies == source::input);
    BOTH(entry(lines, "R_c").multiplies == source::state);
    BOTH(entry(lines, "R_m").multiplies == source::gate);
    BOTH(entry(lines, "R_n").multiplies == source::gate);
}

TEST_CASE("parameters: fixed ones are not trained, and not counted") {
    constexpr auto lines =
        sluice::lines(next(h) = tanh(x * fixed(matrix<"A">) + h * grouped(fixed(matrix<"B">)) +
                                     fixed(bias<"c">) + fixed(scalar<"s">) * fixed(vector<"v">) * h) *
                                    fixed(grouped<2>(matrix<"D">)) +
                                h * R<"h">);
    BOTH(names(lines, "A", "B", "c", "s", "v", "D", "R_h"));
    BOTH(!entry(lines, "A").trained);
    BOTH(!entry(lines, "B").trained);
    BOTH(!entry(lines, "c").trained);
    BOTH(!entry(lines, "s").trained);
    BOTH(!entry(lines, "v").trained);
    BOTH(!entry(lines, "D").trained);
    BOTH(entry(lines, "R_h").trained);
    BOTH(count(lines, 3, 4) == 16);
}

TEST_CASE("parameters: trained scalars, and groups of their own") {
    constexpr auto lines = sluice::lines(
        next(h) = tanh(scalar<"gain"> * (x * grouped<3>(W<"h">)) + h * grouped<size<"heads">>(R<"h">)) *
                  grouped(R<"o">));
    constexpr sluice::sizes given{.input = 6, .units = 12, .groups = 2, .own = {{"heads", 4}}};
    using extents = std::array<std::size_t, 3>;
    BOTH(entry(lines, "gain").rank == 0);
    BOTH(entry(lines, "gain").extents(given) == extents{1, 1, 1});
    BOTH(entry(lines, "gain").count(given) == 1);
    BOTH(entry(lines, "W_h").extents(given) == extents{3, 2, 4});
    BOTH(entry(lines, "R_h").extents(given) == extents{4, 3, 3});
    BOTH(entry(lines, "R_o").extents(given) == extents{2, 6, 6});
    BOTH(parameter_count(lines, given) == 1 + 24 + 36 + 72);
}

TEST_CASE("parameters: widths of what stands side by side, and of slices") {
    constexpr auto lines = sluice::lines(f = concat(x, h, x * W<"a">, input<"pitch", 2>, slice<units, 3>(x)),
                                         next(h) = tanh(f * R<"h">), output = concat(h, x));
    constexpr sluice::sizes given{.input = 7, .units = 4};
    BOTH(entry(lines, "W_a").columns == width(symbol::units));
    BOTH(entry(lines, "R_h").count(given) == (7 + 4 + 4 + 2 + 3) * 4);
    BOTH(extent(passes_of<decltype(lines)>::output, given) == 11);
    BOTH(!check_sizes(passes_of<decltype(lines)>::checked, given));

    constexpr auto numbers = sluice::lines(next(h) = tanh(concat(input<"a", 2>, input<"b", 3>) * W<"h">));
    BOTH(is(numbers, "W_h", 2, std::size_t(5), symbol::units));
    constexpr auto nested = sluice::lines(next(h) = concat(concat(x, x * W<"a">), x) * W<"b">);
    BOTH(entry(nested, "W_b").count({.input = 3, .units = 5}) == 11 * 5);
}

TEST_CASE("operations: each there once, with all that derivatives need, behind the library's own") {
    using swished =
        sluice::operations_of<sluice::equation_set<decltype(next(h) = relu(h) + softplus(relu(h)))>>;
    BOTH(swished::size == sluice::own_functions + 4); // relu, step, softplus, sigmoid
    BOTH(swished::contains<sluice::activation::step>);
    BOTH(swished::contains<sluice::activation::sigmoid>);
    BOTH(swished::find<sluice::operation::add>() == sluice::f_add);
    BOTH(sluice::operations_of<std::remove_cvref_t<decltype(mgu)>>::size == sluice::own_functions + 2);
    BOTH(sluice::operations_of<std::remove_cvref_t<decltype(dense)>>::size == sluice::own_functions);
}

TEST_CASE("parameters: where states start") {
    constexpr auto slow = state<"slow", 3>;
    constexpr auto lines =
        sluice::lines(next(h) = tanh(x * W<"h"> + slow * W<"m">), initial(h) = bias<"h0">,
                      next(slow) = slow * vector<"scale">, initial(slow) = fixed(vector<"m0">));
    BOTH(names(lines, "W_h", "W_m", "h0", "scale", "m0"));
    BOTH(vector_of_units(lines, "h0"));
    BOTH(is(lines, "m0", 1, width{}, width(std::size_t(3))));
    BOTH((list(lines)[2].is_initial && !list(lines)[3].is_initial && list(lines)[4].is_initial));
    BOTH((list(lines)[2].trained && !list(lines)[4].trained && list(lines)[2].gate.view() == "h"));
    BOTH(count(lines, 2, 5) == 2 * 5 + 3 * 5 + 5 + 3);
    constexpr auto shared = sluice::lines(next(h) = tanh(h * vector<"v"> + slow * W<"m">), next(slow) = -slow,
                                          initial(h) = vector<"v">);
    BOTH((!list(shared)[0].is_initial && list(shared).size() == 2));
    BOTH(passes_of<std::remove_cv_t<decltype(shared)>>::states[0].starts_at == 0);
    BOTH(passes_of<std::remove_cv_t<decltype(shared)>>::states[1].starts_at == -1);
    BOTH(passes_of<std::remove_cv_t<decltype(lines)>>::states[1].starts_at == 4);
}

constexpr auto of_all_kinds =
    sluice::lines(next(state<"c", 3>) = setting<"leak">(0_n) * state<"c", 3> + x * W<"c">,
                  next(h) = tanh(x * W<"h"> + input<"z"> * R<"h"> + b<"h">), output = h);
/// Whether the leaves of a graph are those that its lists have.
constexpr bool are_those_of_lists(sluice::graph_view g, sluice::graph_view with_lists) {
    auto const entries = sluice::list_entries(with_lists);
    auto const leaves = sluice::list_leaves(g);
    bool same = g.results[0].at == leaves.output;
    auto const compare = [&](auto const& entry, sluice::list<int> const& nodes) {
        same = same && entry.size() == nodes.size();
        for (int k = 0; same && k < nodes.size(); ++k)
            same = g[nodes[k]].kind == with_lists[entry[k].at].kind &&
                   g.names[g[nodes[k]].index] == entry[k].called;
    };
    compare(entries.inputs, leaves.inputs);
    compare(entries.parameters, leaves.parameters);
    compare(entries.settings, leaves.settings);
    compare(entries.states, leaves.states);
    for (int k = 0; same && k < leaves.next.size(); ++k)
        for (sluice::definition const& d : g.results)
            if (d.kind == sluice::role::next && d.called == g[leaves.states[k]].index)
                same = d.at == leaves.next[k];
    return same;
}

TEST_CASE("leaves: the nodes of the lists in their order, also where products have become one") {
    using page = passes_of<std::remove_cv_t<decltype(of_all_kinds)>>;
    BOTH(are_those_of_lists(page::graph, page::graph));
    BOTH(are_those_of_lists(sluice::fuse(page::graph).seen(), page::graph));
    BOTH(are_those_of_lists(sluice::without_fusing(page::graph).seen(), page::graph));
}

} // namespace entries_test
