// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN between addresses of the host: rows of all lengths against a loop over time, and its
// gradients against differences.
#include <sluice/cudnn/rnn/sent_engine.hpp>

#include <cmath>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <sluice/cudnn/rnn/network_engine.hpp>

namespace sent_engine_test {

using namespace sluice::cudnn;
using numbers = std::vector<double>;
using lengths = std::vector<std::size_t>;

constexpr std::size_t steps = 4, batch = 3, input = 2, units = 3;
rnn_shape const shape{
    .mode = rnn_mode::tanh, .layers = 1, .input = input, .units = units, .projection = units};

numbers random_numbers(std::size_t count, unsigned from) {
    numbers all(count);
    for (double& one : all)
        one = static_cast<double>(static_cast<int>(from = (from * 75 + 74) % 65537) % 200 - 100) / 120;
    return all;
}

/// A sequence, the weights, and what a loss weighs its answer with.
struct sequence {
    numbers x = random_numbers(steps * batch * input, 1), h = random_numbers(batch * units, 2),
            weights = random_numbers(units * (input + units + 2), 3),
            of_y = random_numbers(steps * batch * units, 4), of_h = random_numbers(batch * units, 5);
    lengths ends{};

    std::size_t end(std::size_t b) const { return ends.empty() ? steps : ends[b]; }
};
struct answer {
    numbers y = numbers(steps * batch * units, -7), h = numbers(batch * units, -7);
};

/// h' = tanh(W x + R h + b_W + b_R), and zeros after the ends of rows.
answer by_hand(sequence const& s) {
    answer found{numbers(steps * batch * units), s.h};
    double const *const w = s.weights.data(), *const r = w + units * input, *const b = r + units * units;
    for (std::size_t row = 0; row < batch; ++row)
        for (std::size_t t = 0; t < s.end(row); ++t) {
            numbers next(units);
            for (std::size_t u = 0; u < units; ++u) {
                double sum = b[u] + b[units + u];
                for (std::size_t i = 0; i < input; ++i)
                    sum += w[u * input + i] * s.x[(t * batch + row) * input + i];
                for (std::size_t i = 0; i < units; ++i)
                    sum += r[u * units + i] * found.h[row * units + i];
                next[u] = std::tanh(sum);
            }
            for (std::size_t u = 0; u < units; ++u)
                found.y[(t * batch + row) * units + u] = found.h[row * units + u] = next[u];
        }
    return found;
}
double loss_of(sequence const& s) {
    answer const found = by_hand(s);
    double sum = 0;
    for (std::size_t i = 0; i < found.y.size(); ++i)
        sum += s.of_y[i] * found.y[i];
    for (std::size_t i = 0; i < found.h.size(); ++i)
        sum += s.of_h[i] * found.h[i];
    return sum;
}
/// The gradient of the loss with respect to some numbers of a sequence.
numbers differences(sequence s, numbers sequence::*which) {
    numbers found;
    for (double& one : s.*which) {
        double const before = one;
        one = before + 1e-5;
        double const more = loss_of(s);
        one = before - 1e-5;
        found.push_back((more - loss_of(s)) / 2e-5);
        one = before;
    }
    return found;
}
double distance(numbers const& a, numbers const& b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= most)) // NaN is far
            most = std::abs(a[i] - b[i]);
    return most;
}

using engine = sent_engine<double, kernels>;

/// The parameters are cuDNN's weights as they lie, but sent from an array in which one number comes before.
struct scene {
    sequence s{};
    numbers array{};
    std::vector<sluice::tensor_place> places{
        {.called = "weights", .rank = 1, .extents = {1, 1, s.weights.size()}, .first = 1}};
    engine runs{{.inputs = {input}, .states = {units}, .output = units},
                places,
                [](std::span<sluice::tensor_place const> own, std::size_t count) {
                    CHECK(own[0].first == 0);
                    std::vector<sluice::cudnn::detail::mapped_block> all{
                        {.rows = 1, .columns = count, .given = {0, count, 1}, .canonical = {0, count, 1}}};
                    all[0].is_trained = true;
                    return std::make_shared<network_engine<double, kernels>>(
                        shape, rnn_network(rnn_numbers_of<double>::value, {}),
                        weight_map<double>(all, count, count), network_states{.hidden = {0}});
                }};
    sluice::sizes n{};

