// SPDX-License-Identifier: BSL-1.0
#pragma once

// The language model over any cell: one-hot symbols, a stack of recurrent layers, a dense softmax layer.
//
//   x [T, B, groups * symbols]   one-hot; each feature group of the first layer sees the whole symbol
//   y [T, B, output]             the stack of x; dropout between its layers, and on what leaves the last
//   z [T, B, symbols]            y W_y + b_y, the logits
//
// The lanes of a batch are shared out between the shards, each with a thread of its own. Their gradients are
// added in the order of the shards, so the result does not depend on how many threads really run. What is
// dropped follows from the numbers of the step and of the shard.

#include "in_parallel.hpp"
#include "network.hpp"
#include "options.hpp"
#include "x_alone.hpp"

#include <sluice/cells/dense.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/parameter/random.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <sluice/xtensor.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace char_lm {

// The sizes of the first layer: the page's own, unless the options name others.
template <class Page>
sluice::sizes sizes_of(const options& o, std::size_t symbols) {
    sluice::sizes n = sluice::sizes_for<Page>(symbols, o.units);
    if (o.groups > 0)
        n.groups = o.groups;
    if (o.projection > 0)
        n.projection = o.projection;
    n.input = symbols * n.groups;
    return n;
}

template <class Page, class... Policies>
class layered final : public network {
    using stack = sluice::stack<Page, Policies...>;
    using dense = sluice::cell<sluice::dense, Policies...>;
    using sequence = xt::xtensor<float, 3>;

    // A part of the lanes, first to first + count, and where the stack is in them.
    struct shard {
        std::size_t first = 0, count = 0;
        typename stack::state_type state;
    };

    struct gradients {
        double nats = 0;
        typename stack::parameters_type layers;
        typename dense::parameters_type output;
    };

public:
    layered(const options& o, std::size_t symbols)
        : options_(o), symbols_(symbols), sizes_(sizes_of<Page>(o, symbols)), layers_(make_layers()),
          output_({.input = layers_.output_size(), .units = symbols}, seed_of("output")),
          last_dropout_(o.dropout, seed_of("dropout"), "output"), layers_optimizer_(layers_),
          output_optimizer_(output_) {}

    std::size_t parameter_count() const override {
        return layers_.parameter_count() + output_.parameter_count();
    }

    void forget(std::size_t lanes) override { training_ = share_out(lanes); }
    void begin_reading(std::size_t lanes) override { reading_ = share_out(lanes); }

    double train(const window& w, std::size_t step, double rate) override {
        std::vector<gradients> parts = in_parallel(training_, [&](shard& s, std::size_t index) {
            return learn(s, w, step * training_.size() + index);
        });
        gradients sum = std::move(parts.front());
        for (std::size_t i = 1; i < parts.size(); ++i) {
            sum.nats += parts[i].nats;
            add(sum.layers, parts[i].layers);
            add(sum.output, parts[i].output);
        }
        if (options_.clip > 0)
            sluice::clip_by_global_norm(options_.clip, sum.layers, sum.output);
        layers_optimizer_.set_learning_rate(rate);
        layers_optimizer_.step(layers_, sum.layers);
        output_optimizer_.set_learning_rate(rate);
        output_optimizer_.step(output_, sum.output);
        return sum.nats / std::numbers::ln2;
    }

    double read(const window& w) override {
        double nats = 0;
        for (const double part : in_parallel(reading_, [&](shard&s, std::size_t) {
                 const auto [labels, weights] = targets(w, s);
                 const auto cost = sluice::softmax_cross_entropy(logits(w, s), labels, weights);
                 return cost.loss() * sum_of(weights);
             }))
            nats += part;
        return nats / std::numbers::ln2;
    }

    std::vector<float> predict(symbol s) override {
        const window w{.time = 1, .lanes = 1, .inputs = {s}, .targets = {no_symbol}};
        const sequence z = logits(w, reading_.front());
        return {z.begin(), z.end()};
    }

    void store_model(sluice::archive& tensors, const std::string& prefix) const override {
        sluice::store(tensors, layers_, prefix);
        sluice::store(tensors, output_, prefix + "output/");
    }

    void load_model(const sluice::archive& tensors, const std::string& prefix) override {
        sluice::restore(tensors, layers_, prefix);
        sluice::restore(tensors, output_, prefix + "output/");
    }

    void store_memory(sluice::archive& tensors) const override {
        sluice::store(tensors, layers_optimizer_, "optimizer/layers/");
        sluice::store(tensors, output_optimizer_, "optimizer/output/");
        visit_states(training_, [&](const std::string& name, auto shape, auto values) {
            tensors.add<float>(name, shape, values);
        });
    }

