// SPDX-License-Identifier: BSL-1.0
#include "learner.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace audio {

namespace {

using tensor = xt::xtensor<float, 3>;

/// Samples from..from + count of every segment, [time, batch, 1].
tensor columns(std::span<float const> sound, std::span<std::size_t const> starts, std::size_t from,
               std::size_t count) {
    auto made = tensor::from_shape({count, starts.size(), 1});
    for (std::size_t b = 0; b < starts.size(); ++b)
        for (std::size_t t = 0; t < count; ++t)
            made(t, b, 0) = sound[starts[b] + from + t];
    return made;
}

void add(tensor& to, tensor const& more) {
    std::transform(to.begin(), to.end(), more.begin(), to.begin(), std::plus<>());
}
xt::xtensor<float, 2> last_of(tensor const& all) {
    return xt::view(all, all.shape()[0] - 1);
}

template <class Cell>
class learner_of final : public learner {
    static constexpr bool is_lstm = std::is_same_v<Cell, sluice::lstm>;
    using net = sluice::stack<sluice::layers<Cell, sluice::dense>>;

    static sluice::settings settings() {
        return is_lstm ? sluice::settings{{"forget_bias", 0}} : sluice::settings{};
    }

public:
    learner_of(std::size_t units, std::uint64_t seed)
        : units_(units),
          net_({{.input = 1, .units = units}, {.units = 1}}, {}, sluice::seed{seed}, settings()),
          optimizer_(net_) {
        if constexpr (is_lstm) // a file has this bias in its numbers, and no setting
            net_.assign("layer0/b_f", xt::ones<float>({units}));
    }

    std::size_t parameter_count() const override { return net_.parameter_count(); }

    double learn(piece const& from, std::span<std::size_t const> starts, double rate) override {
        auto state = net_.zero_state(starts.size());
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
        tensor y = sluice::infer(net_, x, net_.zero_state(1)).outputs;
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
        sluice::described_model made{
            .layers = {{{std::string(sluice::page_name<Cell>()), {.input = 1, .units = units_}}, {}},
                       {{"dense", {.input = units_, .units = 1}}, {}}},
            .numbers = settings(),
            .adds_input = 1,
            .sample_rate = rate};
        auto const& array = net_.parameters().array();
        for (auto const& place : array.places()) { // "layer0/W_i"
            std::string const called(place.called);
            auto const values = place.in(array.values());
            auto& layer = made.layers[called.starts_with("layer0/") ? 0 : 1];
            layer.parameters.push_back(
                {called.substr(called.find('/') + 1), std::vector<double>(values.begin(), values.end())});
        }
        return made;
    }

private:
    std::size_t units_;
    net net_;
    sluice::adam<net> optimizer_;
};

template <class Cell>
std::unique_ptr<learner> make(std::size_t units, std::uint64_t seed) {
    return std::make_unique<learner_of<Cell>>(units, seed);
}

} // namespace

std::vector<std::string> const& cells() {
    static std::vector<std::string> const all{"cudnn_gru", "lstm"};
    return all;
}

std::unique_ptr<learner> make_learner(std::string_view cell, std::size_t units, std::uint64_t seed) {
    return cell == "lstm" ? make<sluice::lstm>(units, seed) : make<sluice::cudnn_gru>(units, seed);
}

double error_of(std::span<float const> prediction, std::span<float const> target, double pre_emphasis) {
    std::array const shape{target.size(), std::size_t{1}, std::size_t{1}};
    auto const as_tensor = [&](std::span<float const> samples) {
        tensor made = tensor::from_shape(shape);
        std::ranges::copy(samples, made.begin());
        return made;
    };
    return sluice::error_to_signal(as_tensor(prediction), as_tensor(target),
                                   {.pre_emphasis = pre_emphasis, .dc = 0})
        .loss();
}

} // namespace audio
