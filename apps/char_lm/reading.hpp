// SPDX-License-Identifier: BSL-1.0
#pragma once

// The language model over any cell, as far as it reads: one-hot symbols, a stack of recurrent layers, a dense
// softmax layer.
//
//   x [T, B, groups * symbols]   one-hot; each feature group of the first layer sees the whole symbol
//   y [T, B, output]             the stack of x
//   z [T, B, symbols]            y W_y + b_y, the logits
//
// The lanes of a batch are shared out between the shards, each with a thread of its own, and the shards
// between the ranks.

#include "in_parallel.hpp"
#include "network.hpp"
#include "options.hpp"
#include "x_alone.hpp"

#include <sluice/cells/dense.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/distributed/transport.hpp>
#include <sluice/parameter/random.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <sluice/xtensor.hpp>

#include <algorithm>
#include <numbers>
#include <numeric>
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

// `Base` is reader, or network for one that learns as well.
template <class Page, class Base, class... Policies>
class reading : public Base {
protected:
    using stack = sluice::stack<Page, Policies...>;
    using dense = sluice::cell<sluice::dense, Policies...>;
    using sequence = xt::xtensor<float, 3>;

    // A part of the lanes, first to first + count, and where the stack is in them.
    struct shard {
        std::size_t first = 0, count = 0;
        typename stack::state_type state;
    };

public:
    reading(const options& o, std::size_t symbols, sluice::transport& all)
        : all_(all), options_(o), symbols_(symbols), sizes_(sizes_of<Page>(o, symbols)),
          layers_(make_layers()),
          output_({.input = layers_.output_size(), .units = symbols}, seed_of("output")) {}

    void begin_reading(std::size_t lanes) override { reading_ = share_out(lanes); }

    double read(const window& w) override {
        std::vector<double> parts(reading_.size());
        std::ranges::copy(in_parallel(mine(reading_),
                                      [&](shard& s, std::size_t) {
                                          const auto [labels, weights] = targets(w, s);
                                          const auto cost =
                                              sluice::softmax_cross_entropy(logits(w, s), labels, weights);
                                          return cost.loss() * sum_of(weights);
                                      }),
                          mine(parts).begin());
        all_.all_gather_slices(std::span(parts));
        return std::accumulate(parts.begin(), parts.end(), 0.0) / std::numbers::ln2;
    }

    std::vector<float> predict(symbol s) override {
        const window w{.time = 1, .lanes = 1, .inputs = {s}, .targets = {no_symbol}};
        const sequence z = logits(w, reading_.front());
        return {z.begin(), z.end()};
    }

    void load_model(const sluice::archive& tensors, const std::string& prefix) override {
        sluice::restore(tensors, layers_, prefix);
        sluice::restore(tensors, output_, prefix + "output/");
    }

protected:
    sluice::seed seed_of(const std::string& part) const {
        return {sluice::random_stream(sluice::seed{options_.seed}, part)()};
    }

    stack make_layers() const {
        const sluice::stack_options how{
            .layers = options_.layers, .dropout = options_.dropout, .dropout_seed = seed_of("dropout")};
        return stack(sizes_, how, sluice::seed{options_.seed});
    }

    // Of each shard but the last, which may have fewer.
    std::size_t lanes_of_shard(std::size_t lanes) const {
        return (lanes + options_.shards - 1) / options_.shards;
    }

    std::vector<shard> share_out(std::size_t lanes) const {
        std::vector<shard> result;
        const std::size_t most = lanes_of_shard(lanes);
        for (std::size_t first = 0; first < lanes; first += most) {
            const std::size_t count = std::min(most, lanes - first);
            result.push_back({.first = first, .count = count, .state = layers_.zero_state(count)});
        }
        return result;
    }

    // Those of this rank: shards, or what there is one of for each shard.
    template <class T>
    std::span<T> mine(std::vector<T>& of_shards) const {
        const auto [first, last] = all_.slice_of(of_shards.size());
        return std::span(of_shards).subspan(first, last - first);
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

    sluice::transport& all_;
    options options_;
    std::size_t symbols_;
    sluice::sizes sizes_;
    stack layers_;
    dense output_;

private:
    std::vector<shard> reading_;
};

} // namespace char_lm
