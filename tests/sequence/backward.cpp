// SPDX-License-Identifier: BSL-1.0
// Gradients that are told of while others are computed: all of them once, those of later layers first, and
// those that do not change any more. tests/law compares gradients with the equations.
#include <sluice/sequence/backward.hpp>

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace backward_test {

// A cell whose state starts at a parameter, which is also a peephole.
struct started {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + h * p<"h">), initial(h) = p<"h">);
    }();
};

struct told {
    std::vector<std::size_t> firsts; // of each call
    std::vector<double> numbers;     // as they were then
    std::vector<int> times;
};

template <class Net>
told what_is_told(Net const& net, bool gives_state) {
    std::size_t const count = net.parameters().values().size();
    told found{{}, std::vector<double>(count), std::vector<int>(count)};
    auto const xs = support::random_tensor<double, 3>({5, 3, net.input_size()}, "xs");
    auto const dys = support::random_tensor<double, 3>({5, 3, net.output_size()}, "dys");
    auto const run = gives_state ? unroll(net, xs, net.zero_state(3)) : unroll(net, xs);
    auto const all =
        backward(net, run, dys, {.ready = [&](std::size_t first, std::span<double const> numbers) {
                     found.firsts.push_back(first);
                     REQUIRE(numbers.size() <= count - first);
                     for (std::size_t i = 0; i < numbers.size(); ++i) {
                         found.numbers[first + i] = numbers[i];
                         ++found.times[first + i];
                     }
                 }});
    CHECK(found.times == std::vector<int>(count, 1));
    CHECK(std::ranges::equal(found.numbers, all.parameters.values()));
    CHECK(std::ranges::equal(all.parameters.values(), backward(net, run, dys).parameters.values()));
    return found;
}

TEST_CASE("backward: layers are told of from the last to the first") {
    using pages = sluice::layers<sluice::gru, sluice::lstm, sluice::dense>;
    sluice::stack<pages, double> const net({{.input = 3, .units = 5}, {.units = 4}, {.units = 2}}, {},
                                           sluice::seed{3});
    auto const found = what_is_told(net, false);
    auto const layer_of = [&](std::size_t first) {
        for (auto const& place : net.parameters().array().places())
            if (place.first == first)
                return place.called.substr(0, place.called.find('/'));
        return std::string("none");
    };
    std::vector<std::string> layers;
    for (std::size_t const first : found.firsts)
        if (layers.empty() || layers.back() != layer_of(first))
            layers.push_back(layer_of(first));
    CHECK(layers == std::vector<std::string>{"layer2", "layer1", "layer0"});
}

TEST_CASE("backward: of one cell, of both directions, and of states that start at parameters") {
    what_is_told(sluice::cell<sluice::gru, double>({.input = 3, .units = 5}, sluice::seed{3}), false);
    what_is_told(sluice::stack<sluice::lstm, double>(
                     {.input = 3, .units = 5}, {.layers = 2, .direction = sluice::direction::bidirectional},
                     sluice::seed{3}),
                 true);
    for (bool const gives_state : {false, true}) {
        what_is_told(sluice::cell<started, double>({.input = 3, .units = 5}, sluice::seed{3}), gives_state);
        using pages = sluice::layers<sluice::gru, started, sluice::dense>;
        sluice::stack<pages, double> const net({{.input = 3, .units = 5}, {.units = 4}, {.units = 2}}, {},
                                               sluice::seed{3});
        auto const found = what_is_told(net, gives_state);
        CHECK(std::ranges::is_sorted(found.firsts) == false);
        // Where the state is not given, those of the middle layer come last.
        auto const& places = net.parameters().array().places();
        auto const last = std::ranges::find(places, found.firsts.back(), &sluice::tensor_place::first);
        REQUIRE(last != places.end());
        CHECK(last->called.substr(0, 6) == (gives_state ? "layer0" : "layer1"));
    }
}

TEST_CASE("backward: an exception of who is told ends it") {
    sluice::stack<sluice::gru, double> const net({.input = 3, .units = 5}, {2}, sluice::seed{3});
    auto const run = unroll(net, support::random_tensor<double, 3>({5, 3, 3}, "xs"));
    int calls = 0;
    CHECK_THROWS_WITH_AS(backward(net, run, run.outputs,
                                  {.ready =
                                       [&](std::size_t, std::span<double const>) {
                                           ++calls;
                                           throw std::runtime_error("the rope is too short");
                                       }}),
                         "the rope is too short", std::runtime_error);
    CHECK(calls == 1);
    CHECK_NOTHROW(backward(net, run, run.outputs)); // the run and the net are as they were
}

} // namespace backward_test
