// SPDX-License-Identifier: BSL-1.0
// The language model: what it drops, its shards and ranks, and what it stores.

#include "../../apps/char_lm/layered.hpp"

#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/threads.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <support/tensors.hpp>
#include <type_traits>
#include <vector>

using namespace char_lm;

namespace {

constexpr std::size_t symbols = 5;

// A state that decays by the time since the last step, and the same cell with that time as 1.
using namespace sluice::equation;
struct by_time {
    static constexpr auto equations = sluice::lines(
        next(h) = tanh(x * W<"h"> + input<"seen", 3> * W<"m"> + (h * input<"time", units>)*R<"h"> + b<"h">));
};

template <class Page>
options two_layers(std::size_t shards, double dropout) {
    options o;
    o.layers = 2;
    o.units = 6;
    o.groups = 1;
    if constexpr (std::is_same_v<Page, sluice::projected_glstm>) {
        o.groups = 2;
        o.projection = 4;
    }
    o.shards = shards;
    o.dropout = dropout;
    return o;
}

// Windows of a stream in which each symbol has others around it.
window some_window(std::size_t index, std::size_t count, std::size_t steps = 4) {
    std::vector<symbol> stream(77);
    for (std::size_t i = 0; i < stream.size(); ++i)
        stream[i] = static_cast<symbol>(i * i / 3 % symbols);
    return lanes(stream, count, steps).at(index);
}

// The same symbols in every lane.
window equal_lanes(std::size_t count) {
    const window one = some_window(0, 1);
    window w{.time = one.time, .lanes = count, .inputs = {}, .targets = {}};
    for (std::size_t t = 0; t < one.time; ++t) {
        w.inputs.insert(w.inputs.end(), count, one.inputs[t]);
        w.targets.insert(w.targets.end(), count, one.targets[t]);
    }
    return w;
}

sluice::transport& alone() {
    static sluice::alone one;
    return one;
}

// The cost of a step from the beginning, at which nothing is learnt.
double cost(network& net, const window& w, std::size_t step) {
    net.forget(w.lanes);
    return net.train(w, step, 0);
}

} // namespace

TEST_CASE_TEMPLATE("layered: what is dropped follows from the step and the lane", Page, sluice::gru,
                   sluice::projected_glstm) {
    layered<Page> net(two_layers<Page>(1, 0.5), symbols, alone());
    const window w = equal_lanes(1), two = equal_lanes(2);
    const double first = cost(net, w, 0), second = cost(net, w, 1);
    CHECK(first != second);
    CHECK(cost(net, w, 0) == first);
    CHECK(cost(net, w, 1) == second);

    // the lanes are dropped in different places, whatever shard they are in
    const double both = cost(net, two, 0);
    CHECK(both != doctest::Approx(2 * first).epsilon(1e-6));
    layered<Page> other(two_layers<Page>(2, 0.5), symbols, alone());
    CHECK(cost(other, two, 0) == doctest::Approx(both).epsilon(1e-6));
    CHECK(cost(other, two, 1) == doctest::Approx(cost(net, two, 1)).epsilon(1e-6));

    options single = two_layers<Page>(1, 0.5);
    single.layers = 1; // all of its dropout is on what leaves the last layer
    layered<Page> one(single, symbols, alone());
    CHECK(cost(one, w, 0) != cost(one, w, 1));

    net.begin_reading(1);
    layered<Page> without(two_layers<Page>(1, 0), symbols, alone());
    CHECK(net.read(w) == doctest::Approx(cost(without, w, 0)).epsilon(1e-6)); // a reader drops nothing
}

