// SPDX-License-Identifier: BSL-1.0
// CudnnGRU as TensorFlow has it: the call with is_training, its masks, and what is asked for and refused. And
// what layers of cuDNN are besides: copies that share nothing, optimised and streamed as any stack.
#include <limits>
#include <sequence/cudnn.hpp>
#include <sequence/stream_check.hpp>
#include <support/containers.hpp>

namespace cudnn_layers_test {

using namespace cudnn_test;
using sluice::direction;
using gru_layers = sluice::cudnn_gru_layers<double>;

namespace {

sluice::cudnn_options const two_layers{.num_layers = 2, .num_units = 5, .input_size = 3};
auto const xs = support::random_sequence<double>(4, 2, 3);

gru_layers random_net(sluice::cudnn_options const& options = two_layers) {
    gru_layers net(options);
    randomize(net);
    return net;
}
sluice::cudnn_options with_dropout(double rate, sluice::seed from = {}) {
    auto options = two_layers;
    options.dropout = rate;
    options.seed = from;
    return options;
}

std::string asked_for(sluice::cudnn_options const& options) {
    auto const net = refused([&] { gru_layers const made(options); });
    CHECK(net == refused([&] { gru_layers::saved_type const made(options); }));
    return net;
}

} // namespace

TEST_CASE("cudnn layers: properties have TensorFlow's names") {
    gru_layers const net(
        {.num_layers = 3, .num_units = 5, .input_size = 4, .direction = direction::bidirectional});
    CHECK(net.num_layers() == 3);
    CHECK(net.num_units() == 5);
    CHECK(net.input_size() == 4);
    CHECK(net.direction() == direction::bidirectional);
    CHECK(net.input_mode() == sluice::input_mode::linear_input);
    static_assert(gru_layers::rnn_mode() == "gru");
    static_assert(sluice::cudnn_lstm_layers<>::rnn_mode() == "lstm");
    static_assert(sluice::cudnn_tanh_rnn_layers<>::rnn_mode() == "rnn_tanh");
    static_assert(sluice::cudnn_relu_rnn_layers<>::rnn_mode() == "rnn_relu");
}

TEST_CASE("cudnn layers: input_h may be anything of rank 3") {
    auto const net = random_net();
    support::for_each_container<double, 2, 2, 5>([&](char const* kind, auto const& h) {
        support::check_like_copy<3>("input_h", kind, h,
                                    [&](auto const& values) { return net(xs, values).outputs; });
    });
}

TEST_CASE("cudnn layers: a tensor input_h is the state of a GRU") {
    auto const net = random_net();
    auto const state = random_state(net, 2);
    xt::xtensor<double, 3> const input_h = state["h"_s];
    auto const run = net(xs, input_h), same = net(xs, state);
    CHECK(run.outputs == same.outputs);
    CHECK(run.state["h"_s] == same.state["h"_s]);
    CHECK(sluice::backward(net, run, run.outputs).parameters.values()[7] ==
          sluice::backward(net, same, same.outputs).parameters.values()[7]);
    CHECK(says(refused([&] {
                   (void)net(xs, xt::zeros<double>({1, 2, 5}));
               }),
               {"h of shape [2, 2, 5], but got [1, 2, 5]"}));
    CHECK(says(refused([&] {
                   (void)net(xs, xt::zeros<double>({2, 3, 5}), false);
               }),
               {"h of shape [2, 2, 5]", "[2, 3, 5]"}));
    xt::xarray<double> const flat = xt::zeros<double>({20});
    CHECK(says(refused([&] { (void)net(xs, flat); }), {"input_h of rank 3, but got [20]"}));
    CHECK(says(refused([&] { (void)net(support::random_sequence<double>(4, 2, 4), input_h); }),
               {"[time, batch, 3], but got [4, 2, 4]"}));
}

TEST_CASE("cudnn layers: without training nothing is dropped, and there is nothing for backward") {
    auto const net = random_net(with_dropout(0.5));
    auto const state = random_state(net, 2);
    auto const run = net(xs, state, false);
    CHECK(run.outputs == random_net(with_dropout(0))(xs, state).outputs);
    CHECK(support::distance(net(xs, state, true).outputs, run.outputs) > 0.01);
    CHECK_FALSE(run.has_tape());
    CHECK_THROWS_WITH_AS(sluice::backward(net, run, run.outputs), doctest::Contains("not one of inference"),
                         std::logic_error);
}

TEST_CASE("cudnn layers: the same seed draws the same masks, call by call") {
    auto const state = random_net().zero_state(2);
    auto const one = random_net(with_dropout(0.5, sluice::seed{3})),
               same = random_net(with_dropout(0.5, sluice::seed{3})),
               other = random_net(with_dropout(0.5, sluice::seed{4}));
    auto const first = one(xs, state), second = one(xs, state);
    CHECK(first.outputs != second.outputs);
    CHECK(same(xs, state).outputs == first.outputs);
    CHECK(same(xs, state).outputs == second.outputs);
    CHECK(other(xs, state).outputs != first.outputs);
}

TEST_CASE("cudnn layers: options that no layers have are refused by their names") {
    auto const of = [](auto change) {
        auto options = two_layers;
        change(options);
        return asked_for(options);
    };
    using size = std::size_t;
    constexpr size huge = size{1} << 63;
    CHECK(says(of([&](auto& o) { o.num_layers = huge; }),
               {"expect num_layers from 1 to 65536, but it is " + std::to_string(huge)}));
    for (size const n : {static_cast<size>(-1), size{1} << 31, size{1} << 62, huge})
        CHECK(says(of([&](auto& o) { o.num_units = n; }),
                   {"of num_units of shape [", "would have more numbers than memory can"}));
    for (size const n : {static_cast<size>(-1), size{1} << 62, huge})
        CHECK(says(of([&](auto& o) { o.input_size = n; }),
                   {"of num_units and input_size of shape [5, " + std::to_string(n) + "]"}));
    CHECK(says(asked_for(with_dropout(-0.1)), {"dropout expects a rate between 0 and 1"}));
}

TEST_CASE("cudnn layers: copies share nothing, and what was moved from says so") {
    auto net = random_net();
    auto const before = copied(net);
    auto copy = net;
    copy.set_params(std::vector<double>(copy.params_size(), 1));
    CHECK(has_params(net, before));
    CHECK(copy.params()[3] == 1);
    auto moved = std::move(net);
    CHECK(has_params(moved, before));
    auto const canonical = moved.params_to_canonical(moved.params());
    auto const saved = moved.saved();
    auto const state = moved.zero_state(2);
    // NOLINTBEGIN
    CHECK(says(refused([&] { (void)net.params(); }), {"moved from"}));
    CHECK(says(refused([&] { (void)net(xs, state); }), {"moved from"}));
    CHECK(says(refused([&] { net.set_params(before); }), {"moved from"}));
    CHECK(says(refused([&] { (void)net.canonical_to_params(canonical); }), {"moved from"}));
    CHECK(says(refused([&] { (void)net.saved(); }), {"moved from"}));
    CHECK(says(refused([&] { net.restore(saved); }), {"moved from"}));
    CHECK(says(refused([&] { (void)net.input_mode(); }), {"moved from"}));
    // NOLINTEND
    net = gru_layers({.num_units = 2, .input_size = 1});
    CHECK(net.params_size() == 30);
    CHECK(net.num_units() == 2);
}

TEST_CASE("cudnn layers: layers of cuDNN are a stack, which streams") {
    stream::check(random_net());
}

} // namespace cudnn_layers_test
