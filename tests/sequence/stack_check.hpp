// SPDX-License-Identifier: BSL-1.0
// Stacks of tests, and a stack by hand: its cells one after the other, flipped and added up here.
#pragma once

#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/nets.hpp>

namespace stacks {

using namespace support;
using sluice::direction;
using sluice::residual;

/// Two states of different widths, an output of a third.
struct two_states {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto a = state<"a">;
        constexpr auto m = state<"m", 2>;
        return sluice::lines(gate<"z"> = sigmoid(x * W<"z"> + m * R<"z"> + b<"z">),
                             next(a) = gate<"z"> * a + (1 - gate<"z">)*tanh(x * W<"a"> + b<"a">),
                             next(m) = tanh(next(a) * W<"m"> - m), output = next(m) * W<"y", 3> + b<"y">);
    }();
};

/// Row r backwards, within its length.
template <class S>
xt::xtensor<S, 3> flipped(xt::xtensor<S, 3> const& values, lengths_type const& lengths) {
    xt::xtensor<S, 3> result = values;
    for (std::size_t r = 0; r < values.shape()[1]; ++r) {
        std::size_t const end = lengths.empty() ? values.shape()[0] : lengths[r];
        for (std::size_t t = 0; t < end; ++t)
            xt::view(result, t, r) = xt::view(values, end - 1 - t, r);
    }
    return result;
}
template <class S>
xt::xtensor<S, 3> features(xt::xtensor<S, 3> const& values, std::size_t first, std::size_t last) {
    return xt::view(values, xt::all(), xt::all(), xt::range(first, last));
}
template <class S>
xt::xtensor<S, 3> beside(xt::xtensor<S, 3> const& a, xt::xtensor<S, 3> const& b) {
    return xt::concatenate(xt::xtuple(a, b), 2);
}

/// A stack of one page, by its cells.
template <class Net>
struct by_hand {
    using S = typename Net::scalar_type;
    using cell_type = std::decay_t<decltype(std::declval<Net const&>().cell(0))>;
    using tensor = xt::xtensor<S, 3>;

    Net const& net;
    lengths_type lengths;
    tensor outputs{};
    typename Net::state_type state{};
    std::vector<std::vector<cell_type>> cells{};
    std::vector<std::vector<sluice::run_of<cell_type>>> runs{};

    by_hand(Net const& stack, tensor const& xs, typename Net::state_type const& start, lengths_type given)
        : net(stack), lengths(std::move(given)), outputs(xs), state(start) {
        for (std::size_t r = 0; r < lengths.size(); ++r) // zeros after the ends
            for (std::size_t t = lengths[r]; t < xs.shape()[0]; ++t)
                xt::view(outputs, t, r) = S(0);
        for (std::size_t l = 0; l < net.layers(); ++l) {
            tensor const read = outputs;
            auto& ways = runs.emplace_back();
            auto& of_layer = cells.emplace_back();
            for (std::size_t d = 0; d < net.directions(); ++d) {
                of_layer.push_back(net.cell(l, d));
                cell_type const& cell = of_layer.back();
                ways.push_back(sluice::unroll(cell, is_backward(d) ? flipped(read, lengths) : read,
                                              row(start, cell, l, d), {.lengths = lengths}));
                auto const& run = ways.back();
                auto const ys = is_backward(d) ? flipped(run.outputs, lengths) : run.outputs;
                outputs = d == 0 ? ys : beside(outputs, ys);
                put_row(state, run.state, l, d);
            }
            if (adds(l))
                outputs += read;
        }
    }

