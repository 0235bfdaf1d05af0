// SPDX-License-Identifier: BSL-1.0
// Layers with the weight space of a recording of cuDNN keep each matrix and bias where cuDNN does, and give
// its outputs, its last states, and all of its gradients. make_cudnn/record makes the recordings, on a
// machine with a GPU, and make_cudnn/record.cpp says what is in them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <reference/recording.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/tensorflow/cudnn_layers.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <support/tensors.hpp>
#include <type_traits>
#include <vector>

namespace cudnn_recorded {

using reference::recording;

/// The layers of a page: those that have the names of TensorFlow's classes, and of the projected LSTM, which
/// is not among them, a stack.
template <class Page, class S>
struct layers_of {
    using type = sluice::cudnn_layers<Page, S>;
};
template <class S>
struct layers_of<sluice::canonical_projected_lstm, S> {
    using type = sluice::stack<sluice::any_input_mode<sluice::canonical_projected_lstm>, S>;
};

template <class Page, class S>
auto layers_with_weights(recording const& from) {
    using layers = typename layers_of<Page, S>::type;
    auto const direction = from.says("direction", "bidirectional") ? sluice::direction::bidirectional
                                                                   : sluice::direction::unidirectional;
    auto const mode =
        from.says("input mode", "skip") ? sluice::input_mode::skip_input : sluice::input_mode::linear_input;
    auto net = [&] {
        if constexpr (std::is_constructible_v<layers, sluice::cudnn_options>)
            return layers(sluice::cudnn_options{.num_layers = from.number("layers"),
                                                .num_units = from.number("units"),
                                                .input_size = from.number("input"),
                                                .input_mode = mode,
                                                .direction = direction});
        else
            return layers({.input = from.number("input"),
                           .units = from.number("units"),
                           .projection = from.number("projection")},
                          {.layers = from.number("layers"), .direction = direction, .input_mode = mode});
    }();
    auto const weights = from.tensor<S, 1>("weights");
    REQUIRE(net.parameters().values().size() == weights.size());
    net.update_values([&](std::span<S> all) { std::copy(weights.begin(), weights.end(), all.begin()); });
    return net;
}

/// The matrices or biases, in the order in which cuDNN counts them: first those of the input, of all `gates`,
/// then those of the state, then the projection. -1 0 0 where the layers have none of that name.
template <class Layers>
std::vector<long> places(Layers const& net, std::string_view gates, bool is_projected, bool are_biases) {
    auto const all = net.parameters().array().places();
    std::vector<long> result;
    auto const add = [&](std::string const& name) {
        auto const place =
            std::find_if(all.begin(), all.end(), [&](auto const& p) { return p.called == name; });
        if (place == all.end())
            result.insert(result.end(), {-1, 0, 0});
        else if (are_biases) // a column
            for (std::size_t const number : {place->first, place->extents[2], place->extents[1]})
                result.push_back(static_cast<long>(number));
        else
            for (std::size_t const number : {place->first, place->extents[1], place->extents[2]})
                result.push_back(static_cast<long>(number));
    };
    for (std::size_t layer = 0; layer < net.layers(); ++layer)
        for (std::size_t direction = 0; direction < net.directions(); ++direction) {
            std::string const prefix = net.prefix(layer, direction) + (are_biases ? "b_" : "");
            for (char const* const kind : {"W", "R"})
                for (char const gate : gates)
                    add(prefix + kind + (are_biases ? "" : "_") + gate);
            if (is_projected)
                add(prefix + (are_biases ? "P" : "W_P"));
        }
    return result;
}

inline std::vector<long> numbers_in(std::string const& text) {
    std::vector<long> result;
    std::istringstream rest(text);
    for (long number = 0; rest >> number;)
        result.push_back(number);
    return result;
}

/// The largest difference, relative to the largest expected number. A NaN, which is not near, where there are
/// no numbers, another count of them, or nothing but zeros.
template <class Found, class Expected>
double off_by(Found const& found, Expected const& expected) {
    if (found.size() != expected.size())
        return support::not_comparable;
    double largest = 0, difference = 0;
    auto other = found.begin();
    for (auto const value : expected) {
        largest = std::max(largest, std::abs(static_cast<double>(value)));
        difference = support::worse(difference, std::abs(static_cast<double>(*other++) - value));
    }
    return largest > 0 ? difference / largest : support::not_comparable;
}

/// Zeros after the end of each sequence.
template <class S>
xt::xtensor<S, 3> without_padding(xt::xtensor<S, 3> steps, std::vector<std::size_t> const& lengths) {
    for (std::size_t row = 0; row < lengths.size(); ++row)
        for (std::size_t t = lengths[row]; t < steps.shape()[0]; ++t)
            for (std::size_t i = 0; i < steps.shape()[2]; ++i)
                steps(t, row, i) = 0;
    return steps;
}

template <class Page, class S>
void agrees(recording const& from, std::string_view gates) {
    CAPTURE(from.name);
    double const tolerance = std::is_same_v<S, double> ? 1e-11 : 1e-5;
    auto const net = layers_with_weights<Page, S>(from);
    bool const is_projected = std::is_same_v<Page, sluice::canonical_projected_lstm>;
    CHECK(places(net, gates, is_projected, false) == numbers_in(from.facts.at("matrices")));
    CHECK(places(net, gates, is_projected, true) == numbers_in(from.facts.at("biases")));

    auto const lengths = from.lengths();
    auto const xs = from.tensor<S, 3>("x");
    auto const states = [&](std::string const& before, std::string const& after) {
        auto all = net.zero_state(xs.shape()[1]);
        sluice::for_each_parameter(all, [&](auto key, auto& tensor) {
            auto const recorded = from.tensor<S, 3>(before + key.c_str() + after);
            REQUIRE(recorded.shape() == tensor.shape());
            tensor = recorded;
        });
        return all;
    };
    auto const compare_states = [&](auto const& found, auto const& expected) {
        sluice::for_each_parameter(found, expected, [&](auto key, auto const& a, auto const& b) {
            CAPTURE(key.c_str());
            CHECK(off_by(a, b) < tolerance);
        });
    };
    auto const run = sluice::unroll(net, xs, states("", "_0"), {.lengths = lengths});
    CHECK(off_by(run.outputs, from.tensor<S, 3>("outputs")) < tolerance);
    compare_states(run.state, states("", "_n"));

    auto const gradients =
        sluice::backward(net, run, from.tensor<S, 3>("gradient/outputs"), states("gradient/", "_n"));
    CHECK(off_by(gradients.inputs, without_padding(from.tensor<S, 3>("gradient/x"), lengths)) < tolerance);
    compare_states(gradients.state, states("gradient/", "_0"));
    CHECK(off_by(gradients.parameters.values(), from.values("gradient/weights")) < tolerance);
}

/// All recordings of a cell in this scalar. `gates` are the letters of the page, in cuDNN's order.
template <class Page, class S>
void all_agree(std::string const& cell, std::string_view gates) {
    std::size_t count = 0;
    for (recording const& one : reference::recordings("cudnn", cell))
        if (one.says("scalar", std::is_same_v<S, double> ? "double" : "float")) {
            agrees<Page, S>(one, gates);
            ++count;
        }
    CHECK(count == 6);
}

} // namespace cudnn_recorded