TEST_CASE_TEMPLATE("layered: each window goes on where the last one ended", Page, sluice::gru,
                   sluice::projected_glstm) {
    constexpr std::size_t count = 5;
    layered<Page> net(two_layers<Page>(2, 0), symbols, alone());
    const window first = some_window(0, count), second = some_window(1, count);
    const double whole = cost(net, some_window(0, count, 8), 0), begin = cost(net, first, 0);
    CHECK(begin + net.train(second, 1, 0) == doctest::Approx(whole).epsilon(1e-6));
    CHECK(begin + cost(net, second, 1) != doctest::Approx(whole).epsilon(1e-6));

    net.begin_reading(count);
    const double read = net.read(first);
    CHECK(read + net.read(second) == doctest::Approx(whole).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("layered: shards together learn what one learns", Page, sluice::gru,
                   sluice::projected_glstm) {
    constexpr std::size_t count = 5;
    layered<Page> one(two_layers<Page>(1, 0), symbols, alone()),
        three(two_layers<Page>(3, 0), symbols, alone());
    one.forget(count);
    three.forget(count);
    double first = 0, last = 0;
    for (std::size_t step = 0; step < 40; ++step) {
        const window w = some_window(step % 4, count);
        last = one.train(w, step, 0.01);
        CHECK(three.train(w, step, 0.01) == doctest::Approx(last).epsilon(1e-4));
        first = step == 0 ? last : first;
    }
    CHECK(last < 0.9 * first);
}

TEST_CASE_TEMPLATE("layered: what is stored goes on as what was not", Page, sluice::gru,
                   sluice::projected_glstm) {
    constexpr std::size_t count = 5;
    layered<Page> net(two_layers<Page>(2, 0.3), symbols, alone()),
        copy(two_layers<Page>(2, 0.3), symbols, alone());
    net.forget(count);
    for (std::size_t step = 0; step < 3; ++step)
        net.train(some_window(step, count), step, 0.01);
    sluice::archive tensors;
    net.store_model(tensors, "model/");
    net.store_memory(tensors);

    copy.forget(count);
    copy.load_model(tensors, "model/");
    copy.load_memory(tensors);
    for (std::size_t step = 3; step < 6; ++step) {
        const window w = some_window(step % 4, count);
        CHECK(copy.train(w, step, 0.01) == net.train(w, step, 0.01));
    }
    copy.begin_reading(1);
    net.begin_reading(1);
    for (symbol s = 0; s < symbols; ++s)
        CHECK(copy.predict(s) == net.predict(s));
}

TEST_CASE_TEMPLATE("layered: any number of ranks learns and reads the same, to the bit", Page, sluice::gru,
                   sluice::projected_glstm) {
    constexpr std::size_t count = 7;
    std::vector<std::vector<double>> found;
    for (const int ranks : {1, 2, 3, 4}) {
        std::vector<double> mine;
        sluice::run_ranks(ranks, [&](sluice::transport& all) {
            layered<Page> net(two_layers<Page>(3, 0.3), symbols, all);
            net.forget(count);
            std::vector<double> numbers;
            for (std::size_t step = 0; step < 12; ++step)
                numbers.push_back(net.train(some_window(step % 4, count), step, 0.01));
            net.begin_reading(5);
            numbers.push_back(net.read(some_window(0, 5)));
            net.gather();
            sluice::archive tensors;
            net.store_memory(tensors);
            for (const sluice::stored_tensor& tensor : tensors.tensors())
                if (tensor.type == sluice::dtype::f32)
                    for (const float value : tensors.at<float>(tensor.name))
                        numbers.push_back(value);
            if (all.rank() == all.size() - 1)
                mine = numbers;
        });
        found.push_back(mine);
    }
    CHECK(found[0].size() > 100);
    for (const auto& one : found)
        CHECK(one == found[0]);
}

TEST_CASE("layered: inputs beside x are 1") {
    using namespace sluice::literals;
    using page = x_alone<by_time>;
    options o = two_layers<page>(1, 0);
    sluice::stack<page> const net({.input = 3, .units = 3}, {}, sluice::seed{3});
    sluice::cell<by_time> cell({.input = 3, .units = 3}, sluice::seed{3});
    cell.update_values(
        [&](std::span<float> to) { std::ranges::copy(net.parameters().values(), to.begin()); });
    xt::xtensor<float, 3> const xs = support::random_sequence<float>(4, 2, 3, "x"),
                                ones = xt::ones<float>({4, 2, 3});
    auto const by_itself = sluice::unroll(net, xs, net.zero_state(2));
    auto const both =
        sluice::unroll(cell, sluice::inputs("x"_s, xs, "seen"_s, ones, "time"_s, ones), cell.zero_state(2));
    CHECK(by_itself.outputs == both.outputs);
    CHECK(sluice::infer(net, xs, net.zero_state(2)).outputs == both.outputs);
    layered<page> model(o, symbols, alone());
    model.forget(2);
    CHECK(std::isfinite(model.train(some_window(0, 2), 0, 0.01)));
}
