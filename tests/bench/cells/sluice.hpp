// SPDX-License-Identifier: BSL-1.0
// This library's side of a work: the cell of a page with given numbers, as a step of a stream, a sequence, or
// a sequence and its gradient.
#pragma once

#include "peers.hpp"
#include <algorithm>
#include <memory>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <utility>

namespace bench {

using sluice::literals::operator""_s;

/// Calls f with W, R and b of each gate in the order of `cell_numbers`.
template <class Page, class F>
void each_gate(F const& f) {
    if constexpr (std::is_same_v<Page, sluice::cudnn_gru> || std::is_same_v<Page, sluice::gru>) {
        f("W_r"_s, "R_r"_s, "b_r"_s);
        f("W_u"_s, "R_u"_s, "b_u"_s);
        f("W_n"_s, "R_n"_s, "b_n"_s);
    } else {
        f("W_i"_s, "R_i"_s, "b_i"_s);
        f("W_f"_s, "R_f"_s, "b_f"_s);
        f("W_j"_s, "R_j"_s, "b_j"_s);
        f("W_o"_s, "R_o"_s, "b_o"_s);
    }
}

/// Columns of one gate of [groups, rows, gates columns]; without groups, of a matrix.
template <std::size_t Rank>
xt::xtensor<float, Rank> columns_of(std::vector<float> const& all, std::array<std::size_t, Rank> const& shape,
                                    std::size_t gates, std::size_t gate) {
    auto one = xt::xtensor<float, Rank>::from_shape(shape);
    std::size_t const columns = shape.back(), rows = one.size() / columns;
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(all.data() + (i * gates + gate) * columns, columns, one.data() + i * columns);
    return one;
}

template <class Page, class Cell>
void assign_numbers(Cell& cell, cell_numbers const& n) {
    std::size_t const groups = n.groups, columns = n.units / groups;
    std::size_t gate = 0;
    each_gate<Page>([&](auto w, auto r, auto b) {
        if constexpr (std::is_same_v<Page, sluice::glstm>) {
            cell.assign(w, columns_of<3>(n.w, {groups, n.input / groups, columns}, n.gates(), gate));
            cell.assign(r, columns_of<3>(n.r, {groups, n.outputs() / groups, columns}, n.gates(), gate));
        } else {
            cell.assign(w, columns_of<2>(n.w, {n.input, n.units}, n.gates(), gate));
            cell.assign(r, columns_of<2>(n.r, {n.outputs(), n.units}, n.gates(), gate));
        }
        cell.assign(b, columns_of<1>(n.b, {n.units}, n.gates(), gate));
        ++gate;
    });
    if constexpr (std::is_same_v<Page, sluice::cudnn_gru>)
        cell.assign("b_Rn"_s, columns_of<1>(n.b_recurrent, {n.units}, 1, 0));
    else if constexpr (!std::is_same_v<Page, sluice::gru>)
        cell.set_setting("forget_bias"_s, 0.f);
    if constexpr (std::is_same_v<Page, sluice::projected_lstm>)
        cell.assign("W_P"_s, columns_of<2>(n.p, {n.units, n.projection}, 1, 0));
}

template <class Values>
std::vector<float> numbers_of(Values const& values) {
    return {values.begin(), values.end()};
}

/// One call of a cell, and what it needs.
template <class Page, bool Trains, class... Policies>
class sluice_caller {
    using cell_type = sluice::cell<Page, float, Policies...>;

public:
    sluice_caller(cell_numbers const& n, sequence const& over)
        : cell_(sluice::sizes{
              .input = n.input, .units = n.units, .projection = n.projection, .groups = n.groups}),
          steps_(over.steps),
          xs_(xt::adapt(over.xs, std::vector<std::size_t>{over.steps, over.batch, n.input})),
          first_(over.batch * n.input) {
        assign_numbers<Page>(cell_, n);
        if constexpr (Trains)
            dys_ = xt::adapt(over.dys, std::vector<std::size_t>{over.steps, over.batch, n.outputs()});
        state_ = cell_.zero_state(over.batch);
        live_ = std::make_unique<sluice::stream<cell_type>>(cell_, over.batch);
    }

    void call() {
        if constexpr (Trains)
            learned_ = learn();
        else if (steps_ > 1)
            outputs_ = sluice::infer(cell_, xs_, state_).outputs;
        else
            live_->step(std::span<float const>(xs_.data(), first_));
    }
    std::vector<float> answer() {
        if constexpr (Trains)
            return learned_numbers();
        if (steps_ > 1)
            return numbers_of(sluice::infer(cell_, xs_, state_).outputs);
        live_->reset();
        live_->step(std::span<float const>(xs_.data(), first_));
        return numbers_of(live_->step(std::span<float const>(xs_.data(), first_)));
    }

private:
    struct nothing {};
    static auto gradients() {
        if constexpr (Trains)
            return sluice::gradients_of<cell_type>{};
        else
            return nothing{};
    }

    cell_type cell_;
    std::size_t steps_;
    xt::xtensor<float, 3> xs_, dys_{}, outputs_{};
    std::size_t first_;
    typename cell_type::state_type state_{};
    std::unique_ptr<sluice::stream<cell_type>> live_{};
    decltype(gradients()) learned_{};

    auto learn() {
        cell_.update_values([](auto) {}); // as after a step of an optimiser
        auto const run = sluice::unroll(cell_, xs_, state_);
        return sluice::backward(cell_, run, dys_);
    }
    std::vector<float> learned_numbers() {
        auto const found = learn();
        auto all = numbers_of(found.inputs);
        each_gate<Page>([&](auto w, auto, auto) {
            xt::xtensor<float, 2> const one = found.parameters[w];
            all.insert(all.end(), one.begin(), one.end());
        });
        return all;
    }
};

template <class Page, bool Trains, class... Policies>
contestant sluice_contestant(char const* called, cell_numbers const& n, sequence const& over) {
    return contestant_with<sluice_caller<Page, Trains, Policies...>>(called, n, over);
}
template <class Page>
contestant sluice_contestant(cell_numbers const& n, sequence const& over) {
    return over.trains() ? sluice_contestant<Page, true>("sluice", n, over)
                         : sluice_contestant<Page, false>("sluice", n, over);
}

} // namespace bench
