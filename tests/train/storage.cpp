// SPDX-License-Identifier: BSL-1.0
// Training with numbers that are kept in another type than they are computed in: what comes back is what
// float gives for the same numbers, rounded once.
#include "fake_cell.hpp"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/core/half.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/train/activity.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/penalty.hpp>
#include <sluice/train/regularizer.hpp>
#include <sluice/train/sgd.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <support/tensors.hpp>

using namespace support;
using sluice::bfloat16;

namespace {

/// Hundredths from -1 to 1: a storage with little room.
struct hundredth {
    std::int8_t count = 0;

    hundredth() = default;
    explicit hundredth(float number) : count(static_cast<std::int8_t>(std::lround(100 * number))) {}
    explicit operator float() const { return static_cast<float>(count) / 100; }
};

/// 16-bit numbers, and the same as floats.
struct twins {
    xt::xtensor<bfloat16, 3> kept = random_sequence<bfloat16>(4, 3, 5);
    xt::xtensor<float, 3> wide = sluice::widened_tensor(kept);
};

template <class Kept, class Wide>
bool is_rounded(Kept const& kept, Wide const& wide) {
    return same_bits(kept, xt::eval(sluice::rounded_tensor<typename Kept::value_type>(wide)));
}

} // namespace

template <>
struct sluice::arithmetic<hundredth> {
    using type = float;
    static constexpr double largest = 1;
};

TEST_CASE("storage: losses of 16-bit numbers are those of the same floats") {
    twins const y;
    auto const targets = random_tensor<bfloat16, 3>({4, 3, 5}, "targets");
    xt::xtensor<float, 3> const wide_targets = sluice::widened_tensor(targets);
    auto const weights = sluice::sequence_mask<bfloat16>(4, std::array<std::size_t, 3>{4, 0, 2});
    auto const wide_weights = sluice::sequence_mask(4, std::array<std::size_t, 3>{4, 0, 2});

    auto const squares = sluice::mean_squared_error(y.kept, targets, weights);
    auto const wide_squares = sluice::mean_squared_error(y.wide, wide_targets, wide_weights);
    CHECK(squares.loss() == wide_squares.loss());
    CHECK(is_rounded(squares.gradient, wide_squares.gradient));

    xt::xtensor<int, 2> const labels = {{0, 1, 2}, {3, 4, 0}, {1, 2, 3}, {4, 0, 1}};
    auto const entropy = sluice::softmax_cross_entropy(y.kept, labels, weights);
    auto const wide_entropy = sluice::softmax_cross_entropy(y.wide, labels, wide_weights);
    CHECK(entropy.loss() == wide_entropy.loss());
    CHECK(is_rounded(entropy.gradient, wide_entropy.gradient));
}

TEST_CASE("storage: norms and penalties of 16-bit numbers are summed in double") {
    auto kept = fake_cell<bfloat16>::pattern();
    auto wide = fake_cell<float>::pattern(); // numbers that need no rounding
    auto const about = [](double sum) { return doctest::Approx(sum).epsilon(1e-14); }; // in another order
    CHECK(sluice::global_norm(kept) == about(sluice::global_norm(wide)));
    CHECK(sluice::clip_by_global_norm(0.7, kept) == about(sluice::clip_by_global_norm(0.7, wide)));
    for (std::size_t i = 0; i < kept.values().size(); ++i)
        CHECK(sluice::widened(kept.values()[i]) == sluice::widened(bfloat16(wide.values()[i])));

    twins y;
    sluice::regularizer const r{.l1 = 0.1, .l2 = 0.3};
    std::span<bfloat16> const numbers(y.kept.data(), y.kept.size());
    std::span<float> const wide_numbers(y.wide.data(), y.wide.size());
    CHECK(r.penalty(numbers) == about(r.penalty(wide_numbers)));
    r.add_gradient(numbers, numbers);
    r.add_gradient(wide_numbers, wide_numbers);
    CHECK(is_rounded(y.kept, y.wide));
}

