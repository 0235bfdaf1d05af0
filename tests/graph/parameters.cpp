// SPDX-License-Identifier: BSL-1.0
// Names, ranks, shapes and numbers of the parameters, all constant expressions.
#include "cells.hpp"

#include <support/both.hpp>

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
            return e.rank == rank && e.rows == rows && e.columns == columns;
    return false;
}
constexpr bool vector_of_units(auto lines, std::string_view called) {
    return is(lines, called, 1, width{}, symbol::units);
}
constexpr std::size_t count(auto lines, std::size_t input, std::size_t units, std::size_t projection = 0,
                            std::size_t groups = 1) {
    return parameter_count(lines, {input, units, projection, groups});
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

TEST_CASE("states in the order of their updates, settings in that of writing, with their widths") {
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

TEST_CASE("activations: each there once, with all that derivatives need") {
    using swished = sluice::activations_of<decltype(sluice::lines(next(h) = relu(h) + softplus(relu(h))))>;
    BOTH(swished::size == 4); // relu, step, softplus, sigmoid
    BOTH(swished::contains<sluice::activation::step>);
    BOTH(swished::contains<sluice::activation::sigmoid>);
    BOTH(swished::name(swished::find<sluice::activation::softplus>()) == "softplus");
    BOTH(sluice::activations_of<std::remove_cvref_t<decltype(mgu)>>::size == 2);
    BOTH(sluice::activations_of<std::remove_cvref_t<decltype(dense)>>::size == 0);
}
