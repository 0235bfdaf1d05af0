// SPDX-License-Identifier: BSL-1.0
// resampled: what the equations become, the page itself at a delay of one step, sequences beside each other
// at two and three, and between steps the equations by hand.
#include "adapted.hpp"

#include <cmath>
#include <limits>
#include <sluice/cell/adapt/resampled.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <support/both.hpp>
#include <tuple>

namespace resampled_test {

using namespace support;
using namespace sluice::literals;
using sluice::lagrange_taps;
using sluice::resampled;

namespace {

namespace by_hand {
using namespace sluice::equation;
/// A GRU whose state is read by the name of a gate.
struct delayed_gru {
    static constexpr auto s = gate<"s">;
    static constexpr auto r = gate<"r">;
    static constexpr auto u = gate<"u">;
    static constexpr auto n = gate<"n">;
    static constexpr auto equations = sluice::lines(
        s = setting<"tap_1">(1_n) * h + setting<"tap_2">(0_n) * delay<1>(h),
        r = sigmoid(x * W<"r"> + s * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + s * R<"u"> + b<"u">),
        n = tanh(x * W<"n"> + (r * s) * R<"n"> + b<"n">), next(h) = u * s + (1 - u) * n);
};
} // namespace by_hand

/// The same parameters in both.
template <class Page, int Taps = 4>
std::tuple<sluice::cell<Page, double>, sluice::cell<resampled<Page, Taps>, double>>
both_of(sluice::sizes const& n) {
    sluice::cell<Page, double> learned(n);
    randomize(learned);
    sluice::cell<resampled<Page, Taps>, double> other(n);
    sluice::copy_to_resampled(learned, other);
    return {std::move(learned), std::move(other)};
}

template <class Page>
void is_itself_at_one_step(sluice::sizes const& n) {
    auto const [learned, other] = both_of<Page>(n);
    auto const xs = random_sequence<double>(7, 3, learned.input_size());
    CHECK(unroll(learned, xs).outputs == unroll(other, xs).outputs);
}

/// Every D-th step is the step of a sequence of its own.
template <class Page>
void are_sequences_beside_each_other(sluice::sizes const& n) {
    for (std::size_t const steps : {2u, 3u, 4u}) {
        auto [learned, other] = both_of<Page>(n);
        sluice::resample(other, static_cast<double>(steps), 1);
        auto const xs = random_sequence<double>(11, 3, learned.input_size());
        auto const ys = unroll(other, xs).outputs;
        for (std::size_t first = 0; first < steps; ++first) {
            auto every = xt::range(first, std::size_t{11}, steps);
            xt::xtensor<double, 3> const own = xt::view(xs, every);
            CHECK(distance(unroll(learned, own).outputs, xt::xtensor<double, 3>(xt::view(ys, every))) <
                  1e-14);
        }
    }
}

} // namespace

TEST_CASE("resampled: the equations of a GRU with two taps") {
    BOTH(sluice::print<resampled<sluice::tanh_rnn, 2>>().view() ==
         "next(h) = tanh(x W_h + (tap_1 . h + tap_2 . h_t-2) R_h + b_h)\n"
         "next(h_t-2) = h\n");
}

TEST_CASE("resampled: a delay of one step is the page itself, to the bit") {
    is_itself_at_one_step<sluice::gru>({.input = 3, .units = 5});
    is_itself_at_one_step<sluice::lstm>({.input = 3, .units = 5});
    is_itself_at_one_step<sluice::linear_attention>({.input = 3, .units = 6, .groups = 2});
}

TEST_CASE("resampled: two, three and four steps are as many sequences") {
    are_sequences_beside_each_other<sluice::gru>({.input = 3, .units = 5});
    are_sequences_beside_each_other<sluice::lstm>({.input = 3, .units = 5});
    are_sequences_beside_each_other<sluice::linear_attention>({.input = 3, .units = 6, .groups = 2});
}

TEST_CASE("resampled: between steps it is the cell whose state is written out, and its gradient is that of "
          "differences") {
    sluice::sizes const n{.input = 3, .units = 5};
    sluice::cell<resampled<sluice::gru, 2>, double> one(n);
    sluice::cell<by_hand::delayed_gru, double, sluice::xtensor::reference> other(n);
    randomize(one);
    randomize(other);
    CHECK(names(one.parameters()) == names(other.parameters()));
    for (double const ratio : {0.5, 1.0884, 1.75}) {
        auto const taps = lagrange_taps<2>(ratio, 1);
        sluice::resample(one, ratio);
        CHECK(one.setting("tap_1"_s) == taps[0]);
        CHECK(one.setting("tap_2"_s) == taps[1]);
        other.set_setting("tap_1"_s, taps[0]);
        other.set_setting("tap_2"_s, taps[1]);
        auto const xs = random_sequence<double>(6, 3, 3);
        auto const run = unroll(one, xs, one.zero_state(3));
        CHECK(distance(run.outputs, unroll(other, xs, other.zero_state(3)).outputs) < 1e-14);
        auto const report = gradient_check(one, xs, random_map(one.zero_state(3), "state"));
        for (auto const& tensor : report.tensors) {
            CAPTURE(tensor.called);
            CHECK(tensor.largest < 1e-7);
        }
    }
}

TEST_CASE("resampled: a stack, and its stream") {
    sluice::stack<sluice::layers<resampled<sluice::lstm, 3>, resampled<sluice::gru, 3>>, double> net(
        {{.input = 2, .units = 5}, {.units = 3}}, {}, sluice::seed{4});
    sluice::resample(net, 96000. / 44100);
    auto const xs = random_sequence<double>(9, 2, 2);
    auto const ys = infer(net, xs, net.zero_state(2)).outputs;
    sluice::stream live(net, 2);
    for (std::size_t t = 0; t < 9; ++t) {
        xt::xtensor<double, 2> const x = xt::view(xs, t);
        CHECK(distance(live.step(x), xt::xtensor<double, 2>(xt::view(ys, t))) < 1e-14);
    }
}

TEST_CASE("copy_to_resampled: a stack learns, another one runs at its rate; other equations are refused") {
    using pages = sluice::layers<sluice::lstm, sluice::dense>;
    using fast_pages = sluice::layers<resampled<sluice::lstm>, sluice::dense>;
    sluice::stack<pages> const learned({{.input = 1, .units = 5}, {.units = 1}}, {}, sluice::seed{4});
    sluice::stack<fast_pages> other({{.input = 1, .units = 5}, {.units = 1}});
    sluice::copy_to_resampled(learned, other);
    auto const xs = support::random_tensor<float, 3>({6, 1, 1}, "xs");
    CHECK(infer(learned, xs).outputs == infer(other, xs).outputs);
    sluice::resample(other, 1.5);
    CHECK(infer(learned, xs).outputs != infer(other, xs).outputs);
    sluice::copy_to_resampled(learned, other); // the rate stays
    CHECK(infer(learned, xs).outputs != infer(other, xs).outputs);

    sluice::cell<sluice::gru> const gru({.input = 1, .units = 5});
    sluice::cell<resampled<sluice::lstm>> lstm({.input = 1, .units = 5});
    CHECK_THROWS_WITH_AS(sluice::copy_to_resampled(gru, lstm),
                         "sluice: copy_to_resampled expects a net of some pages and one of the same pages, "
                         "resampled, but these have other equations",
                         std::invalid_argument);
    sluice::cell<sluice::lstm> const wider({.input = 1, .units = 6});
    CHECK_THROWS_AS(sluice::copy_to_resampled(wider, lstm), std::invalid_argument);
}

TEST_CASE("lagrange_taps: polynomials are interpolated as they are") {
    for (int const order : {0, 1, 2, 3})
        for (double const delay : {0.25, 0.5, 1., 1.0884, 1.5, 2., 2.177, 2.9, 3.3, 4.}) {
            auto const taps = lagrange_taps<4>(delay, order);
            for (int power = 0; power <= order; ++power) {
                double sum = 0;
                for (int k = 1; k <= 4; ++k)
                    sum += taps[static_cast<std::size_t>(k - 1)] * std::pow(k, power);
                CHECK(sum == doctest::Approx(std::pow(delay, power)).epsilon(1e-12));
            }
        }
    constexpr auto linear = lagrange_taps<4>(2.25, 1);
    BOTH((linear == std::array{0., 0.75, 0.25, 0.}));
    constexpr auto whole = lagrange_taps<5>(3, 3);
    BOTH((whole == std::array{0., 0., 1., 0., 0.}));
    CHECK_FALSE(std::signbit(lagrange_taps<4>(2, 3)[0]));
}

TEST_CASE("resample: what is refused, and the net is as it was") {
    sluice::cell<resampled<sluice::gru>, double> net({.input = 1, .units = 3});
    sluice::resample(net, 2, 1);
    for (double const ratio : {0., -1., 4.0001, 1e300, std::nan(""), std::numeric_limits<double>::infinity()})
        CHECK_THROWS_AS(sluice::resample(net, ratio), std::invalid_argument);
    CHECK_THROWS_WITH_AS(sluice::resample(net, 4.5),
                         "sluice: a delay above 0 and up to 4 steps is expected, as many as there are taps, "
                         "but got 4.5; give resampled more taps",
                         std::invalid_argument);
    for (int const order : {-1, 4, std::numeric_limits<int>::max()})
        CHECK_THROWS_AS(sluice::resample(net, 1.5, order), std::invalid_argument);
    CHECK(net.setting("tap_2"_s) == 1);
    sluice::resample(net, std::numeric_limits<double>::denorm_min(),
                     1); // twice the last state less the one before
    CHECK(net.setting("tap_1"_s) == 2);
}

} // namespace resampled_test
