// SPDX-License-Identifier: BSL-1.0
// What a stack is given may be every kind of thing of xtensor; its parameters are set by name from anything,
// those of another stack too.
#include "stack_check.hpp"

#include <mgu/mgu.hpp>
#include <support/containers.hpp>

namespace stack_containers_test {

using namespace stacks;
using namespace sluice::literals;
using doctest::Contains;

namespace {

constexpr std::size_t time = 4, batch = 2, input = 3, units = 5;

template <class Backend>
auto make(std::string_view called = "stack") {
    return shuffled(sluice::stack<::mgu, float, Backend>({.input = input, .units = units}, {.layers = 2},
                                                         sluice::seed{2}),
                    called);
}
using net_type = decltype(make<sluice::default_backend>());

/// Every parameter of a stack by its name, in a plain tensor.
template <class Map>
xt::xarray<float> taken(Map const& map, std::string_view called) {
    auto const& all = map.array();
    auto const& place = all.places()[all.place_of(called)];
    auto const numbers = place.in(all.values());
    auto made = xt::xarray<float>::from_shape({place.shape().begin(), place.shape().end()});
    std::ranges::copy(numbers, made.begin());
    return made;
}
template <class Map>
xt::xtensor<float, 1> all_of(Map const& map) {
    auto made = xt::xtensor<float, 1>::from_shape({map.values().size()});
    std::ranges::copy(map.values(), made.begin());
    return made;
}

} // namespace

TEST_CASE_TEMPLATE("containers: a stack runs on anything", Backend, sluice::default_backend,
                   sluice::xtensor::reference) {
    auto const net = make<Backend>();
    auto const state = random_states(net.zero_state(batch), "state");
    sluice::unroll_options const ragged{.lengths = {3, 1}};
    auto const unrolled = [&](auto const& xs) { return unroll(net, xs, state).outputs; };
    auto const inferred = [&](auto const& xs) { return infer(net, xs).outputs; };
    auto const with_lengths = [&](auto const& xs) { return infer(net, xs, state, ragged).outputs; };
    for_each_kind<float, time, batch, input>([&](char const* kind, auto const& xs) {
        check_like_copy<3>("unroll", kind, xs, unrolled);
        check_like_copy<3>("infer", kind, xs, inferred);
        check_like_copy<3>("infer with lengths", kind, xs, with_lengths);
    });
    auto const run = unroll(net, random_sequence<float>(time, batch, input), state);
    auto const gradients = [&](auto const& dys) { return all_of(backward(net, run, dys).parameters); };
    for_each_container<float, time, batch, units>(
        [&](char const* kind, auto const& dys) { check_like_copy<3>("backward", kind, dys, gradients); });
}

TEST_CASE("containers: a stream of a stack reads any x") {
    auto const net = make<sluice::default_backend>();
    auto const streamed = [&](auto const& x) {
        sluice::stream live(net, batch);
        return live.step(x);
    };
    for_each_kind<float, batch, input>(
        [&](char const* kind, auto const& x) { check_like_copy<2>("stream", kind, x, streamed); });
}

TEST_CASE("containers: parameters of a stack are set from anything") {
    auto net = make<sluice::default_backend>();
    auto const assigned = [&](auto const& w) {
        net.assign("layer1/W_f", w);
        return all_of(net.parameters());
    };
    auto const in_map = [&](auto const& w) {
        auto map = net.zero_parameters();
        map["layer1/W_f"] = w;
        return all_of(map);
    };
    auto const assigned_bias = [&](auto const& b) {
        net.assign("layer1/b_f", b);
        return all_of(net.parameters());
    };
    for_each_kind<float, units, units>([&](char const* kind, auto const& w) {
        check_like_copy<2>("assign", kind, w, assigned);
        check_like_copy<2>("a tensor of a map", kind, w, in_map);
    });
    for_each_container<float, units>(
        [&](char const* kind, auto const& b) { check_like_copy<1>("assign", kind, b, assigned_bias); });
}

TEST_CASE("containers: a parameter of a stack is set from that of another one") {
    auto net = make<sluice::default_backend>();
    auto const other = make<sluice::default_backend>("other");
    auto map = other.parameters();
    auto const matrix = taken(other.parameters(), "layer0/R_f"), vector = taken(map, "layer1/b_n");
    REQUIRE(taken(net.parameters(), "layer0/R_f") != matrix);
    net.assign("layer0/R_f", other.parameters()["layer0/R_f"]);
    CHECK(taken(net.parameters(), "layer0/R_f") == matrix);
    CHECK(net.cell(0).parameters()["R_f"_s] == matrix);
    net.assign("layer1/b_n", map["layer1/b_n"]);
    CHECK(taken(net.parameters(), "layer1/b_n") == vector);
    map["layer1/b_n"] *= 2.f; // what was assigned is a copy
    CHECK(taken(net.parameters(), "layer1/b_n") == vector);
    auto const x = random_tensor<float, 2>({batch, input}, "x");
    auto twin = make<sluice::default_backend>();
    twin.assign("layer0/R_f", xt::xtensor<float, 2>(matrix));
    twin.assign("layer1/b_n", xt::xtensor<float, 1>(vector));
    sluice::stream live(net, batch), expected(twin, batch);
    for (int step = 0; step < 2; ++step) // it runs with what it has been given
        CHECK(same_bits(live.step(x), expected.step(x)));
}

TEST_CASE("containers: a tensor of a map of a stack is assigned by value") {
    auto const net = make<sluice::default_backend>(), other = make<sluice::default_backend>("other");
    auto p = net.parameters(), q = other.parameters(), from_constant = p;
    auto const before = all_of(q);
    for (auto const& place : p.array().places()) {
        CAPTURE(place.called);
        REQUIRE(taken(p, place.called) != taken(q, place.called));
        p[place.called] = q[place.called];
        from_constant[place.called] = other.parameters()[place.called];
        CHECK(taken(p, place.called) == taken(q, place.called));
    }
    CHECK(same_bits(all_of(from_constant), before));
    CHECK(same_bits(all_of(p), before));
    CHECK(same_bits(all_of(q), before));
    auto const sentence = Contains("a map of parameters expects values of shape [5, 5], but got [3, 5]");
    CHECK_THROWS_WITH_AS(p["layer1/W_f"] = q["layer0/W_f"], sentence, std::invalid_argument);
    CHECK(same_bits(all_of(p), before));
}

} // namespace stack_containers_test