    /// Compares the gradients of the stack with those of its cells.
    template <class Gradients>
    void check(Gradients const& found, tensor dys, typename Net::state_type const& dstate) const {
        for (std::size_t r = 0; r < lengths.size(); ++r)
            for (std::size_t t = lengths[r]; t < dys.shape()[0]; ++t)
                xt::view(dys, t, r) = S(0);
        for (std::size_t l = net.layers(); l-- > 0;) {
            CAPTURE(l);
            tensor dxs;
            for (std::size_t d = 0; d < net.directions(); ++d) {
                CAPTURE(d);
                cell_type const& cell = cells[l][d];
                tensor const part = features(dys, d * cell.output_size(), (d + 1) * cell.output_size());
                auto const g =
                    sluice::backward(cell, runs[l][d], is_backward(d) ? flipped(part, lengths) : part,
                                     row(dstate, cell, l, d));
                auto const dx = is_backward(d) ? flipped(g.inputs, lengths) : g.inputs;
                dxs = d == 0 ? dx : tensor(dxs + dx);
                CHECK(map_distance(found.parameters.at(l, d), g.parameters) < near_enough<S>);
                auto const of_states = row(found.state, cell, l, d);
                CHECK(near_states(of_states, g.state));
            }
            dys = adds(l) ? tensor(dxs + dys) : dxs;
        }
        CHECK(near(found.inputs, dys));
    }

private:
    bool is_backward(std::size_t d) const { return net.options().direction == direction::reversed || d == 1; }
    bool adds(std::size_t l) const {
        return net.options().residual == residual::all ||
               (net.options().residual == residual::between_layers && l > 0);
    }
    auto row(typename Net::state_type const& all, cell_type const& cell, std::size_t l, std::size_t d) const {
        auto one = cell.zero_state(outputs.shape()[1]);
        sluice::for_each_parameter(
            one, [&](auto key, auto& values) { values = xt::view(all[key], l * net.directions() + d); });
        return one;
    }
    void put_row(typename Net::state_type& all, typename cell_type::state_type const& one, std::size_t l,
                 std::size_t d) const {
        sluice::for_each_parameter(one, [&](auto key, auto const& values) {
            xt::view(all[key], l * net.directions() + d) = values;
        });
    }
};

/// A stack of every depth and direction against its cells: forward, in inference, and backward.
template <class Page, class... Policies>
void check_by_hand(sluice::sizes const& n) {
    using net_type = sluice::stack<Page, Policies...>;
    using S = typename net_type::scalar_type;
    std::size_t const steps = 4, batch = 3;
    for (direction way : {direction::unidirectional, direction::bidirectional, direction::reversed})
        for (residual added : {residual::none, residual::between_layers, residual::all})
            for (std::size_t layers : {1u, 2u, 3u}) {
                if (sluice::passes<Page>::states.empty() && way != direction::unidirectional)
                    continue; // it has no direction
                sluice::sizes given = n;
                if (added == residual::all)
                    given.input = net_type(given, {.direction = way}).output_size();
                auto const net =
                    shuffled(net_type(given, {.layers = layers, .direction = way, .residual = added}));
                auto const state = random_states(net.zero_state(batch), "start");
                for (lengths_type const& lengths :
                     {lengths_type{}, lengths_type{4, 0, 2}, lengths_type{4, 4, 4}}) {
                    CAPTURE(layers);
                    CAPTURE(static_cast<int>(way));
                    CAPTURE(static_cast<int>(added));
                    CAPTURE(lengths.size());
                    auto const xs = padded_with_nan(random_sequence<S>(steps, batch, given.input), lengths);
                    by_hand<net_type> const hand(net, xs, state, lengths);
                    auto const run = unroll(net, xs, state, {.lengths = lengths});
                    CHECK(run.outputs.shape() == std::array{steps, batch, net.output_size()});
                    CHECK(near(run.outputs, hand.outputs));
                    CHECK(near_states(run.state, hand.state));
                    auto const found = infer(net, xs, state, {.lengths = lengths});
                    CHECK(near(found.outputs, hand.outputs));
                    CHECK(near_states(found.state, hand.state));
                    auto const dys = padded_with_nan(random_like(run.outputs, "dys"), lengths);
                    auto const dstate = random_states(run.state, "dstate");
                    auto const gradients = backward(net, run, dys, dstate);
                    hand.check(gradients, dys, dstate);
                    auto const without = backward(net, run, dys, dstate, {.inputs = false});
                    CHECK(without.inputs.size() == 0);
                    CHECK(std::ranges::equal(without.parameters.values(), gradients.parameters.values()));
                }
            }
}

} // namespace stacks
