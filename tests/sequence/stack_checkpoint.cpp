// SPDX-License-Identifier: BSL-1.0
// Stacks in files: by the names of their parameters, with how their layers are put together.
#include "stack_check.hpp"

#include <checkpoint/support.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/checkpoint/checkpoint.hpp>

namespace stack_checkpoint_test {

using namespace stacks;
using doctest::Contains;

namespace {

using net_type = sluice::stack<sluice::gru, double>;

net_type make(sluice::stack_options const& how) {
    return shuffled(net_type({.input = 4, .units = 4}, how));
}
template <class Net>
std::vector<double> numbers(Net const& net) {
    return {net.parameters().values().begin(), net.parameters().values().end()};
}

struct leaky {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = setting<"leak">(0.5_n) * h + x * W<"h"> + h * fixed(matrix<"M">));
    }();
};

} // namespace

TEST_CASE("stack checkpoint: a stack is saved and loaded, alone and with its optimiser") {
    checkpoint_test::folder const folder;
    for (direction way : {direction::unidirectional, direction::bidirectional, direction::reversed}) {
        auto const net = make({.layers = 3, .direction = way, .dropout = 0.5});
        save(folder / "net", net);
        auto other = net_type({.input = 4, .units = 4}, {.layers = 3, .direction = way}, sluice::seed{9});
        CHECK(numbers(other) != numbers(net));
        load(folder / "net", other);
        CHECK(numbers(other) == numbers(net));
        auto const xs = random_sequence<double>(3, 2, 4);
        CHECK(same_bits(infer(other, xs, other.zero_state(2)).outputs,
                        infer(net, xs, net.zero_state(2)).outputs));
        CHECK(other.options().dropout == 0); // rates are the program's

        auto trained = net;
        sluice::sgd optimizer(trained, {.learning_rate = 0.1, .momentum = 0.9}), again = optimizer;
        auto const step = [&](net_type& of, sluice::sgd<net_type>& with) {
            auto const run = unroll(of, xs, of.zero_state(2), {.draw = 0});
            with.step(of, backward(of, run, run.outputs).parameters);
        };
        step(trained, optimizer);
        save(folder / "both", trained, optimizer);
        auto loaded = net;
        load(folder / "both", loaded, again);
        step(trained, optimizer);
        step(loaded, again);
        CHECK(numbers(loaded) == numbers(trained));
    }
}

TEST_CASE("stack checkpoint: a file has the names of the layers") {
    sluice::archive contents;
    store(contents, make({.layers = 2, .direction = direction::bidirectional}));
    std::vector<double> values(16, 0.5);
    std::array<std::size_t, 2> const shape{4, 4};
    CHECK_NOTHROW(contents.copy<double>("layer0/forward/R_r", shape, std::span<double>(values)));
    CHECK(values[0] != 0.5);
    std::vector<double> wide(32);
    std::array<std::size_t, 2> const of_next{8, 4};
    CHECK_NOTHROW(contents.copy<double>("layer1/backward/W_n", of_next, std::span<double>(wide)));
    CHECK_THROWS(contents.copy<double>("layer0/R_r", shape, std::span<double>(values)));
}

TEST_CASE("stack checkpoint: a file of another stack is refused, and nothing changes") {
    checkpoint_test::folder const folder;
    auto const net = make({.layers = 2});
    save(folder / "net", net);
    auto const check = [&](auto other, char const* words) {
        auto const before = numbers(other);
        CHECK_THROWS_WITH_AS(load(folder / "net", other), Contains(words), sluice::checkpoint_error);
        CHECK(numbers(other) == before);
    };
    check(make({.layers = 3}), "the equations are not those of the object");
    check(make({.layers = 1}), "the equations are not those of the object");
    check(make({.layers = 2, .direction = direction::reversed}), "layer 0, reversed");
    check(make({.layers = 2, .direction = direction::bidirectional}), "layer 0, bidirectional");
    check(make({.layers = 2, .residual = residual::between_layers}), "plus its input");
    check(make({.layers = 2, .residual = residual::all}), "plus its input");
    check(net_type({.input = 4, .units = 5}, {.layers = 2}), "layer0/");
    check(sluice::stack<sluice::lstm, double>({.input = 4, .units = 4}, {.layers = 2}), "equations");
    check(sluice::stack<sluice::gru, float>({.input = 4, .units = 4}, {.layers = 2}), "layer0/");
    // the same layers, each with its page in the type: the same file
    sluice::stack<sluice::layers<sluice::gru, sluice::gru>, double> listed(
        {{.input = 4, .units = 4}, {.units = 4}});
    load(folder / "net", listed);
    CHECK(numbers(listed) == numbers(net));
}

TEST_CASE("stack checkpoint: settings and fixed parameters of every layer are saved; without a value, "
          "nothing runs") {
    using stack_type = sluice::stack<leaky, double>;
    constexpr sluice::sizes sizes{.input = 2, .units = 2};
    stack_type net(sizes, {.layers = 2}, {}, {{"leak", 0.125}});
    stack_type other(sizes, {.layers = 2});
    auto const xs = random_sequence<double>(3, 1, 2);
    auto const state = net.zero_state(1);
    auto const refuses = [&] {
        CHECK_THROWS_WITH_AS(unroll(net, xs, state), Contains("needs the fixed parameter layer0/M"),
                             std::logic_error);
        CHECK_THROWS_AS(infer(net, xs, state), std::logic_error);
        CHECK_THROWS_AS(sluice::stream(net, 1), std::logic_error);
    };
    refuses();
    net.assign("layer1/M", random_tensor<double, 2>({2, 2}, "M1"));
    refuses();
    auto const copy = net;
    CHECK_THROWS_AS(infer(copy, xs, state), std::logic_error);
    net.assign("layer0/M", random_tensor<double, 2>({2, 2}, "M0"));
    auto const expected = infer(net, xs, state).outputs;

    sluice::archive contents;
    store(contents, net);
    CHECK_THROWS_AS(infer(other, xs, state), std::logic_error);
    restore(contents, other);
    CHECK(same_bits(infer(other, xs, state).outputs, expected));

    sluice::sgd optimizer(net);
    auto const run = unroll(net, xs, state);
    optimizer.step(net, backward(net, run, run.outputs).parameters);
    CHECK(net.parameters()["layer0/M"] == other.parameters()["layer0/M"]);
    CHECK(net.parameters()["layer1/W_h"] != other.parameters()["layer1/W_h"]);
    CHECK(net.parameter_count() == 8);
    CHECK(net.parameters().values().size() == 16);
}

} // namespace stack_checkpoint_test
