// SPDX-License-Identifier: BSL-1.0
// A net one step after the other: what each layer reads, and its states.
#include <sluice/net/steps.hpp>

#include "summing.hpp"
#include <doctest/doctest.h>

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
steps step(sluice::net_steps<memory>& of, steps const& x) {
    double const* const y = of.step(x.data());
    return {y, y + x.size()};
}
steps state_of(sluice::net_steps<memory> const& of, std::size_t batch) {
    std::vector<tensor> found;
    found.push_back(memory::make(2, batch, 1));
    of.copy_state(found);
    return {found[0].begin(), found[0].end()};
}

} // namespace

TEST_CASE("steps: a layer reads in a step what the one before it gives in the same") {
    calls seen;
    auto two = two_sums(seen);
    two.layers[1].is_residual = true;
    steps const all{7};
    sluice::net_steps<memory> live(two, nothing, all, 1);
    CHECK(step(live, {1}) == steps{1 + 1});
    CHECK(step(live, {2}) == steps{3 + 4});
    CHECK(step(live, {-1}) == steps{2 + 6});
    CHECK(state_of(live, 1) == steps{2, 6});
    live.refresh(two, all);
    CHECK(seen.parameter == 7);
    two.layers[1].is_residual = false;
    live.refresh(two, all);
    CHECK(step(live, {0}) == steps{8});
}

TEST_CASE("steps: a net fits that has layers of the same pages and sizes in one direction") {
    calls seen;
    steps const all{7};
    sluice::net_steps<memory> const live(two_sums(seen), nothing, all, 1);
    CHECK(live.fits(two_sums(seen)));
    auto other = two_sums(seen);
    other.layers[0].ways[0].page = 1;
    CHECK_FALSE(live.fits(other));
    other = two_sums(seen);
    other.layers[1].ways[0].extents.units = 3;
    CHECK_FALSE(live.fits(other));
    other = two_sums(seen);
    other.layers[1] = layer_of(1, seen, false, 2);
    CHECK_FALSE(live.fits(other));
    other = two_sums(seen);
    other.layers.pop_back();
    CHECK_FALSE(live.fits(other));
}

TEST_CASE("steps: states are set in all rows of the batch or in one, each layer its own") {
    calls seen;
    auto const two = two_sums(seen);
    sluice::net_steps<memory> live(two, nothing, {}, 2);
    std::vector<tensor> states;
    states.push_back(xt::xtensor<double, 3>{{{10}, {20}}, {{300}, {400}}});
    live.set_state(states, 0, 2);
    CHECK(step(live, {1, 2}) == steps{311, 422});
    states[0] *= -1;
    live.set_state(states, 1, 2);
    CHECK(state_of(live, 2) == steps{11, -20, 311, -400});
    CHECK(step(live, {0, 1}) == steps{322, -419});
}

TEST_CASE("steps: masks are those of inference, whichever input the layer reads") {
    calls seen;
    net_type one;
    one.layers.push_back(layer_of(1, seen));
    auto& way = one.layers[0].ways[0];
    way.widths = {1, 1};
    way.masks = [](std::size_t, std::size_t, std::optional<std::uint64_t>) { return std::vector<tensor>(); };
    way.constants.resize(2);
    way.constants[0] = way.constants[1] = xt::xtensor<double, 3>{{{100}}};
    sluice::net_steps<memory> first(one, nothing, {}, 3);
    CHECK(step(first, {1, 2, 3}) == steps{101, 102, 103});
    way.reads = 1;
    sluice::net_steps<memory> second(one, nothing, {}, 3);
    CHECK(step(second, {1, 2, 3}) == steps{101, 102, 103});
    CHECK(step(second, {1, 2, 3}) == steps{202, 204, 206});
}
