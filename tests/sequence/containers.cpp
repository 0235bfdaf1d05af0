// SPDX-License-Identifier: BSL-1.0
// What unroll, infer and backward are given may be every kind of thing of xtensor: from each they compute
// what they compute from a plain copy.
#include <mgu/mgu.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/containers.hpp>

namespace sequence_containers_test {

using namespace support;
using namespace sluice::literals;

namespace {

constexpr std::size_t time = 4, batch = 2, input = 3, units = 5;

template <class Backend>
sluice::cell<::mgu, float, Backend> make() {
    sluice::cell<::mgu, float, Backend> cell({.input = input, .units = units}, sluice::seed{2});
    randomize(cell);
    return cell;
}

} // namespace

TEST_CASE_TEMPLATE("containers: a sequence is read from any xs", Backend, sluice::default_backend,
                   sluice::xtensor::reference) {
    auto const cell = make<Backend>();
    auto const state = random_map(cell.zero_state(batch), "state");
    sluice::unroll_options const ragged{.lengths = {3, 1}};
    sluice::unroll_options const restarted{.resets = distinct<bool, 2>({time, batch}, "resets")};
    auto const unrolled = [&](auto const& xs) { return unroll(cell, xs, state).outputs; };
    auto const inferred = [&](auto const& xs) { return infer(cell, xs, state).outputs; };
    auto const without_state = [&](auto const& xs) { return infer(cell, xs).outputs; };
    auto const with_lengths = [&](auto const& xs) { return infer(cell, xs, state, ragged).outputs; };
    auto const with_resets = [&](auto const& xs) { return infer(cell, xs, state, restarted).outputs; };
    for_each_kind<float, time, batch, input>([&](char const* kind, auto const& xs) {
        check_like_copy<3>("unroll", kind, xs, unrolled);
        check_like_copy<3>("infer", kind, xs, inferred);
        check_like_copy<3>("infer without a state", kind, xs, without_state);
        check_like_copy<3>("infer with lengths", kind, xs, with_lengths);
        check_like_copy<3>("infer with resets", kind, xs, with_resets);
    });
}

TEST_CASE_TEMPLATE("containers: backward reads any gradients", Backend, sluice::default_backend,
                   sluice::xtensor::reference) {
    auto const cell = make<Backend>();
    auto const state = random_map(cell.zero_state(batch), "state");
    auto const run = unroll(cell, random_sequence<float>(time, batch, input), state);
    auto const of_inputs = [&](auto const& dys) { return backward(cell, run, dys).inputs; };
    for_each_kind<float, time, batch, units>([&](char const* kind, auto const& dys) {
        check_like_copy<3>("gradients of the outputs", kind, dys, of_inputs);
    });
    auto const dys = random_like(run.outputs, "dys");
    auto const with_dstate = [&](auto const& dh) {
        auto dstate = state;
        dstate["h"_s] = dh;
        return backward(cell, run, dys, dstate).inputs;
    };
    for_each_container<float, batch, units>([&](char const* kind, auto const& dh) {
        check_like_copy<2>("a gradient of the state", kind, dh, with_dstate);
    });
    auto const of_outputs = backward(cell, run, 2.f * run.outputs);
    CHECK(same_map(of_outputs.parameters,
                   backward(cell, run, xt::xtensor<float, 3>(2.f * run.outputs)).parameters));
}

TEST_CASE("containers: resets are any mask") {
    auto const cell = make<sluice::default_backend>();
    auto const state = random_map(cell.zero_state(batch), "state");
    auto const xs = random_sequence<float>(time, batch, input);
    auto const restarted = [&](auto const& mask) { return infer(cell, xs, state, {.resets = mask}).outputs; };
    for_each_kind<bool, time, batch>(
        [&](char const* kind, auto const& mask) { check_like_copy<2>("resets", kind, mask, restarted); });
}

TEST_CASE_TEMPLATE("containers: sequences without rows and without time steps are read from anything",
                   Backend, sluice::default_backend, sluice::xtensor::reference) {
    auto const cell = make<Backend>();
    for (std::array<std::size_t, 3> const shape :
         {std::array<std::size_t, 3>{0, batch, input}, {time, 0, input}}) {
        std::array<std::size_t, 3> const expected{shape[0], shape[1], units};
        xt::xtensor<float, 3> const plain = xt::zeros<float>(shape);
        float* const nowhere = nullptr;
        auto const check = [&](auto const& xs) {
            CHECK(unroll(cell, xs).outputs.shape() == expected);
            CHECK(infer(cell, xs).outputs.shape() == expected);
        };
        check(plain);
        check(xt::adapt(nowhere, 0, xt::no_ownership(), shape));
        check(plain + 1.f);
        check(xt::view(plain, xt::all()));
        check(xt::xtensor<float, 3, xt::layout_type::column_major>(plain));
    }
}

} // namespace sequence_containers_test
