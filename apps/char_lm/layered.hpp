// SPDX-License-Identifier: BSL-1.0
#pragma once

// The language model of reading.hpp, which learns: with dropout between the layers, and on what leaves the
// last.
//
// The gradients of the shards are added in their order, so the result does not depend on how many threads
// really run. What is dropped follows from the numbers of the step and of the shard.

#include "reading.hpp"

#include <sluice/sequence/backward.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace char_lm {

template <class Page, class... Policies>
class layered final : public reading<Page, network, Policies...> {
    using base = reading<Page, network, Policies...>;
    using base::layers_, base::one_hot, base::options_, base::output_, base::seed_of, base::share_out,
        base::sum_of, base::targets;
    using typename base::dense, typename base::shard, typename base::stack;

    struct gradients {
        double nats = 0;
        typename stack::parameters_type layers;
        typename dense::parameters_type output;
    };

public:
    layered(const options& o, std::size_t symbols)
        : base(o, symbols), last_dropout_(o.dropout, seed_of("dropout"), "output"),
          layers_optimizer_(layers_), output_optimizer_(output_) {}

    std::size_t parameter_count() const override {
        return layers_.parameter_count() + output_.parameter_count();
    }

    void forget(std::size_t lanes) override { training_ = share_out(lanes); }

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

    void store_model(sluice::archive& tensors, const std::string& prefix) const override {
        sluice::store(tensors, layers_, prefix);
        sluice::store(tensors, output_, prefix + "output/");
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

    sluice::dropout last_dropout_;
    sluice::adam<stack> layers_optimizer_;
    sluice::adam<dense> output_optimizer_;
    std::vector<shard> training_;
};

} // namespace char_lm
