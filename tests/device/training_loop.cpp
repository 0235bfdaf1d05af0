// SPDX-License-Identifier: BSL-1.0
// Training on the device: net, loss, clipping and optimiser never leave it, and learn what they learn on the
// CPU.
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn.hpp>
#include <sluice/cudnn/resident.hpp>
#include <sluice/sequence/stack.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>
#include <type_traits>

namespace {

constexpr std::size_t steps = 6, batch = 5, classes = 7;

xt::xtensor<int, 2> some_labels() {
    auto labels = xt::xtensor<int, 2>::from_shape({steps, batch});
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels.data()[i] = static_cast<int>((3 * i + i * i / 4) % classes);
    return labels;
}
/// The same numbers where the net is.
struct on_host {
    template <class T>
    static T put(T const& tensor) {
        return tensor;
    }
};
struct on_device {
    template <class T>
    static auto put(T const& tensor) {
        return sluice::cudnn::send(tensor);
    }
};

/// The losses of a training, windows with a carried state, in which one sequence has ended early.
template <class Where, class S, class Net, class Optimizer>
std::vector<double> train(Net& net, Optimizer& optimizer) {
    std::vector<std::size_t> const lengths{6, 4, 6, 0, 1};
    auto const xs = Where::put(support::random_sequence<S>(steps, batch, 4));
    auto const labels = Where::put(some_labels());
    auto const targets = Where::put(support::random_sequence<S>(steps, batch, classes, "targets"));
    auto const mask = Where::put(sluice::sequence_mask<S>(steps, lengths));
    auto state = net.zero_state(batch);
    std::vector<double> losses;
    for (int step = 0; step < 16; ++step) {
        auto run = sluice::unroll(net, xs, state, {.lengths = lengths});
        auto gradients = [&] {
            if (step % 4 == 3) {
                auto const squares = sluice::mean_squared_error(run.outputs, targets, mask);
                losses.push_back(squares.loss());
                return sluice::backward(net, run, squares.gradient);
            }
            auto const entropy = sluice::softmax_cross_entropy(run.outputs, labels, mask);
            losses.push_back(entropy.loss());
            return sluice::backward(net, run, entropy.gradient);
        }();
        losses.push_back(sluice::clip_by_global_norm(0.05, gradients.parameters));
        optimizer.step(net, gradients.parameters);
        state = std::move(run.state);
    }
    return losses;
}

template <class Page, class S, class Policy, template <class> class Optimizer>
struct kind {
    using page = Page;
    using scalar = S;
    using policy = Policy;
    template <class Net>
    using optimizer = Optimizer<Net>;
};

} // namespace

TYPE_TO_STRING_AS("lstm, double, plans, adam",
                  kind<sluice::lstm, double, sluice::cudnn::planned, sluice::adam>);
TYPE_TO_STRING_AS("lstm, float, cuDNN, sgd", kind<sluice::lstm, float, sluice::cudnn::device, sluice::sgd>);

using lstm_adam = kind<sluice::lstm, double, sluice::cudnn::planned, sluice::adam>;
using lstm_sgd = kind<sluice::lstm, float, sluice::cudnn::device, sluice::sgd>;

TEST_CASE_TEMPLATE("training loop: a net that stays on the device learns what it learns on the CPU", T,
                   lstm_adam, lstm_sgd) {
    using S = typename T::scalar;
    using host_net = sluice::stack<typename T::page, S>;
    using device_net = sluice::stack<typename T::page, S, typename T::policy>;
    sluice::sizes const n{.input = 4, .units = classes};
    host_net here(n, {.layers = 2}, sluice::seed{3});
    device_net there(n, {.layers = 2}, sluice::seed{3});
    sluice::cudnn::resident net(there);
    typename T::template optimizer<host_net> optimizer(here, {.learning_rate = 0.05});
    typename T::template optimizer<sluice::cudnn::resident<device_net>> there_too(net,
                                                                                  {.learning_rate = 0.05});
    for (auto* const name : {"layer0/b_i", "layer1/W_o"}) {
        optimizer.freeze(name);
        there_too.freeze(name);
    }
    auto const start = here;
    auto const expected = train<on_host, S>(here, optimizer);
    auto const came = train<on_device, S>(net, there_too);
    double const tolerance = std::is_same_v<S, double> ? 1e-9 : 1e-4;
    REQUIRE(came.size() == expected.size());
    for (std::size_t i = 0; i < came.size(); ++i)
        CHECK(came[i] == doctest::Approx(expected[i]).epsilon(tolerance));
    CHECK(came[28] < came[0]); // the loss of the fifteenth step and of the first
    net.fetch(there);
    for (std::size_t i = 0; i < here.parameters().values().size(); ++i)
        CHECK(there.parameters().values()[i] ==
              doctest::Approx(here.parameters().values()[i]).epsilon(tolerance));
    CHECK(there.parameters()["layer1/W_o"] == start.parameters()["layer1/W_o"]);
    CHECK(there.parameters()["layer1/W_i"] != start.parameters()["layer1/W_i"]);
    CHECK_THROWS_WITH_AS(there_too.freeze("layer2/W_o"),
                         doctest::Contains("there is no parameter layer2/W_o"), std::invalid_argument);
}

TEST_CASE("training loop: a cell that stays on the device is trained by names that the compiler knows") {
    using namespace sluice::literals;
    sluice::cell<sluice::cudnn_gru, float> here({.input = 4, .units = classes}, sluice::seed{3});
    sluice::cell<sluice::cudnn_gru, float, sluice::cudnn::device> there({.input = 4, .units = classes},
                                                                        sluice::seed{3});
    sluice::cudnn::resident net(there);
    sluice::adam optimizer(here, {.learning_rate = 0.01});
    sluice::adam there_too(net, {.learning_rate = 0.01});
    optimizer.freeze("W_r"_s);
    there_too.freeze("W_r"_s);
    auto const expected = train<on_host, float>(here, optimizer);
    auto const came = train<on_device, float>(net, there_too);
    REQUIRE(came.size() == expected.size());
    for (std::size_t i = 0; i < came.size(); ++i)
        CHECK(came[i] == doctest::Approx(expected[i]).epsilon(1e-3));
    CHECK(came[28] < came[0]);
    // a run from before the step is refused, as on the host
    auto const xs = sluice::cudnn::send(support::random_sequence<float>(steps, batch, 4));
    auto const run = sluice::unroll(net, xs, net.zero_state(batch));
    auto const gradients = sluice::backward(net, run, run.outputs);
    there_too.step(net, gradients.parameters);
    CHECK_THROWS_AS((void)sluice::backward(net, run, run.outputs), std::logic_error);
}
