// SPDX-License-Identifier: BSL-1.0
#include "peers.hpp"
#include <algorithm>
#include <memory>
#include <sluice/xtensor.hpp>
#include <utility>

namespace bench {

namespace {

using sluice::literals::operator""_s;

/// Columns of one gate of [rows, gates units].
xt::xtensor<float, 2> gate_of(std::vector<float> const& all, std::size_t rows, std::size_t gates,
                              std::size_t units, std::size_t gate) {
    auto one = xt::xtensor<float, 2>::from_shape({rows, units});
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(all.data() + (i * gates + gate) * units, units, one.data() + i * units);
    return one;
}
xt::xtensor<float, 1> gate_of(std::vector<float> const& all, std::size_t units, std::size_t gate) {
    auto one = xt::xtensor<float, 1>::from_shape({units});
    std::copy_n(all.data() + gate * units, units, one.data());
    return one;
}

template <class Cell>
auto gates_of(Cell& cell, cell_numbers const& n) {
    return [&](std::size_t gate, auto w, auto r, auto b) {
        cell.assign(w, gate_of(n.w, n.input, n.gates(), n.units, gate));
        cell.assign(r, gate_of(n.r, n.units, n.gates(), n.units, gate));
        cell.assign(b, gate_of(n.b, n.units, gate));
    };
}
template <class Cell>
void assign(Cell& cell, cell_numbers const& n, sluice::cudnn_gru const*) {
    auto const put = gates_of(cell, n);
    put(0, "W_r"_s, "R_r"_s, "b_r"_s);
    put(1, "W_u"_s, "R_u"_s, "b_u"_s);
    put(2, "W_n"_s, "R_n"_s, "b_n"_s);
    cell.assign("b_Rn"_s, gate_of(n.b_recurrent, n.units, 0));
}
template <class Cell>
void assign(Cell& cell, cell_numbers const& n, sluice::lstm const*) {
    auto const put = gates_of(cell, n);
    put(0, "W_i"_s, "R_i"_s, "b_i"_s);
    put(1, "W_f"_s, "R_f"_s, "b_f"_s);
    put(2, "W_j"_s, "R_j"_s, "b_j"_s);
    put(3, "W_o"_s, "R_o"_s, "b_o"_s);
    cell.set_setting("forget_bias"_s, 0.f);
}

template <class Values>
std::vector<float> numbers(Values const& values) {
    return {values.begin(), values.end()};
}

/// One call of a cell, and what it needs.
template <class Page, class... Policies>
class caller {
    using cell_type = sluice::cell<Page, float, Policies...>;

public:
    caller(cell_numbers const& n, sequence const& over)
        : cell_({.input = n.input, .units = n.units}), steps_(over.steps),
          xs_(xt::adapt(over.xs, std::vector<std::size_t>{over.steps, over.batch, n.input})),
          first_(over.batch * n.input) {
        assign(cell_, n, static_cast<Page const*>(nullptr));
        if (!over.dys.empty())
            dys_ = xt::adapt(over.dys, std::vector<std::size_t>{over.steps, over.batch, n.units});
        state_ = cell_.zero_state(over.batch);
        live_ = std::make_unique<sluice::stream<cell_type>>(cell_, over.batch);
    }

    void call() {
        if (dys_.size() > 0)
            learned_ = learn();
        else if (steps_ > 1)
            outputs_ = sluice::infer(cell_, xs_, state_).outputs;
        else
            live_->step(std::span<float const>(xs_.data(), first_));
    }
    std::vector<float> answer() {
        if (dys_.size() > 0)
            return learned_numbers();
        if (steps_ > 1)
            return numbers(sluice::infer(cell_, xs_, state_).outputs);
        live_->reset();
        live_->step(std::span<float const>(xs_.data(), first_));
        return numbers(live_->step(std::span<float const>(xs_.data(), first_)));
    }

private:
    cell_type cell_;
    std::size_t steps_;
    xt::xtensor<float, 3> xs_, dys_{}, outputs_{};
    std::size_t first_;
    typename cell_type::state_type state_{};
    std::unique_ptr<sluice::stream<cell_type>> live_{};
    sluice::gradients_of<cell_type> learned_{};

    sluice::gradients_of<cell_type> learn() {
        cell_.update_values([](auto) {}); // as behind a step of an optimiser
        auto const run = sluice::unroll(cell_, xs_, state_);
        return sluice::backward(cell_, run, dys_);
    }
    std::vector<float> learned_numbers() {
        auto const found = learn();
        auto all = numbers(found.inputs);
        auto const add = [&](auto key) {
            xt::xtensor<float, 2> const one = found.parameters[key];
            all.insert(all.end(), one.begin(), one.end());
        };
        if constexpr (std::is_same_v<Page, sluice::lstm>)
            add("W_i"_s), add("W_f"_s), add("W_j"_s), add("W_o"_s);
        else
            add("W_r"_s), add("W_u"_s), add("W_n"_s);
        return all;
    }
};

template <class Page, class... Policies>
contestant contestant_of(char const* called, cell_numbers const& n, sequence const& over) {
    auto const all = std::make_shared<caller<Page, Policies...>>(n, over);
    return {called, [all] { all->call(); }, [all] { return all->answer(); }};
}
template <std::size_t Units>
using fixed = sluice::extents<sluice::sizes{.input = Units, .units = Units}>;

} // namespace

contestant this_library(cell_numbers const& cell, sequence const& over) {
    return cell.kind == cell_kind::lstm ? contestant_of<sluice::lstm>("sluice", cell, over)
                                        : contestant_of<sluice::cudnn_gru>("sluice", cell, over);
}

std::optional<contestant> this_library_fixed(cell_numbers const& cell, sequence const& over) {
    if (cell.kind != cell_kind::cudnn_gru || cell.input != cell.units || over.steps > 1 || !over.dys.empty())
        return {};
    switch (cell.units) {
    case 8:
        return contestant_of<sluice::cudnn_gru, fixed<8>>("sluice, fixed sizes", cell, over);
    case 16:
        return contestant_of<sluice::cudnn_gru, fixed<16>>("sluice, fixed sizes", cell, over);
    case 32:
        return contestant_of<sluice::cudnn_gru, fixed<32>>("sluice, fixed sizes", cell, over);
    case 64:
        return contestant_of<sluice::cudnn_gru, fixed<64>>("sluice, fixed sizes", cell, over);
    default:
        return {};
    }
}

} // namespace bench
