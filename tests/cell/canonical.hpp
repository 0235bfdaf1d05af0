// SPDX-License-Identifier: BSL-1.0
// cuDNN's cells with cuDNN's parameters are the cells with one bias for each gate, under the mapping W = W^T,
// b = b_W + b_R, forward and backward; both biases of a gate have the gradient of their sum.
#pragma once

#include <support/agreement.hpp>

namespace canonical {

using namespace support;
using namespace sluice::literals;

template <class Tensor>
auto turned(Tensor const& tensor) {
    xt::xtensor<double, 2> const matrix = tensor;
    return xt::xtensor<double, 2>(xt::transpose(matrix));
}

/// What a pair of cells says of itself: each(f) calls f(W, R, b_W, b_R of the canonical page, W, R, b of the
/// other one) for every gate that has one bias there, rest(f) calls f(parameter, parameter of the other page)
/// for whatever is left.
template <class Gates, class Canonical, class Other>
void are_the_same(sluice::settings const& numbers = {}) {
    example<planned<Canonical>> const e(4, 3);
    sluice::cell<Other, double> other(e.cell.extents(), {}, numbers);
    auto const& w = e.cell.parameters();
    auto const as_there = [](auto const& tensor) {
        if constexpr (std::tuple_size_v<std::decay_t<decltype(tensor.shape())>> == 2)
            return turned(tensor);
        else
            return xt::xtensor<double, 1>(tensor);
    };
    Gates::each([&](auto W, auto R, auto bW, auto bR, auto to_W, auto to_R, auto to_b) {
        other.assign(to_W, as_there(w[W]));
        other.assign(to_R, as_there(w[R]));
        other.assign(to_b, xt::xtensor<double, 1>(w[bW] + w[bR]));
    });
    Gates::rest([&](auto key, auto to) { other.assign(to, as_there(w[key])); });

    using state_type = typename decltype(other)::state_type;
    auto const there = [&](auto const& from) {
        state_type state = other.zero_state(e.batch);
        sluice::for_each_parameter(state, [&](auto key, auto& tensor) { tensor = from[key]; });
        return state;
    };
    std::vector<std::size_t> const lengths{2, 4, 3};
    auto const run = unroll(e.cell, e.xs, e.state, {.lengths = lengths});
    auto const run_there = unroll(other, e.xs, there(e.state), {.lengths = lengths});
    double const rounding = 1e-14;
    CHECK(distance(run.outputs, run_there.outputs) < rounding);
    CHECK(state_distance(there(run.state), run_there.state) < rounding);

    auto const d = backward(e.cell, run, e.dys, e.dstate);
    auto const d_there = backward(other, run_there, e.dys, there(e.dstate));
    CHECK(distance(d.inputs, d_there.inputs) < rounding);
    CHECK(state_distance(there(d.state), d_there.state) < rounding);
    std::size_t compared = 0;
    auto const same = [&](auto key, auto key_there) {
        CAPTURE(key.c_str());
        CHECK(distance(as_there(d.parameters[key]), d_there.parameters[key_there]) < rounding);
        ++compared;
    };
    Gates::each([&](auto W, auto R, auto bW, auto bR, auto to_W, auto to_R, auto to_b) {
        same(W, to_W);
        same(R, to_R);
        same(bW, to_b);
        same(bR, to_b);
    });
    Gates::rest(same);
    CHECK(compared == names(w).size());
}

} // namespace canonical
