// SPDX-License-Identifier: BSL-1.0
#pragma once

// The language model of reading.hpp, which learns: with dropout between the layers, and on what leaves the
// last.
//
// The gradients of the shards are added along one tree, so the result does not depend on how many threads and
// ranks there are. What is dropped follows from the numbers of the step and of the lane.

#include "reading.hpp"

#include <sluice/distributed/gradient_sum.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace char_lm {

template <class Page, class... Policies>
class layered final : public reading<Page, network, Policies...> {
    using base = reading<Page, network, Policies...>;
    using base::all_, base::lanes_of_shard, base::layers_, base::mine, base::one_hot, base::options_,
        base::output_, base::seed_of, base::share_out, base::sum_of, base::targets;
    using typename base::dense, typename base::shard, typename base::stack;

    struct gradients {
        double weight = 0; // of the targets
        double loss = 0;   // their mean
        typename stack::parameters_type layers;
        typename dense::parameters_type output;
    };

public:
    layered(const options& o, std::size_t symbols, sluice::transport& all)
        : base(o, symbols, all), last_dropout_(o.dropout, seed_of("dropout"), "output"),
          layers_optimizer_(layers_), output_optimizer_(output_), of_layers_(layers_.parameters()),
          of_output_(output_.parameters()) {}

    std::size_t parameter_count() const override {
        return layers_.parameter_count() + output_.parameter_count();
    }

    void forget(std::size_t lanes) override {
        training_ = share_out(lanes);
        sum_.emplace(all_, lanes, lanes_of_shard(lanes), layers_, output_);
    }

    double train(const window& w, std::size_t step, double rate) override {
        for (const gradients& part :
             in_parallel(mine(training_), [&](shard&s, std::size_t) { return learn(s, w, step); }))
            sum_->add(part.weight, part.loss, part.layers, part.output);
        double mean = 0;
        try {
            mean = sum_->all_reduce(of_layers_, of_output_);
        } catch (const sluice::not_finite_error&) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (options_.clip > 0)
            sluice::clip_by_global_norm(options_.clip, of_layers_, of_output_);
        layers_optimizer_.set_learning_rate(rate);
        layers_optimizer_.step(layers_, of_layers_);
        output_optimizer_.set_learning_rate(rate);
        output_optimizer_.step(output_, of_output_);
        const auto asked = std::ranges::count_if(w.targets, [](symbol s) { return s != no_symbol; });
        return mean * static_cast<double>(asked) / std::numbers::ln2;
    }

    void gather() override {
        for (std::size_t i = 0; i < training_.size(); ++i)
            sluice::for_each_parameter(training_[i].state, [&](auto, auto& tensor) {
                all_.broadcast(std::as_writable_bytes(std::span(tensor.data(), tensor.size())), owner_of(i));
            });
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
    // What the targets of a shard cost, and the gradients of that.
    gradients learn(shard& s, const window& w, std::uint64_t step) const {
        auto run = sluice::unroll(layers_, one_hot(w, s), s.state, {.draw = step, .first_row = s.first});
        s.state = std::move(run.state);
        const auto last = sluice::unroll(output_, last_dropout_(std::move(run.outputs), step, s.first),
                                         output_.zero_state(s.count));
        const auto [labels, weights] = targets(w, s);
        const auto cost = sluice::softmax_cross_entropy(last.outputs, labels, weights);
        auto of_output = sluice::backward(output_, last, cost.gradient);
        auto of_layers = sluice::backward(
            layers_, run, last_dropout_(std::move(of_output.inputs), step, s.first), {.inputs = false});
        return {.weight = sum_of(weights),
                .loss = cost.loss(),
                .layers = std::move(of_layers.parameters),
                .output = std::move(of_output.parameters)};
    }

    // The rank whose shard it is.
    int owner_of(std::size_t index) const {
        int rank = 0;
        while (index >= all_.slice_of(training_.size(), rank).last)
            ++rank;
        return rank;
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
    typename stack::parameters_type of_layers_; // gradients of a batch
    typename dense::parameters_type of_output_;
    std::vector<shard> training_;
    std::optional<sluice::gradient_sum<stack, dense>> sum_; // of the lanes
};

} // namespace char_lm