TEST_CASE("storage: penalties on parameters and on activity of 16-bit numbers are those of the same floats") {
    fake_cell<bfloat16> kept;
    fake_cell<float> wide;
    kept.map = fake_cell<bfloat16>::pattern();
    wide.map = fake_cell<float>::pattern();
    sluice::penalty of_kept(kept);
    sluice::penalty of_wide(wide);
    of_kept.regularize("R_r"_s, {.l2 = 0.3});
    of_wide.regularize("R_r"_s, {.l2 = 0.3});
    CHECK(of_kept.loss(kept) == doctest::Approx(of_wide.loss(wide)).epsilon(1e-14));
    auto gradients = kept.map;
    auto wide_gradients = wide.map;
    of_kept.add_gradient(kept, gradients);
    of_wide.add_gradient(wide, wide_gradients);
    CHECK(is_rounded(gradients["R_r"_s], wide_gradients["R_r"_s]));

    twins const y;
    struct {
        xt::xtensor<bfloat16, 3> outputs;
        sluice::state_map<sluice::gru, bfloat16> state{};
    } run{y.kept};
    run.state["h"_s] = random_tensor<bfloat16, 2>({2, 3}, "state");
    auto const activity = sluice::penalize_activity({.l1 = 0.1, .l2 = 0.2}, run);
    double sum = 0;
    auto const add = [&](auto const& tensor) {
        for (auto const& v : tensor)
            sum += 0.1 * std::abs(sluice::in_double(v)) + 0.2 * std::pow(sluice::in_double(v), 2);
    };
    add(run.outputs);
    add(run.state["h"_s]);
    CHECK(activity.loss() == doctest::Approx(sum));
    for (std::size_t i = 0; i < y.wide.size(); ++i) {
        float const v = y.wide.data()[i];
        CHECK(sluice::widened(activity.outputs.data()[i]) ==
              sluice::widened(
                  sluice::rounded<bfloat16>(0.1 * (v > 0 ? 1 : -1) + 2 * 0.2 * static_cast<double>(v))));
    }
}

TEST_CASE("storage: dropout of 16-bit numbers draws the same mask") {
    twins const y;
    sluice::dropout const drop(0.4, sluice::seed{3});
    CHECK(is_rounded(drop(y.kept, 2), drop(y.wide, 2)));
}

TEST_CASE("storage: moments in float remember what 16 bits would lose") {
    fake_cell<bfloat16> cell;
    sluice::sgd optimizer(cell, {.learning_rate = 1, .momentum = 0.999});
    for (int i = 0; i < 512; ++i) // a moment of 8 digits stops growing at 256 times the gradient
        optimizer.step(cell, fake_cell<bfloat16>::pattern(0x1p-20));
    optimizer.visit_tensors([](std::string_view called, auto, auto values) {
        if constexpr (std::is_same_v<typename decltype(values)::value_type, float>) {
            if (called == "momentum/W_r")
                CHECK(values[0] ==
                      doctest::Approx(0.5 * 0x1p-20 * (1 - std::pow(0.999, 512)) / 0.001).epsilon(1e-3));
        } else
            CHECK(called == "step");
    });
}

TEST_CASE_TEMPLATE("storage: a step beyond what the storage can hold ends at its last number", Rule,
                   sluice::sgd_options, sluice::adam_options) {
    fake_cell<hundredth> cell;
    sluice::optimizer<fake_cell<hundredth>, Rule> optimizer(cell, {.learning_rate = 100});
    auto const gradients = fake_cell<hundredth>::pattern(0.2);
    for (int i = 0; i < 2; ++i) {
        optimizer.step(cell, gradients);
        for (std::size_t k = 0; k < gradients.values().size(); ++k)
            CHECK(sluice::widened(cell.map.values()[k]) ==
                  (sluice::widened(gradients.values()[k]) > 0 ? -1.f : 1.f));
    }
}
