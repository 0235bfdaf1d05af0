// SPDX-License-Identifier: BSL-1.0
// Plans of cuDNN: made once per shape, with an algorithm that falls back, and what is said when a call fails.
// Layers are asked for here by their sizes, with no cell around them.
#include "host/controls.hpp"
#include "host/cudnn_controls.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <initializer_list>
#include <memory>
#include <sluice/cudnn/rnn/rnn_network.hpp>
#include <sluice/parameter/random.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sluice::cudnn;
using host_device::cudnn_calls;

namespace {

rnn_shape const gru{.mode = rnn_mode::gru, .layers = 2, .input = 3, .units = 5, .projection = 5};

/// Numbers of one type for a network, and room for what it gives.
template <class S>
struct arrays {
    rnn_shape shape;
    std::size_t steps, batch;
    std::vector<std::size_t> lengths{};
    std::vector<S> weights = random(layout_of(shape).size, "weights", 0.6);
    std::vector<S> x = random(steps * batch * shape.input, "x"), y{}, h{}, c{}, dx{}, dh{}, dc{}, d_weights{};
    std::vector<S> dy = random(steps * batch * shape.output(), "dy");
    std::vector<S> start = random(shape.pseudo_layers() * batch * shape.units, "states");

    static std::vector<S> random(std::size_t count, std::string_view called, double scale = 1) {
        sluice::random_stream numbers(sluice::seed{3}, called);
        std::vector<S> all(count);
        for (S& one : all)
            one = sluice::rounded<S>(numbers.uniform(-scale, scale));
        return all;
    }
    void make_room() {
        y.resize(dy.size()), dx.resize(x.size()), d_weights.resize(weights.size());
        for (auto* of_states : {&h, &c, &dh, &dc})
            of_states->resize(start.size());
    }
    void infer(rnn_network const& net) {
        run(net, [&](void const* there, rnn_sequence const& from, rnn_answer const& to) {
            net.infer(shape, there, from, to);
        });
    }
    std::shared_ptr<rnn_tape const> forward(rnn_network const& net) {
        std::shared_ptr<rnn_tape const> tape;
        run(net, [&](void const* there, rnn_sequence const& from, rnn_answer const& to) {
            tape = net.forward(shape, there, from, to, 7);
        });
        return tape;
    }
    void backward(rnn_network const& net, rnn_tape const& tape) {
        auto const& q = tape.runner->work();
        queue::lock const mine(*q);
        sent const of_y(q, dy), of_states(q, start), there(q, weights), of_x(q, dx), of_h(q, dh), of_c(q, dc),
            of_weights(q, std::vector<S>(weights.size()));
        net.backward(tape, there.data(), {of_y.data(), of_states.data(), of_states.data()},
                     {of_x.data(), of_h.data(), of_c.data(), of_weights.data()});
        fetch(*q, {{&of_x, &dx}, {&of_h, &dh}, {&of_c, &dc}, {&of_weights, &d_weights}});
    }

    /// On the device.
    struct sent {
        device_arrays own{};
        sent(std::shared_ptr<queue> const& q, std::vector<S> const& numbers) {
            own.add(numbers.size() * sizeof(S));
            own.allocate(q);
            q->upload(numbers.data(), numbers.size() * sizeof(S), own.at(0));
        }
        void* data() const { return own.at(0); }
    };
    std::vector<sent> read_by_tapes{};

