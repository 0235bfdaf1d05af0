// SPDX-License-Identifier: BSL-1.0
#pragma once

// The language model over any cell: one-hot symbols, recurrent layers of one page, a dense softmax layer.
//
//   x_0 [T, B, groups * symbols]   one-hot; each feature group of the first layer sees the whole symbol
//   x_l [T, B, output]             layer l of x_{l-1}, with dropout on what leaves it
//   z   [T, B, symbols]            x_last W_y + b_y, the logits
//
// The lanes of a batch are shared out between the shards, each with a thread of its own. Their gradients are
// added in the order of the shards, so the result does not depend on how many threads really run.

#include "network.hpp"

#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/parameter/random.hpp>
#include <sluice/sequence/dropout.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <sluice/xtensor.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <future>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace char_lm {

template <class Page>
class layered final : public network {
    using Cell = sluice::cell<Page>;
    using dense = sluice::cell<sluice::dense>;
    using sequence = xt::xtensor<float, 3>;
    using states = std::vector<typename Cell::state_type>;

    // A part of the lanes: first to first + count, and the state of every layer.
    struct shard {
        std::size_t first = 0, count = 0;
        states state;
    };

    struct gradients {
        double nats = 0;
        std::vector<typename Cell::parameters_type> cells;
        typename dense::parameters_type output;
    };

public:
    layered(const options& o, std::size_t symbols)
        : options_(o), symbols_(symbols), cells_(make_cells(o, symbols)),
          output_({.input = cells_.back().output_size(), .units = symbols}, seed_of("output")),
          output_optimizer_(output_) {
        for (const Cell& cell : cells_)
            optimizers_.emplace_back(cell);
    }

    std::size_t parameter_count() const override {
        std::size_t count = output_.parameter_count();
        for (const Cell& cell : cells_)
            count += cell.parameter_count();
        return count;
    }

    void forget(std::size_t lanes) override { training_ = share_out(lanes); }
    void begin_reading(std::size_t lanes) override { reading_ = share_out(lanes); }

