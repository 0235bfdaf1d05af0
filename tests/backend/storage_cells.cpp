// SPDX-License-Identifier: BSL-1.0
// Cells that the default backend keeps in 16 bits, against the reference in float: the same parameters,
// inputs and states, none of which need rounding. Cells of gates with functions of whole rows and in groups;
// the size of everything is odd, or no multiple of a batch.
#include "storage_twins.hpp"
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/layer_norm_lstm.hpp>
#include <sluice/cells/on_lstm.hpp>
#include <sluice/xtensor/fast.hpp>
#include <sluice/xtensor/threaded.hpp>

namespace storage_cells_test {

using namespace support;
using namespace storage_twins;
using sluice::bfloat16, sluice::half;

/// A float that is computed in double.
struct single {
    single() = default;
    explicit single(double number) : kept(static_cast<float>(number)) {}
    explicit operator double() const { return static_cast<double>(kept); }
    float kept = 0;
};

constexpr sluice::sizes known{.input = 3, .units = 16};

} // namespace storage_cells_test

template <>
struct sluice::arithmetic<storage_cells_test::single> {
    using type = double;
    static constexpr double largest = std::numeric_limits<float>::max();
};
template <>
constexpr double storage_twins::rounding<storage_cells_test::single> = 0x1p-24;

namespace storage_cells_test {

TEST_CASE_TEMPLATE("storage cells: functions of rows, groups, a GRU", S, bfloat16, half) {
    check<sluice::layer_norm_lstm, S>({.input = 3, .units = 37});
    check<sluice::on_lstm, S>({.input = 3, .units = 7});
    check<sluice::glstm, S>({.input = 6, .units = 39, .groups = 3});
    check<sluice::gru, S>({.input = 5, .units = 67});
}
TEST_CASE("storage cells: a scalar of a user's, computed in double") {
    check<sluice::gru, single>({.input = 5, .units = 21});
}
TEST_CASE("storage cells: threads give the same to the bit, and approximate activations nearly") {
    constexpr sluice::sizes n{.input = 40, .units = 260};
    sluice::cell<sluice::gru, bfloat16> const cell(n, sluice::seed{7});
    sluice::cell<sluice::gru, bfloat16, sluice::xtensor::threaded> const divided(n, sluice::seed{7});
    sluice::cell<sluice::gru, bfloat16, sluice::xtensor::fast> const fast(n, sluice::seed{7});
    sluice::xtensor::set_threads(2);
    for (std::size_t const batch : {1u, 33u}) {
        auto const xs = random_sequence<bfloat16>(5, batch, 40);
        auto const run = unroll(cell, xs);
        auto const again = unroll(divided, xs);
        CHECK(same_bits(run.outputs, again.outputs));
        auto const g = backward(cell, run, run.outputs);
        auto const of_threads = backward(divided, again, again.outputs);
        CHECK(same_map(g.parameters, of_threads.parameters));
        CHECK(same_bits(g.inputs, of_threads.inputs));
        CHECK(distance(unroll(fast, xs).outputs, run.outputs) < 2 * rounding<bfloat16>);
    }
    sluice::xtensor::set_threads(1);
}
TEST_CASE_TEMPLATE("storage cells: steps of constant sizes are those of sizes given at run time", S, bfloat16,
                   half) {
    sluice::cell<sluice::gru, S> const open(known, sluice::seed{7});
    sluice::cell<sluice::gru, S, sluice::extents<known>> const fixed(sluice::seed{7});
    auto const xs = random_sequence<S>(6, 1, 3);
    sluice::stream live(open);
    sluice::stream constant(fixed);
    for (std::size_t t = 0; t < 6; ++t) {
        xt::xtensor<S, 2> const x = xt::view(xs, t);
        CHECK(same_bits(live.step(x), constant.step(x)));
    }
    CHECK(same_map(live.state(), constant.state()));
}
TEST_CASE("storage cells: layers in both directions") {
    sluice::stack<sluice::gru, bfloat16> const kept(
        {.input = 3, .units = 7}, {.layers = 2, .direction = sluice::direction::bidirectional},
        sluice::seed{7});
    sluice::stack<sluice::gru, float, sluice::xtensor::reference> sharp(
        {.input = 3, .units = 7}, {.layers = 2, .direction = sluice::direction::bidirectional});
    sharp.update_values([&](std::span<float> values) {
        sluice::convert_n(kept.parameters().values().data(), values.size(), values.data());
    });
    auto const xs = random_sequence<bfloat16>(6, 3, 3);
    sluice::unroll_options const rows{.lengths = {6, 0, 4}};
    auto const run = unroll(kept, xs, kept.zero_state(3), rows);
    auto const expected = unroll(sharp, sluice::widened_tensor(xs), sharp.zero_state(3), rows);
    CHECK(distance(run.outputs, expected.outputs) < of_outputs * rounding<bfloat16>);
    auto const dys = random_like(run.outputs, "dys");
    auto const g = backward(kept, run, dys);
    auto const wanted = backward(sharp, expected, xt::eval(sluice::widened_tensor(dys)));
    CHECK(distance(g.inputs, wanted.inputs) < of_gradients * rounding<bfloat16>);
    auto wide = wanted.parameters;
    sluice::convert_n(g.parameters.values().data(), wide.values().size(), wide.values().data());
    auto const all = [](auto const& map) { return xt::adapt(map.values().data(), {map.values().size()}); };
    CHECK(distance(xt::eval(all(wide)), xt::eval(all(wanted.parameters))) <
          of_gradients * rounding<bfloat16>);
}
TEST_CASE("storage cells: a NaN stays one, and what is too large is infinite") {
    sluice::cell<sluice::gru, half> const cell({.input = 3, .units = 5}, sluice::seed{7});
    auto xs = random_sequence<half>(2, 3, 3);
    xs(0, 1, 0) = half(std::numeric_limits<float>::quiet_NaN());
    auto const run = unroll(cell, xs);
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t i = 0; i < 5; ++i)
            CHECK(std::isnan(sluice::widened(run.outputs(1, r, i))) == (r == 1));
    CHECK(std::isinf(sluice::widened(half(70000.f))));
}

} // namespace storage_cells_test
