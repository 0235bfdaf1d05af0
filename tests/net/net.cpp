// SPDX-License-Identifier: BSL-1.0
// A net: what each engine is given, and where its outputs and gradients go.
#include <sluice/net/net.hpp>

#include "summing.hpp"
#include <doctest/doctest.h>

namespace net_test {

using namespace net_test;

TEST_CASE("net: one direction runs as it is, a reversed one from its own end") {
    calls seen;
    net_type forward, back;
    forward.layers.push_back(layer_of(2, seen));
    back.layers.push_back(layer_of(2, seen, true));
    CHECK(row_of(forward.infer(nothing, {}, on(numbered(3, 2, 2))).outputs, 1) == steps{1, 12, 33});
    auto given = on(numbered(3, 2, 2), {3, 2});
    xt::xtensor<bool, 2> const resets{{false, false}, {true, false}, {false, true}};
    given.resets = resets;
    auto const ys = back.infer(nothing, {}, std::move(given)).outputs;
    CHECK(row_of(ys, 0) == steps{30, 30, 20}); // 20, 20 + 10, 20 + 10 + 0, turned round
    CHECK(row_of(ys, 1)[0] == 12);
    CHECK(row_of(ys, 1)[1] == 11);
    CHECK(seen.lengths == std::vector<std::size_t>{3, 2});
    // Before step 1 of row 0 is before step 2 on its way back.
    CHECK(seen.resets == std::vector<std::size_t>{4});
    CHECK(seen.inferred == 2);
}

TEST_CASE("net: of both directions outputs stand side by side, and the gradients of the input are added") {
    calls seen;
    net_type both;
    both.layers.push_back(layer_of(2, seen, false, 2));
    std::shared_ptr<sluice::net_tape<memory> const> tape;
    auto const ys = both.forward(nothing, {}, on(numbered(3, 1, 2)), tape).outputs;
    CHECK(row_of(ys, 0, 0) == steps{0, 10, 30});
    CHECK(row_of(ys, 0, 1) == steps{100, 210, 330});
    CHECK(row_of(ys, 0, 2) == steps{30, 30, 20});
    CHECK(row_of(ys, 0, 3) == steps{330, 230, 120});

    auto const dxs = both.backward(nothing, {}, *tape, {.outputs = numbered(3, 1, 4)}, {});
    REQUIRE(dxs.inputs.size() == 1);
    CHECK(row_of(dxs.inputs[0], 0, 0) == steps{2000, 2200, 2400}); // ten times features 0 and 2
    CHECK(row_of(dxs.inputs[0], 0, 1) == steps{4000, 4200, 4400});
    auto const unwanted =
        both.backward(nothing, {}, *tape, {.outputs = numbered(3, 1, 4), .want_inputs = false}, {});
    CHECK(unwanted.inputs.empty());
}

TEST_CASE("net: a layer reads the one before it, a residual one gives its input besides") {
    calls seen;
    net_type two;
    two.layers.push_back(layer_of(2, seen));
    two.layers.push_back(layer_of(2, seen));
    two.layers[1].is_residual = true;
    std::shared_ptr<sluice::net_tape<memory> const> tape;
    auto const ys = two.forward(nothing, {}, on(numbered(3, 1, 2)), tape).outputs;
    CHECK(row_of(ys, 0) == steps{0, 10 + 10, 30 + 40}); // sums 0 10 30, and theirs 0 10 40
    auto const back = two.backward(nothing, {}, *tape, {.outputs = numbered(3, 1, 2)}, {});
    CHECK(row_of(back.inputs[0], 0) == steps{0, 10 * 11 * 10, 10 * 11 * 20});
}

TEST_CASE("net: states of all layers and directions are rows, each of which goes to its engine") {
    calls seen;
    net_type two;
    for (std::size_t l = 0; l < 2; ++l) {
        two.layers.push_back(layer_of(2, seen, false, 2));
        two.layers[l].first_row = 2 * l;
        two.layers[l].states = {0};
    }
    two.layers[1] = layer_of(4, seen, false, 2);
    two.layers[1].first_row = 2;
    two.layers[1].states = {0};
    two.places = {{"n", 4, 1}};
    auto given = on(numbered(3, 1, 2));
    given.states.push_back(tensor({4, 1, 1}, 0.));
    given.states[0].flat(2) = 7;
    std::shared_ptr<sluice::net_tape<memory> const> tape;
    auto const found = two.forward(nothing, {}, std::move(given), tape);
    REQUIRE(found.states.size() == 1);
    CHECK(row_of(found.states[0], 0) == steps{3, 3, 10, 3});
    sluice::net_upstream<memory> upstream{.outputs = numbered(3, 1, 8)};
    upstream.states.push_back(found.states[0]);
    auto const back = two.backward(nothing, {}, *tape, std::move(upstream), {});
    CHECK(row_of(back.states[0], 0) == steps{4, 4, 11, 4});
}

TEST_CASE("net: dropout is between layers, in a draw, and the same for the gradients") {
    calls seen;
    net_type two;
    two.layers.push_back(layer_of(2, seen));
    two.layers.push_back(layer_of(2, seen));
    two.layers[0].after = two.layers[1].after = sluice::dropout(1);
    std::shared_ptr<sluice::net_tape<memory> const> with, without;
    auto drawn = on(numbered(3, 1, 2));
    drawn.draw = 3;
    CHECK(row_of(two.forward(nothing, {}, std::move(drawn), with).outputs, 0) == steps{0, 0, 0});
    CHECK(row_of(two.forward(nothing, {}, on(numbered(3, 1, 2)), without).outputs, 0) == steps{0, 10, 40});
    two.layers[0].after = sluice::dropout(0); // the last layer drops nothing
    auto last = on(numbered(3, 1, 2));
    last.draw = 3;
    std::shared_ptr<sluice::net_tape<memory> const> of_last;
    CHECK(row_of(two.forward(nothing, {}, std::move(last), of_last).outputs, 0) == steps{0, 10, 40});
    two.layers[0].after = sluice::dropout(1);
    auto const dropped = two.backward(nothing, {}, *with, {.outputs = numbered(3, 1, 2)}, {});
    CHECK(row_of(dropped.inputs[0], 0, 1) == steps{0, 0, 0});
    auto const whole = two.backward(nothing, {}, *without, {.outputs = numbered(3, 1, 2)}, {});
    CHECK(row_of(whole.inputs[0], 0, 1) == steps{10000, 11000, 12000});
}

TEST_CASE("net: engines see all parameters, and write the gradients of their own") {
    calls seen;
    net_type one;
    one.layers.push_back(
        layer_of(2, seen, false, 1, {{.called = "b", .rank = 1, .extents = {1, 1, 2}, .first = 3}}));
    steps const all{0, 0, 0, 5, 6};
    one.refresh(all);
    CHECK(seen.refreshed == 1);
    std::shared_ptr<sluice::net_tape<memory> const> tape;
    one.forward(nothing, all, on(numbered(2, 1, 2)), tape);
    CHECK(seen.parameter == 5);
    steps gradients(5, -1);
    one.backward(nothing, all, *tape, {.outputs = numbered(2, 1, 2)}, gradients);
    CHECK(gradients == steps{-1, -1, -1, 1, 1});
}

TEST_CASE("net: one engine runs all layers where it has them, but for resets") {
    calls seen, of_whole;
    net_type two;
    two.layers.push_back(layer_of(2, seen, true));
    two.layers.push_back(layer_of(2, seen, true));
    two.whole = std::make_unique<summing>(2, 100, of_whole);
    two.seed_of_whole = [](std::uint64_t draw, std::size_t first_row) { return draw + first_row; };
    std::shared_ptr<sluice::net_tape<memory> const> tape;
    CHECK(row_of(two.forward(nothing, {}, on(numbered(3, 1, 2)), tape).outputs, 0) ==
          steps{3000, 3000, 2000});
    auto const back = two.backward(nothing, {}, *tape, {.outputs = numbered(3, 1, 2)}, {});
    CHECK(row_of(back.inputs[0], 0) == steps{0, 100, 200});
    auto given = on(numbered(3, 1, 2));
    given.resets = xt::xtensor<bool, 2>(xt::zeros<bool>({3, 1}));
    CHECK(row_of(two.infer(nothing, {}, std::move(given)).outputs, 0) == steps{80, 50, 20});
    CHECK((seen.inferred == 2 && of_whole.inferred == 0));
    two.refresh({});
    CHECK((seen.refreshed == 2 && of_whole.refreshed == 1));
}

} // namespace net_test
