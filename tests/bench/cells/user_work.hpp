// SPDX-License-Identifier: BSL-1.0
// A page as a contestant: parameters and inputs are numbers that other languages make as easily.
#pragma once

#include "peers.hpp"
#include <cmath>
#include <cstdint>
#include <sluice/cells/page_name.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <tuple>

namespace bench {

/// Number i of a series: the upper bits of a product, between -1 and 1.
inline float spread(std::uint32_t i, std::uint32_t series) {
    std::uint32_t const bits = (i + 1) * 2654435761u + series * 40503u;
    return static_cast<float>((bits ^ (bits >> 15)) >> 8) * 0x1p-23f - 1.f;
}
inline xt::xtensor<float, 3> spread_over(std::size_t steps, std::size_t batch, std::size_t width,
                                         std::uint32_t series) {
    auto all = xt::xtensor<float, 3>::from_shape({steps, batch, width});
    for (std::size_t i = 0; i < all.size(); ++i)
        all.data()[i] = spread(static_cast<std::uint32_t>(i), series);
    return all;
}

/// The numbers of a cell.
template <class Cell>
void spread_values(Cell& cell, sluice::sizes const& n) {
    cell.update_values([&](auto values) {
        float const size = std::sqrt(3.f / static_cast<float>(n.units));
        std::uint32_t i = 0;
        for (float& value : values)
            value = size * spread(i++, 3);
    });
}

/// A sequence over a page's cell, and its gradient where asked.
template <class Page, bool Trains, class... Policies>
class page_caller {
    using cell_type = sluice::cell<Page, float, Policies...>;

public:
    page_caller(std::size_t steps, std::size_t batch, sluice::sizes const& n, std::size_t outputs)
        : cell_(n), xs_(spread_over(steps, batch, n.input, 1)), dys_(spread_over(steps, batch, outputs, 2)),
          state_(cell_.zero_state(batch)) {
        spread_values(cell_, n);
    }
    void call() {
        if constexpr (Trains) {
            cell_.update_values([](auto) {}); // as after a step of an optimiser
            run_ = sluice::unroll(cell_, xs_, state_);
            found_ = sluice::backward(cell_, run_, dys_);
        } else {
            outputs_ = sluice::infer(cell_, xs_, state_).outputs;
        }
    }
    std::vector<float> answer() {
        call();
        if constexpr (Trains) {
            std::vector<float> all(found_.inputs.begin(), found_.inputs.end());
            auto const values = found_.parameters.values();
            all.insert(all.end(), values.begin(), values.end());
            return all;
        } else {
            return {outputs_.begin(), outputs_.end()};
        }
    }

private:
    struct nothing {};
    template <class Cell>
    static auto tape() {
        if constexpr (Trains)
            return decltype(sluice::unroll(std::declval<Cell&>(), xt::xtensor<float, 3>{},
                                           std::declval<typename Cell::state_type&>())){};
        else
            return nothing{};
    }
    template <class Cell>
    static auto gradients() {
        if constexpr (Trains)
            return sluice::gradients_of<Cell>{};
        else
            return nothing{};
    }

    cell_type cell_;
    xt::xtensor<float, 3> xs_, dys_, outputs_{};
    typename cell_type::state_type state_;
    decltype(tape<cell_type>()) run_{};
    decltype(gradients<cell_type>()) found_{};
};

/// The steps of a stream, one row each: what a program that waits for each input calls.
template <class Page>
class step_caller {
public:
    explicit step_caller(sluice::sizes const& n) : cell_(n), x_(spread_over(1, 1, n.input, 1)) {
        spread_values(cell_, n);
    }
    void call() { live_.step(std::span<float const>(x_.data(), x_.size())); }
    std::vector<float> answer() {
        live_.reset();
        auto const y = live_.step(std::span<float const>(x_.data(), x_.size()));
        return {y.begin(), y.end()};
    }

private:
    sluice::cell<Page, float> cell_;
    xt::xtensor<float, 3> x_;
    sluice::stream<sluice::cell<Page, float>> live_{cell_};
};
template <class Page>
contestant step_contestant(sluice::sizes const& n) {
    return contestant_with<step_caller<Page>>("sluice", n);
}

template <class Page, bool Trains, class... Policies>
contestant page_contestant(char const* called, std::size_t steps, std::size_t batch, sluice::sizes const& n,
                           std::size_t outputs) {
    return contestant_with<page_caller<Page, Trains, Policies...>>(called, steps, batch, n, outputs);
}

/// A page's sequence, and its gradient where asked: its cell, and the reference lowering's answer that it is
/// compared with.
template <class Page, bool Trains = false>
work work_of_page(std::size_t steps, std::size_t batch, std::size_t units) {
    sluice::sizes const n = sluice::sizes_for<Page>(units, units);
    std::size_t const outputs = n.projection > 0 ? n.projection : units;
    work w;
    w.flops = sluice::cost_of<Page>(n).products() * static_cast<double>(steps * batch) * (Trains ? 3 : 1);
    w.all.push_back(page_contestant<Page, Trains>("sluice", steps, batch, n, outputs));
    w.all.push_back(page_contestant<Page, Trains, sluice::xtensor::reference>("the reference lowering", steps,
                                                                              batch, n, outputs));
    w.all.back().call = {}; // it gives an answer only
    return w;
}

/// The same of a cell of 4 heads whose state is a matrix for each, of 16 inputs; one time step of one row is
/// a step of a stream. All it computes is counted.
template <class Page, bool Trains = false>
work work_of_heads(std::size_t steps, std::size_t batch, std::size_t units) {
    sluice::sizes n = sluice::sizes_for<Page>(16, units);
    n.groups = 4;
    work w;
    sluice::plan_cost const cost = sluice::cost_of<Page>(n);
    double const rows = static_cast<double>(steps * batch);
    w.flops = cost.flops() * rows * (Trains ? 3 : 1);
    if (!Trains) { // a gradient goes over them in its own passes
        double const numbers = cost.loop.matrices - (steps == 1 ? 0 : cost.loop.joined);
        w.state_bytes = numbers * rows * sizeof(float);
        std::size_t const heads_in_turn = steps == 1 ? n.groups : 1; // a sequence stays with one
        w.state_size =
            static_cast<double>(heads_in_turn * (units / n.groups) * (units / n.groups) * sizeof(float));
    }
    if (steps == 1 && batch == 1 && !Trains)
        w.all.push_back(step_contestant<Page>(n));
    else
        w.all.push_back(page_contestant<Page, Trains>("sluice", steps, batch, n, units));
    w.all.push_back(page_contestant<Page, Trains, sluice::xtensor::reference>("the reference lowering", steps,
                                                                              batch, n, units));
    w.all.back().call = {}; // it gives an answer only
    return w;
}

using page_maker = work (*)(std::size_t steps, std::size_t batch, std::size_t units);
struct named_page {
    char const* called;
    page_maker make;
};

} // namespace bench
