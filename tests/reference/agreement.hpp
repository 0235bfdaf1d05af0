// SPDX-License-Identifier: BSL-1.0
// Stacks with the weights of a recording give its outputs, its last states, and all of its gradients.
#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <reference/recording.hpp>
#include <reference/weights.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
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

/// How near numbers have to be.
template <class S>
double tolerance(recording const& from) {
    return std::is_same_v<S, double> && !from.says("framework", "ONNX") ? 1e-11 : 1e-5;
}

/// A stack with the weights of a recording.
template <class Page, class How>
auto stack_of(recording const& from, sluice::settings const& settings) {
    using S = typename How::scalar;
    auto const all = weights_of(from);
    cover_all(from, all);
    sluice::stack<Page, S, typename How::backend> net(
        {.input = from.number("input"),
         .units = from.number("units"),
         .projection = from.number("projection")},
        {.layers = from.number("layers"), .direction = from.direction()}, {}, settings);
    auto const places = net.parameters().array().places();
    REQUIRE(places.size() == all.size());
    net.update_values([&](std::span<S> to) {
        for (sluice::tensor_place const& place : places) {
            std::vector<double> sum(place.count());
            for (block const& part : all.at(place.called)) {
                auto const more = values(from, part);
                REQUIRE(more.size() == sum.size());
                std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), std::plus<>());
            }
            std::transform(sum.begin(), sum.end(), place.in(to).begin(),
                           [](double v) { return static_cast<S>(v); });
        }
    });
    return net;
}

/// States or their gradients: `before` h `after`.
template <class State>
State read_states(recording const& from, std::string const& before, std::string const& after) {
    State result;
    sluice::for_each_parameter(result, [&](auto key, auto& tensor) {
        using S = typename std::decay_t<decltype(tensor)>::value_type;
        tensor = from.tensor<S, 3>(before + key.c_str() + after);
    });
    return result;
}
template <class State>
void compare_states(recording const& from, std::string const& before, std::string const& after,
                    State const& found, double near) {
    sluice::for_each_parameter(found, [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        CHECK(off(tensor, from.values(before + key.c_str() + after)) < near);
    });
}

/// f(number of the last step, number of a step after it), for all that lie after the end of a sequence.
template <class S, class F>
void behind_the_end(xt::xtensor<S, 3>& steps, std::vector<std::size_t> const& lengths, F f) {
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        REQUIRE(lengths[r] > 0);
        for (std::size_t t = lengths[r]; t < steps.shape()[0]; ++t)
            for (std::size_t i = 0; i < steps.shape()[2]; ++i)
                f(steps(lengths[r] - 1, r, i), steps(t, r, i));
    }
}

/// Outputs, zeros after the end of a sequence, and last states.
template <class S, class State>
void agrees_forward(recording const& from, xt::xtensor<S, 3> outputs, State const& last) {
    if (from.says("behind the end", "last output"))
        behind_the_end(outputs, from.lengths(), [](S before, S& later) { later = before; });
    CHECK(off(outputs, from.values("outputs")) < tolerance<S>(from));
    compare_states(from, "", "_n", last, tolerance<S>(from));
}

/// Runs a stack forward and backward, compares all but the gradients of the parameters, and gives those:
/// zeros where a recording has no gradients.
template <class Net>
auto agrees_but_for_parameters(recording const& from, Net const& net) {
    using S = typename Net::scalar_type;
    using state = typename Net::state_type;
    auto const run = sluice::unroll(net, from.tensor<S, 3>("x"), read_states<state>(from, "", "_0"),
                                    {.lengths = from.lengths()});
    agrees_forward(from, run.outputs, run.state);
    if (!from.has_gradients())
        return net.zero_parameters();

    auto dys = from.tensor<S, 3>("gradient/outputs");
    if (from.says("behind the end", "last output")) // what comes back to a repeated output is the last one's
        behind_the_end(dys, from.lengths(), [](S& last, S later) { last += later; });
    auto const found = sluice::backward(net, run, dys, read_states<state>(from, "gradient/", "_n"));
    CHECK(off(found.inputs, from.values("gradient/x")) < tolerance<S>(from));
    compare_states(from, "gradient/", "_0", found.state, tolerance<S>(from));
    return found.parameters;
}

template <class Page, class How>
void reproduces(recording const& from, sluice::settings const& settings) {
    using S = typename How::scalar;
    CAPTURE(from.name);
    auto const found = agrees_but_for_parameters(from, stack_of<Page, How>(from, settings));
    if (!from.has_gradients())
        return;
    auto const all = weights_of(from);
    for (sluice::tensor_place const& place : found.array().places())
        for (block const& part : all.at(place.called)) {
            CAPTURE(place.called);
            CAPTURE(part.array);
            CHECK(off(found[place.called], values(from, part, "gradient/")) < tolerance<S>(from));
        }
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