    void load_memory(const sluice::archive& tensors) override {
        sluice::restore(tensors, layers_optimizer_, "optimizer/layers/");
        sluice::restore(tensors, output_optimizer_, "optimizer/output/");
        visit_states(training_, [&](const std::string& name, auto shape, auto values) {
            tensors.copy<float>(name, shape, values);
        });
    }

private:
    sluice::seed seed_of(const std::string& part) const {
        return {sluice::random_stream(sluice::seed{options_.seed}, part)()};
    }

    stack make_layers() const {
        const sluice::stack_options how{
            .layers = options_.layers, .dropout = options_.dropout, .dropout_seed = seed_of("dropout")};
        return stack(sizes_, how, sluice::seed{options_.seed});
    }

    std::vector<shard> share_out(std::size_t lanes) const {
        std::vector<shard> result;
        const std::size_t shards = std::min(options_.shards, lanes);
        for (std::size_t i = 0; i < shards; ++i) {
            const std::size_t first = i * lanes / shards, count = (i + 1) * lanes / shards - first;
            result.push_back({.first = first, .count = count, .state = layers_.zero_state(count)});
        }
        return result;
    }

    sequence one_hot(const window& w, const shard& s) const {
        sequence xs = xt::zeros<float>({w.time, s.count, sizes_.input});
        for (std::size_t t = 0; t < w.time; ++t) {
            for (std::size_t lane = 0; lane < s.count; ++lane) {
                const symbol now = w.inputs[t * w.lanes + s.first + lane];
                for (std::size_t g = 0; g < sizes_.groups && now != no_symbol; ++g)
                    xs(t, lane, g * symbols_ + now) = 1;
            }
        }
        return xs;
    }

    // Labels and weights [T, B]: a target that is not asked for has the weight 0.
    std::pair<xt::xtensor<int, 2>, xt::xtensor<double, 2>> targets(const window& w, const shard& s) const {
        xt::xtensor<int, 2> labels = xt::zeros<int>({w.time, s.count});
        xt::xtensor<double, 2> weights = xt::zeros<double>({w.time, s.count});
        for (std::size_t t = 0; t < w.time; ++t) {
            for (std::size_t lane = 0; lane < s.count; ++lane) {
                const symbol wanted = w.targets[t * w.lanes + s.first + lane];
                if (wanted == no_symbol)
                    continue;
                labels(t, lane) = wanted;
                weights(t, lane) = 1;
            }
        }
        return {std::move(labels), std::move(weights)};
    }

    static double sum_of(const xt::xtensor<double, 2>& weights) {
        double sum = 0;
        for (const double w : weights)
            sum += w;
        return sum;
    }

    // Forward only; the shard's state moves on.
    sequence logits(const window& w, shard& s) const {
        auto run = sluice::infer(layers_, one_hot(w, s), s.state);
        s.state = std::move(run.state);
        return sluice::infer(output_, run.outputs, output_.zero_state(s.count)).outputs;
    }

    // The shard's part of the gradient of the mean over the whole window, and the sum of its costs. `draw` is
    // the number of its dropout masks.
    gradients learn(shard& s, const window& w, std::uint64_t draw) const {
        auto run = sluice::unroll(layers_, one_hot(w, s), s.state, {.draw = draw});
        s.state = std::move(run.state);
        const auto last =
            sluice::unroll(output_, last_dropout_(std::move(run.outputs), draw), output_.zero_state(s.count));

        const auto [labels, weights] = targets(w, s);
        auto cost = sluice::softmax_cross_entropy(last.outputs, labels, weights);
        const double here = sum_of(weights);
        const auto everywhere = static_cast<double>(
            w.targets.size() -
            static_cast<std::size_t>(std::count(w.targets.begin(), w.targets.end(), no_symbol)));
        cost.gradient *= static_cast<float>(here / everywhere);

        auto of_output = sluice::backward(output_, last, cost.gradient);
        auto of_layers = sluice::backward(layers_, run, last_dropout_(std::move(of_output.inputs), draw),
                                          {.inputs = false});
        return {.nats = cost.loss() * here,
                .layers = std::move(of_layers.parameters),
                .output = std::move(of_output.parameters)};
    }

    template <class Parameters>
    static void add(Parameters& sum, const Parameters& more) {
        std::ranges::transform(sum.values(), more.values(), sum.values().begin(), std::plus());
    }

    // f("state/shard0/h", shape, values)
    template <class Shards, class Function>
    static void visit_states(Shards& shards, Function f) {
        for (std::size_t i = 0; i < shards.size(); ++i)
            sluice::for_each_parameter(shards[i].state, [&](auto key, auto& tensor) {
                f("state/shard" + std::to_string(i) + "/" + key.c_str(),
                  std::span<const std::size_t>(tensor.shape()), std::span(tensor.data(), tensor.size()));
            });
    }

    options options_;
    std::size_t symbols_;
    sluice::sizes sizes_;
    stack layers_;
    dense output_;
    sluice::dropout last_dropout_;
    sluice::adam<stack> layers_optimizer_;
    sluice::adam<dense> output_optimizer_;
    std::vector<shard> training_, reading_;
};

} // namespace char_lm
