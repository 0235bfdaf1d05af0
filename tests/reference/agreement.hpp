// SPDX-License-Identifier: BSL-1.0
// Cells with the weights of a recording give its outputs, its last states, and all of its gradients.
#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <reference/by_hand.hpp>
#include <reference/recording.hpp>
#include <reference/weights.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace reference {

/// A scalar, and the backend that runs it.
template <class S, class Backend>
struct computed {
    using scalar = S;
    using backend = Backend;
};
using in_double = computed<double, sluice::xtensor::planned>;
using in_float = computed<float, sluice::xtensor::planned>;
using interpreted_in_double = computed<double, sluice::xtensor::reference>;

/// The largest difference, relative to the largest expected number. A NaN, which is not near, where there are
/// no numbers, another count of them, or nothing but zeros.
template <class Values>
double off(Values const& found, std::vector<double> const& expected) {
    double largest = 0, difference = 0;
    auto other = found.begin();
    if (found.size() != expected.size())
        return support::not_comparable;
    for (double const value : expected) {
        largest = std::max(largest, std::abs(value));
        difference = support::worse(difference, std::abs(static_cast<double>(*other++) - value));
    }
    return largest > 0 ? difference / largest : support::not_comparable;
}

/// Cells with the weights of every layer and direction.
template <class Page, class How>
auto cells_of(recording const& from, std::vector<weights> const& all, sluice::settings const& settings) {
    using S = typename How::scalar;
    using cell = sluice::cell<Page, S, typename How::backend>;
    sluice::sizes sizes{.units = from.number("units"), .projection = from.number("projection")};
    std::vector<cell> result;
    for (std::size_t row = 0; row < all.size(); ++row) {
        std::size_t const directions = from.reversed().size();
        sizes.input = row < directions ? from.number("input") : directions * result[0].output_size();
        cell one(sizes, sluice::seed{}, settings);
        one.update([&](auto key, std::span<S> to) {
            std::vector<double> sum(to.size());
            for (block const& part : all[row].at(key.c_str())) {
                auto const more = values(from, part);
                REQUIRE(more.size() == to.size());
                std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), std::plus<>());
            }
            std::transform(sum.begin(), sum.end(), to.begin(), [](double v) { return static_cast<S>(v); });
        });
        result.push_back(std::move(one));
    }
    return result;
}

/// States or their gradients, which lie in one tensor [rows, batch, width] for each name of a state: `before` h
/// `after`.
template <class State>
std::vector<State> read_states(recording const& from, std::string const& before, std::string const& after) {
    std::vector<State> result(from.number("layers") * from.reversed().size());
    for (std::size_t row = 0; row < result.size(); ++row)
        sluice::for_each_parameter(result[row], [&](auto key, auto& tensor) {
            using S = typename std::decay_t<decltype(tensor)>::value_type;
            auto const all = from.tensor<S, 3>(before + key.c_str() + after);
            std::size_t const batch = all.shape()[1], width = all.shape()[2];
            REQUIRE(all.shape()[0] == result.size());
            tensor = xt::xtensor<S, 2>::from_shape({batch, width});
            std::copy_n(all.data() + row * batch * width, batch * width, tensor.data());
        });
    return result;
}
template <class State>
void compare_states(recording const& from, std::string const& before, std::string const& after,
                    std::vector<State> const& found, double tolerance) {
    sluice::for_each_parameter(found[0], [&](auto key, auto const&) {
        std::vector<double> all;
        for (State const& state : found)
            all.insert(all.end(), state[key].begin(), state[key].end());
        CAPTURE(key.c_str());
        CHECK(off(all, from.values(before + key.c_str() + after)) < tolerance);
    });
}

/// f(number of the last step, number of a step behind it), for all that lie behind the end of a sequence.
template <class S, class F>
void behind_the_end(xt::xtensor<S, 3>& steps, std::vector<std::size_t> const& lengths, F f) {
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        REQUIRE(lengths[r] > 0);
        for (std::size_t t = lengths[r]; t < steps.shape()[0]; ++t)
            for (std::size_t i = 0; i < steps.shape()[2]; ++i)
                f(steps(lengths[r] - 1, r, i), steps(t, r, i));
    }
}

template <class Page, class How>
void reproduces(recording const& from, sluice::settings const& settings) {
    using S = typename How::scalar;
    CAPTURE(from.name);
    bool const is_exact = std::is_same_v<S, double> && !from.says("framework", "ONNX");
    double const tolerance = is_exact ? 1e-11 : 1e-5;
    bool const repeats = from.says("behind the end", "last output");
    auto const all = weights_of(from);
    cover_all(from, all);

    by_hand const network(cells_of<Page, How>(from, all, settings), from.reversed());
    using state = typename decltype(network)::state;
    auto run = network.unroll(from.tensor<S, 3>("x"), read_states<state>(from, "", "_0"), from.lengths());
    xt::xtensor<S, 3> outputs = run.outputs;
    if (repeats)
        behind_the_end(outputs, from.lengths(), [](S last, S& later) { later = last; });
    CHECK(off(outputs, from.values("outputs")) < tolerance);
    compare_states(from, "", "_n", run.last, tolerance);

    if (from.says("framework", "ONNX")) // has no gradients
        return;
    auto dys = from.tensor<S, 3>("gradient/outputs");
    if (repeats) // what comes back to a repeated output is the last one's
        behind_the_end(dys, from.lengths(), [](S& last, S later) { last += later; });
    auto const gradients = network.backward(run, dys, read_states<state>(from, "gradient/", "_n"));
    CHECK(off(gradients.inputs, from.values("gradient/x")) < tolerance);
    compare_states(from, "gradient/", "_0", gradients.first, tolerance);
    for (std::size_t row = 0; row < all.size(); ++row)
        sluice::for_each_parameter(gradients.parameters[row], [&](auto key, auto const& found) {
            for (block const& part : all[row].at(key.c_str())) {
                CAPTURE(row);
                CAPTURE(part.array);
                CAPTURE(part.number);
                CHECK(off(found, values(from, part, "gradient/")) < tolerance);
            }
        });
}

/// All recordings of a cell, of which there are so many.
template <class Page, class How>
void reproduces_all(std::string const& framework, std::string const& cell, std::size_t count,
                    sluice::settings const& settings = {}) {
    auto const all = recordings(framework, cell);
    CHECK(all.size() == count);
    for (recording const& one : all)
        reproduces<Page, How>(one, settings);
}

} // namespace reference
