// SPDX-License-Identifier: BSL-1.0
// Training on the device: net, loss, clipping and optimiser never leave it, and learn what they learn on the
// CPU.
#include "resident.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn.hpp>

namespace training_loop_test {

using namespace resident_test;

constexpr std::size_t steps = 6, batch = 5, classes = 7;

xt::xtensor<int, 2> some_labels() {
    auto labels = xt::xtensor<int, 2>::from_shape({steps, batch});
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels.data()[i] = static_cast<int>((3 * i + i * i / 4) % classes);
    return labels;
}

/// The losses of a training, windows with a carried state, in which one sequence has ended early.
template <class Net, class Optimizer>
std::vector<double> train(Net& net, Optimizer& optimizer) {
    using S = typename Net::scalar_type;
    std::vector<std::size_t> const lengths{6, 4, 6, 0, 1};
    auto const xs = there(net, support::random_sequence<S>(steps, batch, 4));
    auto const labels = there(net, some_labels());
    auto const targets = there(net, support::random_sequence<S>(steps, batch, classes, "targets"));
    auto const mask = there(net, sluice::sequence_mask<S>(steps, lengths));
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

/// Both learn the same, but for what is frozen.
template <template <class> class Optimizer, class Net, class DeviceNet, class... Keys>
void check(Net here, DeviceNet host, double rate, double tolerance, Keys... frozen) {
    auto const start = here;
    sluice::cudnn::resident net(host);
    Optimizer<Net> optimizer(here, {.learning_rate = rate});
    Optimizer<sluice::cudnn::resident<DeviceNet>> there_too(net, {.learning_rate = rate});
    (optimizer.freeze(frozen), ...);
    (there_too.freeze(frozen), ...);
    auto const expected = train(here, optimizer);
    auto const came = train(net, there_too);
    REQUIRE(came.size() == expected.size());
    for (std::size_t i = 0; i < came.size(); ++i)
        CHECK(came[i] == doctest::Approx(expected[i]).epsilon(tolerance));
    CHECK(came[28] < came[0]); // the loss of the fifteenth step and of the first
    net.fetch(host);
    for (std::size_t i = 0; i < here.parameters().values().size(); ++i)
        CHECK(host.parameters().values()[i] ==
              doctest::Approx(here.parameters().values()[i]).epsilon(tolerance));
    auto const stayed = [&](auto key) { CHECK(host.parameters()[key] == start.parameters()[key]); };
    (stayed(frozen), ...);
}
template <class Page, class S, class Policy, template <class> class Optimizer>
void check_stack(double tolerance) {
    sluice::sizes const n{.input = 4, .units = classes};
    check<Optimizer>(sluice::stack<Page, S>(n, {.layers = 2}, sluice::seed{3}),
                     sluice::stack<Page, S, Policy>(n, {.layers = 2}, sluice::seed{3}), 0.05, tolerance,
                     "layer0/b_i", "layer1/W_o");
}

TEST_CASE("training loop: a net that stays on the device learns what it learns on the CPU") {
    check_stack<sluice::lstm, double, generated, sluice::adam>(1e-9);
    check_stack<sluice::lstm, float, device, sluice::sgd>(1e-4);
}

TEST_CASE("training loop: a cell that stays on the device is trained by names that the compiler knows") {
    using namespace sluice::literals;
    sluice::sizes const n{.input = 4, .units = classes};
    check<sluice::adam>(sluice::cell<sluice::cudnn_gru, float>(n, sluice::seed{3}),
                        sluice::cell<sluice::cudnn_gru, float, device>(n, sluice::seed{3}), 0.01, 1e-3,
                        "W_r"_s);
}

} // namespace training_loop_test
