// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN between addresses of the host: rows of all lengths against a loop over time, and its
// gradients against differences.
#include <sluice/cudnn/rnn_network.hpp>

#include <cmath>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>

namespace rnn_network_test {

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
    rnn_sequence given() const {
        return {.steps = steps, .batch = batch, .lengths = ends, .x = x.data(), .h = h.data()};
    }
};
struct answer {
    numbers y = numbers(steps * batch * units, -7), h = numbers(batch * units, -7);
    rnn_answer places() { return {.y = y.data(), .h = h.data()}; }
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

TEST_CASE("rnn network: rows of all lengths, also of none, are run as a loop over time does, and back") {
    for (lengths const& ends : {lengths{}, {steps, steps, steps}, {2, 4, 1}, {0, 3, 0}, {0, 0, 0}}) {
        CAPTURE(ends.size());
        rnn_network const network(rnn_numbers_of<double>::value, {});
        sequence s;
        s.ends = ends;
        answer const expected = by_hand(s);
        int asked = 0;
        auto const weights = [&]() -> numbers const& {
            ++asked;
            return s.weights;
        };
        answer found, kept;
        network.infer(shape, weights, s.given(), found.places());
        CHECK(distance(found.y, expected.y) < 1e-14);
        CHECK(distance(found.h, expected.h) < 1e-14);
        auto const tape = network.forward(shape, weights, s.given(), kept.places());
        CHECK(kept.y == found.y);
        CHECK(kept.h == found.h);
        CHECK(tape->shape() == std::array{steps, batch});
        CHECK(asked == 1);

        for (int time = 0; time < 2; ++time) { // a tape is read, and not changed
            numbers dy = s.of_y, dx(s.x.size(), -7), dh(s.h.size(), -7), of_weights(s.weights.size(), -7);
            network.backward(*tape, weights, {.dy = dy.data(), .dh = s.of_h.data()},
                             {.dx = dx.data(), .dh = dh.data(), .weights = of_weights.data()});
            CHECK(distance(dx, differences(s, &sequence::x)) < 1e-9);
            CHECK(distance(dh, differences(s, &sequence::h)) < 1e-9);
            CHECK(distance(of_weights, differences(s, &sequence::weights)) < 1e-9);
            numbers again(s.weights.size());
            network.backward(*tape, weights, {.dy = dy.data(), .dh = s.of_h.data()},
                             {.dx = nullptr, .dh = dh.data(), .weights = again.data()});
            CHECK(again == of_weights);
        }
    }
}

TEST_CASE("rnn network: changed weights are sent when somebody says so") {
    rnn_network network(rnn_numbers_of<double>::value, {});
    sequence s;
    auto const weights = [&]() -> numbers const& { return s.weights; };
    answer first, same, second;
    network.infer(shape, weights, s.given(), first.places());
    sequence const before = s;
    for (double& one : s.weights)
        one *= -0.5;
    network.infer(shape, weights, s.given(), same.places());
    CHECK(same.y == first.y);
    network.refresh();
    network.infer(shape, weights, s.given(), second.places());
    CHECK(distance(second.y, by_hand(s).y) < 1e-14);
    CHECK(distance(first.y, by_hand(before).y) < 1e-14);
}

TEST_CASE("rnn network: a call gives back what it took of the device's memory") {
    rnn_network network(rnn_numbers_of<double>::value, {});
    sequence const s;
    auto const weights = [&]() -> numbers const& { return s.weights; };
    answer found;
    network.infer(shape, weights, s.given(), found.places());
    network.runner().work()->wait();
    long const before = host_device::count().allocations;
    network.infer(shape, weights, s.given(), found.places());
    network.runner().work()->wait();
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("rnn network: a tape of nothing says how little it is of") {
    CHECK(rnn_tape::of_nothing(0, 3)->is_of_nothing());
    CHECK(rnn_tape::of_nothing(4, 0)->is_of_nothing());
    CHECK(rnn_tape::of_nothing(4, 0)->shape() == std::array<std::size_t, 2>{4, 0});
    CHECK(!rnn_tape::of_nothing(1, 1)->is_of_nothing());
}

TEST_CASE("rnn network: more steps than cuDNN counts are refused before anything is allocated") {
    rnn_network const network(rnn_numbers_of<double>::value, {});
    rnn_sequence given{.steps = std::size_t(1) << 31, .batch = 1};
    CHECK_THROWS_WITH_AS(
        network.infer(shape, [] { return numbers(); }, given, {}),
        doctest::Contains("cuDNN counts steps and rows in 32 bits, but a sequence has 2147483648 steps"),
        std::invalid_argument);
}

} // namespace rnn_network_test