    scene() { set(); }
    scene(scene const&) = delete;
    scene& operator=(scene const&) = delete;
    void set() {
        array = s.weights;
        array.insert(array.begin(), -7);
    }
    engine::numbers cell() const { return {n, places, array, {}}; }
    sluice::engine_sequence<double> given(answer& to) const {
        return {.steps = steps,
                .rows = {batch, s.ends, {}},
                .inputs = {s.x.data()},
                .states = {s.h.data()},
                .final_states = {to.h.data()},
                .outputs = to.y.data()};
    }
    answer infer() const {
        answer found;
        runs.infer({}, cell(), given(found));
        return found;
    }
};

TEST_CASE("sent engine: rows of all lengths, also of none, are run as a loop over time does, and back") {
    for (lengths const& ends : {lengths{}, {steps, steps, steps}, {2, 4, 1}, {0, 3, 0}, {0, 0, 0}}) {
        CAPTURE(ends.size());
        scene of;
        of.s.ends = ends;
        auto const& s = of.s;
        answer const expected = by_hand(s), found = of.infer();
        CHECK(distance(found.y, expected.y) < 1e-14);
        CHECK(distance(found.h, expected.h) < 1e-14);
        answer kept;
        auto const tape = of.runs.forward({}, of.cell(), of.given(kept));
        CHECK(kept.y == found.y);
        CHECK(kept.h == found.h);
        for (int time = 0; time < 2; ++time) { // a tape is read, and not changed
            numbers dy = s.of_y, dx(s.x.size(), -7), dh(s.h.size(), -7), of_array(of.array.size(), -7);
            for (std::size_t row = 0; row < batch; ++row) // as a net gives it
                for (std::size_t i = s.end(row) * batch + row; i < steps * batch; i += batch)
                    std::fill_n(dy.begin() + static_cast<std::ptrdiff_t>(i * units), units, 0.);
            sluice::engine_gradients<double> asked{.outputs = dy.data(),
                                                   .final_states = {s.of_h.data()},
                                                   .states = {dh.data()},
                                                   .inputs = {dx.data()},
                                                   .parameters = of_array};
            of.runs.backward({}, of.cell(), tape, asked);
            CHECK(distance(dx, differences(s, &sequence::x)) < 1e-9);
            CHECK(distance(dh, differences(s, &sequence::h)) < 1e-9);
            CHECK(of_array[0] == -7);
            numbers const of_weights(of_array.begin() + 1, of_array.end());
            CHECK(distance(of_weights, differences(s, &sequence::weights)) < 1e-9);
            numbers again(of_array.size(), 3);
            asked.inputs.clear();
            asked.parameters = again;
            of.runs.backward({}, of.cell(), tape, asked);
            CHECK(numbers(again.begin() + 1, again.end()) == of_weights);
        }
    }
}

TEST_CASE("sent engine: changed parameters are sent after refresh, and not before") {
    scene of;
    answer const first = of.infer();
    sequence const before = of.s;
    for (double& one : of.s.weights)
        one *= -0.5;
    of.set();
    CHECK(of.infer().y == first.y);
    of.runs.refresh(of.cell());
    CHECK(distance(of.infer().y, by_hand(of.s).y) < 1e-14);
    CHECK(distance(first.y, by_hand(before).y) < 1e-14);
}

TEST_CASE("sent engine: a call gives back what it took of the device's memory") {
    scene const of;
    auto const work = queue::of_this_thread();
    (void)of.infer();
    work->wait();
    long const before = host_device::count().allocations;
    (void)of.infer();
    work->wait();
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("sent engine: of no steps or no rows the states stay as they are") {
    scene const of;
    answer found;
    auto given = of.given(found);
    given.steps = 0;
    of.runs.infer({}, of.cell(), given);
    CHECK(found.h == of.s.h);
    given = of.given(found);
    given.rows.batch = 0;
    CHECK_NOTHROW(of.runs.infer({}, of.cell(), given));
}

} // namespace sent_engine_test
