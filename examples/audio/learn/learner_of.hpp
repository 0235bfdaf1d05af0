// SPDX-License-Identifier: BSL-1.0
// The learner (learn/learner.hpp) of one cell.
#pragma once

#include "learner.hpp"

#include <algorithm>
#include <functional>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/model/write_model.hpp>
#include <sluice/xtensor.hpp>

namespace audio {

using tensor = xt::xtensor<float, 3>;

/// Samples from..from + count of every segment, [time, batch, 1].
inline tensor columns(std::span<float const> sound, std::span<std::size_t const> starts, std::size_t from,
                      std::size_t count) {
    auto made = tensor::from_shape({count, starts.size(), 1});
    for (std::size_t b = 0; b < starts.size(); ++b)
        for (std::size_t t = 0; t < count; ++t)
            made(t, b, 0) = sound[starts[b] + from + t];
    return made;
}

inline void add(tensor& to, tensor const& more) {
    std::transform(to.begin(), to.end(), more.begin(), to.begin(), std::plus<>());
}
inline xt::xtensor<float, 2> last_of(tensor const& all) {
    return xt::view(all, all.shape()[0] - 1);
}

template <class Cell>
class learner_of final : public learner {
    using net = sluice::stack<sluice::layers<Cell, sluice::dense>>;

public:
    learner_of(std::size_t units, std::uint64_t seed)
        : net_({sluice::sizes_for<Cell>(1, units), {.units = 1}}, {}, sluice::seed{seed}), optimizer_(net_) {}

    std::size_t parameter_count() const override { return net_.parameter_count(); }

    double learn(piece const& from, std::span<std::size_t const> starts, double rate) override {
        auto state = net_.initial_state(starts.size());
        tensor t = columns(from.wet, starts, 0, warm_up), y = columns(from.dry, starts, 0, warm_up);
        auto warm = sluice::infer(net_, y, state);
        state = std::move(warm.state);
        add(y, warm.outputs);
        double sum = 0;
        for (std::size_t p = 0; p < parts; ++p) {
            xt::xtensor<float, 2> const y_before = last_of(y), t_before = last_of(t);
            y = columns(from.dry, starts, warm_up + p * part, part);
            t = columns(from.wet, starts, warm_up + p * part, part);
            auto run = sluice::unroll(net_, y, state);
            add(y, run.outputs);
            auto const loss = sluice::error_to_signal(y, t, {}, y_before, t_before);
            auto gradients = sluice::backward(net_, run, loss.gradient, {.inputs = false});
            sluice::clip_by_global_norm(1, gradients.parameters);
            optimizer_.set_learning_rate(rate);
            optimizer_.step(net_, gradients.parameters);
            state = std::move(run.state);
            sum += loss.loss();
        }
        return sum / static_cast<double>(parts);
    }

    std::vector<float> play(std::span<float const> dry) const override {
        std::size_t const start = 0;
        tensor const x = columns(dry, {&start, 1}, 0, dry.size());
        tensor y = sluice::infer(net_, x, net_.initial_state(1)).outputs;
        add(y, x);
        return {y.begin(), y.end()};
    }

    std::vector<float> numbers() const override {
        auto const all = net_.parameters().array().values();
        return {all.begin(), all.end()};
    }
    void take(std::vector<float> const& numbers) override {
        net_.update_values([&](std::span<float> all) { std::ranges::copy(numbers, all.begin()); });
    }

    sluice::described_model describe(double rate) const override {
        auto made = sluice::describe_net(net_);
        made.adds_input = 1;
        made.sample_rate = rate;
        return made;
    }

private:
    net net_;
    sluice::adam<net> optimizer_;
};

} // namespace audio
