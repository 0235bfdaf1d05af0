// SPDX-License-Identifier: BSL-1.0
#include "learner.hpp"

#include <algorithm>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/expr/composed.hpp>
#include <sluice/xtensor.hpp>

namespace recall {

namespace {

namespace pages {

using namespace sluice::equation;

constexpr auto e = gate<"e">;

// clang-format off
struct embedding {
    static constexpr auto equations = sluice::lines(
        e      = x * W<"e">,
        output = convolution<2>(e));
};

struct answer {
    static constexpr auto equations = sluice::lines(
        output = rms_norm(x, p<"gain">) * W<"y"> + b<"y">);
};
// clang-format on

} // namespace pages

constexpr std::size_t features = 64; // of the embedding
constexpr std::size_t heads = 2;     // of the matrix states
constexpr double largest_gradient = 1;

template <class Cell>
class learner_of final : public learner {
    using net = sluice::stack<sluice::layers<pages::embedding, Cell, pages::answer>>;

public:
    learner_of(task const& t, sluice::sizes const& sizes, sluice::seed seed)
        : net_({{.input = t.tokens, .units = features}, sizes, {.units = t.answers}}, {}, seed),
          optimizer_(net_) {}

    std::size_t parameter_count() const override { return net_.parameter_count(); }

    std::size_t state_size() const override {
        std::size_t size = 0;
        auto const state = net_.zero_state(1);
        sluice::for_each_parameter(state.template get<1>(), [&](auto, auto const& s) { size += s.size(); });
        return size;
    }

    score learn(sequences const& some, double rate) override {
        auto const run = sluice::unroll(net_, some.tokens, net_.zero_state(rows_of(some)));
        auto const loss = sluice::softmax_cross_entropy(run.outputs, some.answers, some.asked);
        auto gradients = sluice::backward(net_, run, loss.gradient);
        sluice::clip_by_global_norm(largest_gradient, gradients.parameters);
        optimizer_.set_learning_rate(rate);
        optimizer_.step(net_, gradients.parameters);
        return {loss.loss(), accuracy(run.outputs, some)};
    }

    score examine(sequences const& some) const override {
        auto const outputs = sluice::infer(net_, some.tokens, net_.zero_state(rows_of(some))).outputs;
        auto const loss = sluice::softmax_cross_entropy(outputs, some.answers, some.asked);
        return {loss.loss(), accuracy(outputs, some)};
    }

private:
    static std::size_t rows_of(sequences const& some) { return some.tokens.shape()[1]; }

    static double accuracy(xt::xtensor<float, 3> const& outputs, sequences const& some) {
        double right = 0, asked = 0;
        for (std::size_t t = 0; t < outputs.shape()[0]; ++t)
            for (std::size_t row = 0; row < outputs.shape()[1]; ++row) {
                if (some.asked(t, row) == 0)
                    continue;
                float const* const first = &outputs(t, row, 0);
                right += std::max_element(first, first + outputs.shape()[2]) - first == some.answers(t, row);
                ++asked;
            }
        return right / asked;
    }

    net net_;
    sluice::adam<net> optimizer_;
};

template <class Cell>
std::unique_ptr<learner> make(task const& t, sluice::sizes const& sizes, sluice::seed seed) {
    return std::make_unique<learner_of<Cell>>(t, sizes, seed);
}

} // namespace

std::vector<kind_of_learner> const& learners() {
    static std::vector<kind_of_learner> const all{
        {"DeltaNet", {.units = 64, .groups = heads}, &make<sluice::delta_net>},
        {"GLA", {.units = 56, .groups = heads}, &make<sluice::gated_linear_attention>},
        {"LSTM", {.units = 33}, &make<sluice::lstm>}};
    return all;
}

} // namespace recall
