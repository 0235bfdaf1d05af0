// SPDX-License-Identifier: BSL-1.0
// stream: every cell steps as it runs over a sequence, also those whose states are not what one expects of a state.
#include <doctest/doctest.h>
#include <support/cells.hpp>

using namespace support;
using namespace sluice::equation;

namespace {

constexpr auto first = state<"first">;
constexpr auto second = state<"second">;
constexpr auto third = state<"third">;

struct never_read {
    static constexpr auto equations = sluice::lines(next(h) = x * W<"h">);
};
struct swapped {
    static constexpr auto equations =
        sluice::lines(next(first) = second, next(second) = first, output = x * W<"y"> + first * second);
};
/// y_t = (x_(t-3) + 2 x_(t-2)) W: states that are delays, outside any loop.
struct delayed {
    static constexpr auto a = state<"first", size<"input">>;
    static constexpr auto b = state<"second", size<"input">>;
    static constexpr auto c = state<"third", size<"input">>;
    static constexpr auto equations =
        sluice::lines(next(a) = x, next(b) = a, next(c) = b, output = (c + 2_n * b) * W<"y", 4>);
};
/// The output is the state before the step, the input itself, and what is made of parameters alone.
struct before {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), output = h);
};
struct passed {
    static constexpr auto equations = sluice::lines(next(h) = h + tanh(x * W<"h">), output = x);
};
struct constant {
    static constexpr auto equations =
        sluice::lines(next(h) = softplus(p<"rate">) * h + exp(b<"log">) * tanh(x * W<"h">));
};
/// Two states side by side in products, normalised over the features, with a column and one of the states unread.
struct mixed {
    static constexpr auto g = gate<"g">;
    static constexpr auto equations = sluice::lines(
        g = (concat(first, second) * R<"g"> + x * W<"g">) / (1 + sum(first * first)),
        next(first) = sigmoid(g), next(second) = slice<0, units>(concat(g, first)) - mean(second),
        next(third) = max(g, first), output = concat(next(second), next(first)));
};
/// A number of its own, and no input.
struct alone {
    static constexpr auto equations = sluice::lines(next(h) = scalar<"alpha"> * tanh(h * R<"h">));
};

template <class Page, class S, class Backend>
auto sized_cell() {
    return sized<Page, sluice::sizes{.input = 3, .units = 5}>::template make<S, Backend>();
}

template <class S>
constexpr double near = std::is_same_v<S, float> ? 2e-5 : 1e-11;

/// Steps against sequences of the same cell, and against single steps, to the bit.
template <class Cell>
void check(Cell const& cell) {
    using S = typename Cell::scalar_type;
    std::size_t const steps = 4;
    for (std::size_t const batch : {1, 3}) {
        auto const xs = random_sequence<S>(steps, batch, cell.input_size());
        auto state = random_map(cell.zero_state(batch), "state");
        auto const whole = infer(cell, xs, state);
        sluice::stream live(cell, batch, state);
        for (std::size_t t = 0; t < steps; ++t) {
            xt::xtensor<S, 2> const x = xt::view(xs, t);
            auto const& y = live.step(x);
            auto const found = cell(x, state);
            state = found.state;
            CHECK(distance(y, xt::xtensor<S, 2>(xt::view(whole.outputs, t))) < near<S>);
            CHECK(same_bits(y, found.output));
            CHECK(same_states(live.state(), state));
        }
        CHECK(state_distance(live.state(), whole.state) < near<S>);
    }
}

template <class Backend, class S, class... Which>
void check_all() {
    (check(Which::template make<S, Backend>()), ...);
}
template <class... Page>
void check_odd() {
    (check(sized_cell<Page, double, sluice::xtensor::planned>()), ...);
    (check(sized_cell<Page, double, sluice::xtensor::reference>()), ...);
}

} // namespace

TEST_CASE_TEMPLATE("stream: every stock cell, on the plans", S, float, double) {
    check_all<sluice::xtensor::planned, S, gru, relu_gru, cudnn_gru, lstm, full_lstm, glstm, projected_glstm,
              dense, support::mgu, traced>();
}
TEST_CASE_TEMPLATE("stream: every stock cell, on the reference", S, float, double) {
    check_all<sluice::xtensor::reference, S, gru, cudnn_gru, full_lstm, projected_glstm, dense, support::mgu,
              traced>();
}
TEST_CASE("stream: states that are not read, change places, are delays, or come out as they were") {
    check_odd<never_read, swapped, delayed, before, passed, constant, mixed, alone>();
}