    static void fetch(queue& q, std::initializer_list<std::pair<sent const*, std::vector<S>*>> all) {
        for (auto const& [from, to] : all)
            q.download(from->data(), to->size() * sizeof(S), to->data());
        q.wait();
    }
    template <class Call>
    void run(rnn_network const& net, Call const& call) {
        make_room();
        auto const& q = net.runner().work();
        queue::lock const mine(*q);
        sent const there(q, weights), states(q, start), of_y(q, y), of_h(q, h), of_c(q, c);
        read_by_tapes.emplace_back(q, x);
        call(there.data(),
             rnn_sequence{steps, batch, lengths, read_by_tapes.back().data(), states.data(), states.data()},
             rnn_answer{of_y.data(), of_h.data(), of_c.data()});
        fetch(*q, {{&of_y, &y}, {&of_h, &h}, {&of_c, &c}});
    }
};

template <class S>
rnn_network network(algorithm chosen = algorithm::automatic) {
    return {rnn_numbers_of<S>::value, {.algorithm = chosen}};
}
template <class Error, class Call>
std::string refused(Call const& call) {
    try {
        call();
    } catch (Error const& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace

TEST_CASE("host plans: a plan is made once for a shape, and is found again") {
    auto const net = network<float>();
    auto const start = net.runner().plans();
    auto const made = [&] { return net.runner().plans().made - start.made; };
    auto const found = [&] { return net.runner().plans().found - start.found; };
    arrays<float> seven{gru, 7, 4}, eight{gru, 8, 4}, ragged{gru, 7, 4, {7, 1, 0, 3}};
    seven.infer(net);
    CHECK(made() == 1);
    seven.infer(net);
    network<float>().runner(); // of another network, but of this thread
    seven.infer(network<float>());
    CHECK(made() == 1);
    CHECK(found() == 2);
    auto const tape = seven.forward(net); // in training
    CHECK(made() == 2);
    seven.backward(net, *tape);
    seven.backward(net, *tape); // which leaves the tape as it is
    CHECK(made() == 2);
    CHECK(found() == 4);
    eight.infer(net);
    ragged.infer(net);
    CHECK(made() == 4);
    for (std::size_t steps = 10; steps < 60; ++steps) // they are not all kept
        arrays<float>{gru, steps, 1}.infer(net);
    seven.infer(net);
    CHECK(made() == 55);
    seven.backward(net, *tape);
}

TEST_CASE("host plans: an algorithm that cuDNN does not support gives way to the one that runs everything") {
    arrays<float> one{gru, 6, 4};
    one.forward(network<float>(algorithm::standard));
    auto const expected = one.y;
    SUBCASE("small layers of floats run in the small persistent kernel") {
        CHECK(one.forward(network<float>())->algorithm == algorithm::persist_small);
        one.lengths = {6, 1, 0, 3};
        CHECK(one.forward(network<float>())->algorithm == algorithm::standard);
        one.lengths = {};
        one.shape.units = one.shape.projection = 129;
        arrays<float> wide{one.shape, 2, 1};
        CHECK(wide.forward(network<float>())->algorithm == algorithm::standard);
        arrays<double> sharp{gru, 6, 4};
        CHECK(sharp.forward(network<double>())->algorithm == algorithm::standard);
    }
    SUBCASE("said when sizes are asked for") {
        arrays<float> other{gru, 5, 4};
        host_device::fail_cudnn("cudnnGetRNNTempSpaceSizes", CUDNN_STATUS_NOT_SUPPORTED);
        CHECK(other.forward(network<float>())->algorithm == algorithm::standard);
    }
    SUBCASE("said when it is to run") {
        arrays<float> other{gru, 4, 4};
        host_device::fail_cudnn("cudnnRNNForward", CUDNN_STATUS_NOT_SUPPORTED);
        auto const tape = other.forward(network<float>());
        CHECK(tape->algorithm == algorithm::standard);
        other.backward(network<float>(), *tape);
        CHECK(other.forward(network<float>())->algorithm == algorithm::standard); // which is remembered
    }
    SUBCASE("timed: each runs once to load, and three times to be measured") {
        auto const net = network<float>(algorithm::timed);
        long const before = cudnn_calls("cudnnRNNForward");
        one.forward(net);
        CHECK(cudnn_calls("cudnnRNNForward") == before + 9);
        CHECK(one.y == expected);
        one.forward(net);
        CHECK(cudnn_calls("cudnnRNNForward") == before + 10);
    }
    SUBCASE("asked for, and there for no lengths") {
        one.lengths = {6, 1, 0, 3};
        CHECK(one.forward(network<float>(algorithm::persist_static))->algorithm == algorithm::standard);
    }
}

TEST_CASE("host plans: floats are computed exactly unless TF32 is asked for") {
    CHECK(math_of(rnn_numbers_of<float>::value, {}) == CUDNN_FMA_MATH);
    CHECK(math_of(rnn_numbers_of<float>::value, {.tf32 = true}) == CUDNN_DEFAULT_MATH);
    CHECK(math_of(rnn_numbers_of<double>::value, {.tf32 = true}) == CUDNN_FMA_MATH);
    CHECK(math_of(rnn_numbers_of<sluice::half>::value, {}) == CUDNN_TENSOR_OP_MATH);
}

TEST_CASE_TEMPLATE("host plans: numbers of 16 bits are kept so, and summed in float", S, sluice::half,
                   sluice::bfloat16) {
    for (rnn_mode const mode : {rnn_mode::relu, rnn_mode::tanh, rnn_mode::lstm, rnn_mode::gru}) {
        rnn_shape const shape{
            .mode = mode, .layers = 2, .bidirectional = true, .input = 3, .units = 5, .projection = 5};
        arrays<S> kept{shape, 4, 3, {4, 0, 2}};
        arrays<double> sharp{shape, 4, 3, {4, 0, 2}};
        auto const tape = kept.forward(network<S>());
        kept.backward(network<S>(), *tape);
        sharp.backward(network<double>(), *sharp.forward(network<double>()));
        auto const distance = [](std::vector<S> const& a, std::vector<double> const& b) {
            double off = 0, norm = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                off += std::pow(sluice::in_double(a[i]) - b[i], 2);
                norm += b[i] * b[i];
            }
            return std::sqrt(off / norm);
        };
        CHECK(distance(kept.y, sharp.y) < 2e-2);
        CHECK(distance(kept.h, sharp.h) < 2e-2);
        CHECK(distance(kept.dx, sharp.dx) < 4e-2);
        CHECK(distance(kept.d_weights, sharp.d_weights) < 4e-2);
    }
}

TEST_CASE("host plans: what cuDNN says becomes a sentence with the arguments in words") {
    arrays<float> one{gru, 9, 2};
    auto const fails = [&](cudnnStatus_t status) {
        host_device::fail_cudnn("cudnnRNNForward", status);
        one.forward(network<float>(algorithm::standard));
    };
    auto const bad = refused<std::logic_error>([&] { fails(CUDNN_STATUS_BAD_PARAM); });
    CHECK(bad.starts_with("sluice: cuDNN could not run 2 layers of GRU, input 3, units 5, of float, 9 steps, "
                          "batch 2, in training, algorithm standard: "));
    CHECK(bad.find("CUDNN_STATUS_BAD_PARAM") != std::string::npos);
    CHECK(refused<not_supported>([&] { fails(CUDNN_STATUS_NOT_SUPPORTED); }).find("(3000)") !=
          std::string::npos);
    CHECK(refused<out_of_memory>([&] {
              fails(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
          }).find("(4004)") != std::string::npos);
    CHECK(refused<device_error>([&] { fails(CUDNN_STATUS_EXECUTION_FAILED); }).find("(5000)") !=
          std::string::npos);
    auto const tape = one.forward(network<float>(algorithm::standard)); // nothing is broken for good
    host_device::fail_cudnn("cudnnRNNBackwardWeights_v8", CUDNN_STATUS_EXECUTION_FAILED);
    CHECK(refused<device_error>([&] {
              one.backward(network<float>(), *tape);
          }).find("sum the gradients of the weights of 2 layers of GRU") != std::string::npos);
    one.backward(network<float>(), *tape);
    CHECK(refused<std::invalid_argument>([] {
              require_countable(1, std::size_t(1) << 31);
          }).find("counts steps and rows in 32 bits") != std::string::npos);
    {
        host_device::changed_settings now;
        now->fail_allocation = 1;
        CHECK(refused<device_error>([&] { one.infer(network<float>()); }).find("bytes of device memory") !=
              std::string::npos);
    }
    {
        host_device::changed_settings now;
        now->driver = false;
        CHECK(refused<device_error>([] { network<float>(); }).find("there is none") != std::string::npos);
        CHECK_FALSE(device_available());
    }
}

TEST_CASE("host plans: threads share a network, and make their own") {
    auto const net = network<float>();
    auto const alone = [&](rnn_network const& by, std::size_t steps) {
        arrays<float> one{gru, steps, 2};
        auto const tape = one.forward(by);
        one.backward(by, *tape);
        return std::pair{one.y, one.d_weights};
    };
    auto const expected = std::array{alone(net, 3), alone(net, 4)};
    std::array<int, 4> as_expected{};
    {
        std::vector<std::jthread> all;
        for (std::size_t i = 0; i < as_expected.size(); ++i)
            all.emplace_back([&, i] {
                for (int round = 0; round < 5; ++round)
                    as_expected[i] += alone(i < 2 ? net : network<float>(), 3 + i % 2) == expected[i % 2];
            });
    }
    CHECK(as_expected == std::array{5, 5, 5, 5});
}

TEST_CASE("host plans: nothing of the device's memory is lost, and no handle or descriptor") {
    auto const blocks = host_device::count().allocations;
    auto const objects = host_device::cudnn_objects();
    {
        auto const net = network<float>();
        arrays<float> one{gru, 9, 2};
        auto const before = host_device::count().allocations;
        auto const tape = one.forward(net);
        CHECK(host_device::count().allocations > before);
    }
    CHECK(host_device::count().allocations == blocks); // the queue goes with the last of its networks
    CHECK(host_device::cudnn_objects() == objects);
}