    double train(const window& w, double rate, std::uint64_t dropout_seed) override {
        std::vector<gradients> parts = in_parallel(
            training_, [&](shard& s, std::size_t index) { return learn(s, index, w, dropout_seed); });
        gradients sum = std::move(parts.front());
        for (std::size_t i = 1; i < parts.size(); ++i) {
            sum.nats += parts[i].nats;
            for (std::size_t layer = 0; layer < cells_.size(); ++layer)
                add(sum.cells[layer], parts[i].cells[layer]);
            add(sum.output, parts[i].output);
        }
        if (options_.clip > 0)
            sluice::clip_by_global_norm(options_.clip, sum.cells, sum.output);
        for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
            optimizers_[layer].set_learning_rate(rate);
            optimizers_[layer].step(cells_[layer], sum.cells[layer]);
        }
        output_optimizer_.set_learning_rate(rate);
        output_optimizer_.step(output_, sum.output);
        return sum.nats / std::numbers::ln2;
    }

    double read(const window& w) override {
        double nats = 0;
        for (const double part : in_parallel(reading_, [&](shard&s, std::size_t) {
                 const auto [labels, weights] = targets(w, s);
                 const auto cost = sluice::softmax_cross_entropy(logits(w, s), labels, weights);
                 return cost.loss * sum_of(weights);
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
        for (std::size_t layer = 0; layer < cells_.size(); ++layer)
            sluice::store(tensors, cells_[layer], prefix + name_of(layer));
        sluice::store(tensors, output_, prefix + "output/");
    }

    void load_model(const sluice::archive& tensors, const std::string& prefix) override {
        for (std::size_t layer = 0; layer < cells_.size(); ++layer)
            sluice::restore(tensors, cells_[layer], prefix + name_of(layer));
        sluice::restore(tensors, output_, prefix + "output/");
    }

    void store_memory(sluice::archive& tensors) const override {
        for (std::size_t layer = 0; layer < cells_.size(); ++layer)
            sluice::store(tensors, optimizers_[layer], "optimizer/" + name_of(layer));
        sluice::store(tensors, output_optimizer_, "optimizer/output/");
        visit_states(training_, [&](const std::string& name, auto shape, const auto& state) {
            tensors.add<float>(name, shape, std::span<const float>(state.data(), state.size()));
        });
    }

    void load_memory(const sluice::archive& tensors) override {
        for (std::size_t layer = 0; layer < cells_.size(); ++layer)
            sluice::restore(tensors, optimizers_[layer], "optimizer/" + name_of(layer));
        sluice::restore(tensors, output_optimizer_, "optimizer/output/");
        visit_states(training_, [&](const std::string& name, auto shape, auto& state) {
            tensors.copy<float>(name, shape, std::span<float>(state.data(), state.size()));
        });
    }

private:
    static std::string name_of(std::size_t layer) { return "layer" + std::to_string(layer) + "/"; }

    sluice::seed seed_of(const std::string& part) const { return seed_of(options_, part); }
    static sluice::seed seed_of(const options& o, const std::string& part) {
        return {sluice::random_stream(sluice::seed{o.seed}, part)()};
    }

    static std::vector<Cell> make_cells(const options& o, std::size_t symbols) {
        std::vector<Cell> cells;
        for (std::size_t layer = 0; layer < o.layers; ++layer) {
            const sluice::sizes sizes{.input = layer == 0 ? symbols * o.groups : cells.back().output_size(),
                                      .units = o.units,
                                      .projection = o.projection,
                                      .groups = o.groups};
            cells.emplace_back(sizes, seed_of(o, name_of(layer)));
        }
        return cells;
    }

    std::vector<shard> share_out(std::size_t lanes) const {
        std::vector<shard> result;
        const std::size_t count = std::min(options_.shards, lanes);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t first = i * lanes / count, end = (i + 1) * lanes / count;
            shard s{.first = first, .count = end - first, .state = {}};
            for (const Cell& cell : cells_)
                s.state.push_back(cell.zero_state(s.count));
            result.push_back(std::move(s));
        }
        return result;
    }

    // What f(shard, index) returns, in the order of the shards. The last shard runs in this thread.
    template <class Function>
    static auto in_parallel(std::vector<shard>& shards, Function f) {
        using result = decltype(f(shards.front(), std::size_t{}));
        std::vector<std::future<result>> others;
        try {
            for (std::size_t i = 0; i + 1 < shards.size(); ++i)
                others.push_back(std::async(std::launch::async, [&f, &s = shards[i], i] { return f(s, i); }));
        } catch (const std::system_error& error) {
            throw std::runtime_error("--shards " + std::to_string(shards.size()) +
                                     " needs as many threads, and the system gives no more (" +
                                     error.code().message() +
                                     "); use fewer shards in a new training, or raise "
                                     "the limit (`ulimit -u`) and --resume.");
        }
        result last = f(shards.back(), shards.size() - 1);
        std::vector<result> results;
        for (auto& other : others)
            results.push_back(other.get());
        results.push_back(std::move(last));
        return results;
    }

    sequence one_hot(const window& w, const shard& s) const {
        sequence xs = xt::zeros<float>({w.time, s.count, symbols_ * options_.groups});
        for (std::size_t t = 0; t < w.time; ++t) {
            for (std::size_t lane = 0; lane < s.count; ++lane) {
                const symbol now = w.inputs[t * w.lanes + s.first + lane];
                for (std::size_t g = 0; g < options_.groups && now != no_symbol; ++g)
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

    // Forward only; the shard's states move on.
    sequence logits(const window& w, shard& s) const {
        sequence xs = one_hot(w, s);
        for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
            auto run = sluice::infer(cells_[layer], xs, s.state[layer]);
            s.state[layer] = std::move(run.state);
            xs = std::move(run.outputs);
        }
        return sluice::infer(output_, xs, output_.zero_state(s.count)).outputs;
    }

    // The shard's part of the gradient of the mean over the whole window, and the sum of its costs.
    gradients learn(shard& s, std::size_t index, const window& w, std::uint64_t dropout_seed) const {
        using run_type = decltype(sluice::unroll(cells_.front(), sequence(), s.state.front()));
        std::vector<run_type> runs;
        std::vector<sluice::dropout> drops;
        sequence xs = one_hot(w, s);
        for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
            runs.push_back(sluice::unroll(cells_[layer], xs, s.state[layer]));
            s.state[layer] = runs.back().state;
            drops.emplace_back(options_.dropout, sluice::seed{dropout_seed}, name_of(layer));
            xs = drops.back()(runs.back().outputs, index);
        }
        const auto run = sluice::unroll(output_, xs, output_.zero_state(s.count));

        const auto [labels, weights] = targets(w, s);
        auto cost = sluice::softmax_cross_entropy(run.outputs, labels, weights);
        const double here = sum_of(weights);
        const auto everywhere = static_cast<double>(
            w.targets.size() -
            static_cast<std::size_t>(std::count(w.targets.begin(), w.targets.end(), no_symbol)));
        cost.gradient *= static_cast<float>(here / everywhere);

        gradients result{.nats = cost.loss * here, .cells = {}, .output = {}};
        auto back = sluice::backward(output_, run, cost.gradient);
        result.output = std::move(back.parameters);
        sequence dxs = std::move(back.inputs);
        for (std::size_t layer = cells_.size(); layer-- > 0;) {
            dxs = drops[layer](std::move(dxs), index);
            auto more = sluice::backward(cells_[layer], runs[layer], dxs, {.inputs = layer > 0});
            result.cells.push_back(std::move(more.parameters));
            dxs = std::move(more.inputs);
        }
        std::reverse(result.cells.begin(), result.cells.end());
        return result;
    }

    template <class Parameters>
    static void add(Parameters& sum, const Parameters& more) {
        sluice::for_each_parameter(sum, more, [](auto, auto& left, const auto& right) { left += right; });
    }

    // f("state/shard0/layer0/h", shape, tensor)
    template <class Shards, class Function>
    static void visit_states(Shards& shards, Function f) {
        for (std::size_t i = 0; i < shards.size(); ++i) {
            for (std::size_t layer = 0; layer < shards[i].state.size(); ++layer) {
                sluice::for_each_parameter(shards[i].state[layer], [&](auto key, auto& tensor) {
                    const std::array<std::size_t, 2> shape{tensor.shape(0), tensor.shape(1)};
                    f("state/shard" + std::to_string(i) + "/" + name_of(layer) + key.c_str(),
                      std::span<const std::size_t>(shape), tensor);
                });
            }
        }
    }

    options options_;
    std::size_t symbols_;
    std::vector<Cell> cells_;
    dense output_;
    std::vector<sluice::adam<Cell>> optimizers_;
    sluice::adam<dense> output_optimizer_;
    std::vector<shard> training_, reading_;
};

template <class Page>
std::unique_ptr<network> make_layered(const options& o, std::size_t symbols) {
    return std::make_unique<layered<Page>>(o, symbols);
}

} // namespace char_lm
