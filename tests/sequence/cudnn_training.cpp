// SPDX-License-Identifier: BSL-1.0
// The layers of CudnnGRU and cells of cudnn_gru learn the same from the same weights: 128 steps of gradient
// descent in TensorFlow's four configurations, in one direction and in both.
//
// The loss is the log loss of probabilities sigmoid(y) and labels 0 and 1, summed over time and units, and
// the mean of the batch. The two biases of a gate have equal gradients in the layers, so that their sum would
// learn twice as fast as the one bias of the cell: these gradients are halved.
#include <checkpoint/support.hpp>
#include <sequence/cudnn.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/checkpoint/checkpoint.hpp>

namespace cudnn_training_test {

using namespace cudnn_test;
using sluice::direction;

namespace {

struct configuration {
    std::size_t layers, time, units, input, batch;
};
constexpr configuration configurations[] = {
    {1, 3, 4, 5, 6}, {2, 8, 4, 8, 16}, {2, 3, 4, 5, 6}, {1, 2, 2, 4, 1}};

template <class S>
struct log_loss {
    double value = 0;
    xt::xtensor<S, 3> gradient;

    log_loss(xt::xtensor<S, 3> const& ys, xt::xtensor<S, 3> const& labels) : gradient(ys) {
        auto const batch = static_cast<double>(ys.shape()[1]);
        for (std::size_t i = 0; i < ys.size(); ++i) {
            double const y = static_cast<double>(ys.data()[i]);
            bool const is_one = labels.data()[i] > 0;
            value += std::log1p(std::exp(is_one ? -y : y)) / batch;
            gradient.data()[i] = static_cast<S>((1 / (1 + std::exp(-y)) - (is_one ? 1 : 0)) / batch);
        }
    }
};

/// Halves the gradients of the biases of which there are two for a gate.
template <class Parameters>
void halve_gate_biases(Parameters& gradients) {
    std::size_t halved = 0;
    for (sluice::tensor_place const& place : gradients.array().places())
        for (std::string_view const end : {"b_Wr", "b_Wu", "b_Rr", "b_Ru"})
            if (place.called.ends_with(end)) {
                for (auto& g : place.in(gradients.values()))
                    g /= 2;
                ++halved;
            }
    CHECK(halved == 4 * gradients.layers() * gradients.directions());
}

/// Largest |a - b| / (1 + |b|).
template <class A, class B>
double off(A const& a, B const& b) {
    double worst = a.shape() == b.shape() && a.size() > 0 ? 0 : support::not_comparable;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double const expected = static_cast<double>(b.data()[i]);
        worst = support::worse(worst, std::abs(static_cast<double>(a.data()[i]) - expected) /
                                          (1 + std::abs(expected)));
    }
    return worst;
}

template <class S>
struct pair_of_nets {
    sluice::cudnn_gru_layers<S> layers;
    sluice::stack<sluice::cudnn_gru, S> cells;
    xt::xtensor<S, 3> xs, labels, input_h;
    typename sluice::stack<sluice::cudnn_gru, S>::state_type state;

    pair_of_nets(configuration const& c, direction way)
        : layers({.num_layers = c.layers, .num_units = c.units, .input_size = c.input, .direction = way}),
          cells({.input = c.input, .units = c.units}, {.layers = c.layers, .direction = way}),
          xs(support::random_sequence<S>(c.time, c.batch, c.input)),
          labels(support::random_sequence<S>(c.time, c.batch, layers.output_size(), "labels")),
          state(cells.zero_state(c.batch)) {
        randomize(layers);
        layers.saved().read_into(cells);
        state["h"_s] = support::random_like(state["h"_s], "h");
        input_h = state["h"_s];
    }
    /// The first loss and the last.
    std::array<double, 2> train(bool halves) {
        sluice::sgd of_layers(layers, {.learning_rate = 1e-2});
        sluice::sgd of_cells(cells, {.learning_rate = 1e-2});
        std::array<double, 2> losses{};
        for (int step = 0; step < 128; ++step) {
            auto const run = layers(xs, input_h);
            log_loss<S> const loss(run.outputs, labels);
            auto gradients = sluice::backward(layers, run, loss.gradient);
            if (halves)
                halve_gate_biases(gradients.parameters);
            of_layers.step(layers, gradients.parameters);
            losses[step == 0 ? 0 : 1] = loss.value;

            auto const run_of_cells = sluice::unroll(cells, xs, state);
            log_loss<S> const loss_of_cells(run_of_cells.outputs, labels);
            of_cells.step(cells, sluice::backward(cells, run_of_cells, loss_of_cells.gradient).parameters);
        }
        return losses;
    }
    /// How far outputs and states are from each other.
    double distance() const { return distance(cells, layers(xs, input_h, false)); }
    template <class Net, class Run>
    double distance(Net const& others, Run const& run) const {
        auto const found = sluice::infer(others, xs, state);
        return std::max(off(found.outputs, run.outputs), off(found.state["h"_s], run.state["h"_s]));
    }
};

} // namespace

TEST_CASE_TEMPLATE("cudnn training: layers and compatible cells learn the same, also through a file", S,
                   float, double) {
    double const rounding = std::is_same_v<S, float> ? 1e-6 : 1e-14;
    checkpoint_test::folder const folder;
    for (configuration const& c : configurations)
        for (auto const way : both_ways) {
            CAPTURE(c.layers);
            CAPTURE(c.time);
            CAPTURE(name_of(way));
            pair_of_nets<S> nets(c, way);
            auto const untrained = nets.layers(nets.xs, nets.input_h, false);
            CHECK(nets.distance() < rounding);
            auto const [first, last] = nets.train(true);
            CHECK(last < first);
            CHECK(nets.distance() < rounding);
            auto const run = nets.layers(nets.xs, nets.input_h, false);
            CHECK(off(untrained.outputs, run.outputs) > 0.05);

            auto const path = folder / "layers.safetensors";
            save(path, nets.layers.saved());
            typename sluice::cudnn_gru_layers<S>::saved_type saved(
                {.num_layers = c.layers, .num_units = c.units, .input_size = c.input, .direction = way});
            load(path, saved);
            sluice::stack<sluice::cudnn_gru, S> cells({.input = c.input, .units = c.units},
                                                      {.layers = c.layers, .direction = way});
            saved.read_into(cells);
            CHECK(nets.distance(cells, run) < rounding);
            nets.layers.restore(saved);
            auto const restored = nets.layers(nets.xs, nets.input_h, false);
            CHECK(off(restored.outputs, run.outputs) < rounding);
            saved.read_from(nets.cells);
            nets.layers.restore(saved);
            CHECK(nets.distance() < rounding);
        }
}

TEST_CASE("cudnn training: with two whole gradients the biases of the gates learn twice as fast") {
    pair_of_nets<double> nets(configurations[0], direction::unidirectional);
    nets.train(false);
    CHECK(nets.distance() > 1e-3);
}

} // namespace cudnn_training_test
