// SPDX-License-Identifier: BSL-1.0
// A net one step after the other: what each layer reads, and its states.
#include <sluice/net/steps.hpp>

#include "summing.hpp"
#include <doctest/doctest.h>

namespace steps_test {

using namespace net_test;

namespace {

/// Two layers of one feature. The state of each is its sum so far.
net_type two_sums(calls& seen) {
    net_type two;
    for (std::size_t l = 0; l < 2; ++l) {
        two.layers.push_back(layer_of(1, seen));
        two.layers[l].first_row = l;
        two.layers[l].states = {0};
    }
    two.places = {{"sum", 2, 1}};
    return two;
}
/// The steps of a net, and what they give.
struct running {
    steps y;
    sluice::net_steps<memory> live;

    running(net_type const& of, steps const& parameters, std::size_t batch)
        : y(batch), live(of, nothing, parameters, batch, y.data()) {}
    running(running const&) = delete;
    steps const& step(steps const& x) {
        live.step(x.data());
        return y;
    }
    steps state(std::size_t batch) const {
        std::vector<tensor> found;
        found.push_back(memory::make(2, batch, 1));
        live.copy_state(found);
        return {found[0].begin(), found[0].end()};
    }
};

} // namespace

TEST_CASE("steps: a layer reads in a step what the one before it gives in the same") {
    calls seen;
    auto two = two_sums(seen);
    two.layers[1].is_residual = true;
    steps const all{7};
    running now(two, all, 1);
    CHECK(now.step({1}) == steps{1 + 1});
    CHECK(now.step({2}) == steps{3 + 4});
    CHECK(now.step({-1}) == steps{2 + 6});
    CHECK(now.state(1) == steps{2, 6});
    now.live.refresh(two, all);
    CHECK(seen.parameter == 7);
    two.layers[1].is_residual = false;
    now.live.refresh(two, all);
    CHECK(now.step({0}) == steps{8});
}

TEST_CASE("steps: a net fits that has layers of the same pages and sizes in one direction") {
    calls seen;
    steps const all{7};
    running const now(two_sums(seen), all, 1);
    CHECK(now.live.fits(two_sums(seen)));
    auto other = two_sums(seen);
    other.layers[0].ways[0].page = 1;
    CHECK_FALSE(now.live.fits(other));
    other = two_sums(seen);
    other.layers[1].ways[0].extents.units = 3;
    CHECK_FALSE(now.live.fits(other));
    other = two_sums(seen);
    other.layers[1] = layer_of(1, seen, false, 2);
    CHECK_FALSE(now.live.fits(other));
    other = two_sums(seen);
    other.layers[1].is_reversed = true;
    CHECK_FALSE(now.live.fits(other));
    other = two_sums(seen);
    other.layers.pop_back();
    CHECK_FALSE(now.live.fits(other));
}

TEST_CASE("steps: states are set in all rows of the batch or in one, each layer its own") {
    calls seen;
    auto const two = two_sums(seen);
    running now(two, {}, 2);
    std::vector<tensor> states;
    states.push_back(xt::xtensor<double, 3>{{{10}, {20}}, {{300}, {400}}});
    now.live.set_state(0, states[0].data(), 0, 2);
    CHECK(now.step({1, 2}) == steps{311, 422});
    states[0] *= -1;
    now.live.set_state(0, states[0].data(), 1, 2);
    CHECK(now.state(2) == steps{11, -20, 311, -400});
    CHECK(now.step({0, 1}) == steps{322, -419});
}

TEST_CASE("steps: masks are those of inference, whichever input the layer reads") {
    calls seen;
    net_type one;
    one.layers.push_back(layer_of(1, seen));
    auto& way = one.layers[0].ways[0];
    way.widths = {1, 1};
    way.masks = [](std::size_t, std::size_t, std::optional<std::uint64_t>, std::size_t) {
        return std::vector<tensor>();
    };
    way.constants.resize(2);
    way.constants[0] = way.constants[1] = xt::xtensor<double, 3>{{{100}}};
    running first(one, {}, 3);
    CHECK(first.step({1, 2, 3}) == steps{101, 102, 103});
    way.reads = 1;
    running second(one, {}, 3);
    CHECK(second.step({1, 2, 3}) == steps{101, 102, 103});
    CHECK(second.step({1, 2, 3}) == steps{202, 204, 206});
}

TEST_CASE("steps: inputs may be written where the first layer reads them") {
    calls seen;
    auto const two = two_sums(seen);
    running now(two, {}, 2);
    now.live.input(0)[0] = 3;
    now.live.input(0)[1] = 5;
    now.live.step(now.live.input(0));
    CHECK(now.y == steps{3, 5});
}

} // namespace steps_test
