// SPDX-License-Identifier: BSL-1.0
// Cells that are kept in 16 bits and computed in float, against the same cells in float: the same parameters,
// inputs and states, none of which need rounding, so that what is between them are the roundings of a run.
#include <algorithm>
#include <array>
#include <checkpoint/support.hpp>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/sgd.hpp>
#include <sluice/xtensor/storage.hpp>
#include <support/cells.hpp>
#include <support/device.hpp>
#include <support/rounding.hpp>

namespace storage_test {

using namespace support;
using sluice::bfloat16;
using sluice::xtensor::planned;
using namespace sluice::literals;

namespace {

/// Its matrix is made of others, and its step is small: what would be lost if either were kept in 16 bits on
/// the way.
struct antisymmetric {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = h + setting<"dt">(0.1_n) *
                                               tanh(h * (R<"h"> - transposed(R<"h">)) + x * W<"h"> + b<"h">));
    }();
};

struct shrunk {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(output = (setting<"dt"> - 0.05_n) * x);
    }();
};

template <class Map, class From>
Map widened_map(Map to, From const& from) {
    sluice::for_each_parameter(
        to, from, [](auto, auto& wide, auto const& kept) { wide = sluice::widened_tensor(kept); });
    return to;
}

/// A page, run by a backend in 16 bits, and in float.
template <class Page, class Backend>
struct twins {
    sluice::cell<Page, bfloat16, Backend> kept{{.input = 3, .units = 7}};
    sluice::cell<Page, float, sluice::xtensor::reference> sharp{{.input = 3, .units = 7}};
    std::size_t time = 5, batch = 3;
    xt::xtensor<bfloat16, 3> xs = random_sequence<bfloat16>(time, batch, 3);
    xt::xtensor<float, 3> sharp_xs = sluice::widened_tensor(xs);
    decltype(kept.zero_state(0)) state = random_map(kept.zero_state(batch), "state");
    decltype(sharp.zero_state(0)) sharp_state = widened_map(sharp.zero_state(batch), state);

    twins() {
        randomize(kept);
        sluice::for_each_parameter(kept.parameters(), [&](auto key, auto const& tensor) {
            sharp.assign(key, sluice::widened_tensor(tensor));
        });
    }
};

constexpr double of_a_step = 2 * rounding_of_bfloat16;
constexpr double of_a_sequence = 3 * rounding_of_bfloat16;
constexpr double of_gradients = 5 * rounding_of_bfloat16;

} // namespace

TEST_CASE_TEMPLATE("storage: a cell in 16 bits is the cell in float, rounded", Twins,
                   twins<sluice::gru, sluice::xtensor::reference>,
                   twins<sluice::cudnn_gru, sluice::xtensor::reference>,
                   twins<sluice::lstm, sluice::xtensor::reference>,
                   twins<antisymmetric, sluice::xtensor::reference>, twins<sluice::gru, planned>,
                   twins<sluice::cudnn_gru, planned>, twins<sluice::lstm, planned>,
                   twins<antisymmetric, planned>, twins<sluice::gru, device>,
                   twins<sluice::cudnn_gru, device>, twins<sluice::lstm, device>,
                   twins<antisymmetric, device>) {
    Twins const both;
    auto const& [kept, sharp, time, batch, xs, sharp_xs, state, sharp_state] = both;
    {
        CHECK(kept.parameters().values().size() == kept.parameter_count());
        CHECK(kept.parameters().values().size_bytes() == 2 * kept.parameter_count());
        static_assert(std::is_same_v<decltype(unroll(kept, xs, state).outputs), xt::xtensor<bfloat16, 3>>);
    }
    {
        xt::xtensor<bfloat16, 2> const x = xt::view(xs, 0);
        xt::xtensor<float, 2> const sharp_x = xt::view(sharp_xs, 0);
        auto const step = kept(x, state);
        auto const expected = sharp(sharp_x, sharp_state);
        CHECK(distance(step.output, expected.output) < of_a_step);
        CHECK(map_distance(step.state, expected.state) < of_a_step);
        CHECK(same_bits(kept(sharp_x, state).output, step.output)); // what is given in float is rounded
    }
    xt::xtensor<bool, 2> some_resets = xt::zeros<bool>({time, batch});
    some_resets(1, 0) = some_resets(3, 0) = some_resets(4, 1) = true;
    for (sluice::unroll_options const& rows :
         {sluice::unroll_options{.lengths = {}}, {.lengths = {5, 0, 2}}, {.resets = some_resets}}) {
        auto const run = unroll(kept, xs, state, rows);
        auto const expected = unroll(sharp, sharp_xs, sharp_state, rows);
        CHECK(distance(run.outputs, expected.outputs) < of_a_sequence);
        CHECK(map_distance(run.state, expected.state) < of_a_sequence);

        auto const dys = random_like(run.outputs, "dys");
        auto const dstate = random_map(state, "dstate");
        auto const g = backward(kept, run, dys, dstate);
        auto const wanted = backward(sharp, expected, xt::eval(sluice::widened_tensor(dys)),
                                     widened_map(sharp_state, dstate));
        CHECK(map_distance(g.parameters, wanted.parameters) < of_gradients);
        CHECK(distance(g.inputs, wanted.inputs) < of_gradients);
        CHECK(map_distance(g.state, wanted.state) < of_gradients);
    }
}

TEST_CASE("storage: a sequence in 16 bits is its steps, to the bit") {
    twins<sluice::lstm, sluice::xtensor::reference> const both;
    auto const run = unroll(both.kept, both.xs, both.state);
    sluice::stream live(both.kept, both.batch, both.state);
    for (std::size_t t = 0; t < both.time; ++t)
        CHECK(same_bits(live.step(xt::view(both.xs, t)), xt::eval(xt::view(run.outputs, t))));
    CHECK(same_map(live.state(), run.state));
}

TEST_CASE("storage: the gradient check measures a cell in 16 bits by differences in float") {
    twins<sluice::lstm, sluice::xtensor::reference> both;
    both.kept.set_setting("forget_bias"_s, 0.3f);
    CHECK(gradient_check(both.kept, both.xs, both.state, {.step = 0.02}).worst().largest < 4 * of_gradients);
}

TEST_CASE_TEMPLATE("storage: settings and numbers of the equations are not rounded to 16 bits", Backend,
                   sluice::xtensor::reference, planned, device) {
    sluice::cell<shrunk, bfloat16, Backend> cell({.input = 64, .units = 1}, {}, {{"dt", 0.1}});
    CHECK(cell.setting("dt"_s) == 0.1f);
    xt::xtensor<bfloat16, 2> x({1, 64});
    for (std::size_t i = 0; i < 64; ++i)
        x(0, i) = bfloat16(static_cast<float>(i));
    auto const y = cell(x, cell.zero_state(1)).output;
    for (std::size_t i = 0; i < 64; ++i)
        CHECK(sluice::widened(y(0, i)) == sluice::widened(bfloat16((0.1f - 0.05f) * static_cast<float>(i))));
}

TEST_CASE("storage: initial values in 16 bits are those in float, rounded") {
    sluice::cell<sluice::lstm, bfloat16, sluice::xtensor::reference> const kept({.input = 3, .units = 7},
                                                                                sluice::seed{7});
    sluice::cell<sluice::lstm, float, sluice::xtensor::reference> const sharp({.input = 3, .units = 7},
                                                                              sluice::seed{7});
    for (std::size_t i = 0; i < kept.parameters().values().size(); ++i)
        CHECK(sluice::widened(kept.parameters().values()[i]) ==
              sluice::widened(bfloat16(sharp.parameters().values()[i])));
}

TEST_CASE("storage: an optimiser keeps moments in float, and rounds each weight once a step") {
    twins<sluice::gru, sluice::xtensor::reference> both;
    auto const run = unroll(both.kept, both.xs, both.state);
    auto const gradients = backward(both.kept, run, run.outputs).parameters;
    auto wide = both.sharp.parameters();
    sluice::convert_n(gradients.values().data(), wide.values().size(), wide.values().data());
    auto const check_step = [&](auto make) {
        auto cell = both.kept;
        auto sharp = both.sharp;
        auto optimizer = make(cell);
        auto expected = make(sharp);
        optimizer.step(cell, gradients);
        expected.step(sharp, wide);
        for (std::size_t i = 0; i < wide.values().size(); ++i)
            CHECK(sluice::widened(cell.parameters().values()[i]) ==
                  sluice::widened(bfloat16(sharp.parameters().values()[i])));
        sluice::archive slots, wanted;
        store(slots, optimizer);
        store(wanted, expected);
        CHECK(slots.tensors().size() == wanted.tensors().size());
        for (sluice::stored_tensor const& tensor : wanted.tensors())
            CHECK(slots.tensor(tensor.name).bytes == tensor.bytes); // float, to the bit
    };
    check_step([](auto& cell) { return sluice::adam(cell, {.learning_rate = 0.01}); });
    check_step([](auto& cell) { return sluice::sgd(cell, {.learning_rate = 0.1, .momentum = 0.9}); });
}

TEST_CASE_TEMPLATE("storage: a training in 16 bits learns", Backend, sluice::xtensor::reference, planned) {
    twins<sluice::gru, Backend> both;
    sluice::adam optimizer(both.kept, {.learning_rate = 0.01});
    auto const size = [](auto const& ys) {
        double sum = 0;
        for (auto const& y : ys)
            sum += std::pow(sluice::in_double(y), 2);
        return sum;
    };
    double const before = size(unroll(both.kept, both.xs, both.state).outputs);
    for (int i = 0; i < 20; ++i) {
        auto const run = unroll(both.kept, both.xs, both.state);
        optimizer.step(both.kept, backward(both.kept, run, run.outputs).parameters);
    }
    CHECK(size(unroll(both.kept, both.xs, both.state).outputs) < 0.7 * before);
}

TEST_CASE_TEMPLATE("storage: a cell in 16 bits is saved and loaded to the bit, as BF16", Page, sluice::gru,
                   sluice::cudnn_gru, sluice::lstm) {
    checkpoint_test::folder const here;
    twins<Page, sluice::xtensor::reference> both;
    sluice::adam optimizer(both.kept);
    optimizer.step(both.kept, both.kept.parameters()); // any gradients will do
    sluice::save(here / "cell", both.kept, optimizer);

    sluice::archive const file = sluice::safetensors::read(here / "cell");
    for (sluice::stored_tensor const& tensor : file.tensors())
        CHECK(tensor.type == (tensor.name.starts_with("0.forget") ? sluice::dtype::f32
                              : tensor.name.starts_with("0.")     ? sluice::dtype::bf16
                              : tensor.name == "1.step"           ? sluice::dtype::i64
                                                                  : sluice::dtype::f32));
    sluice::cell<Page, bfloat16, sluice::xtensor::reference> loaded({.input = 3, .units = 7});
    sluice::adam other(loaded);
    sluice::load(here / "cell", loaded, other);
    CHECK(same_map(loaded.parameters(), both.kept.parameters()));
    CHECK(same_bits(unroll(loaded, both.xs, both.state).outputs,
                    unroll(both.kept, both.xs, both.state).outputs));

    sluice::adam wide(both.sharp); // a cell in float takes what is narrow
    both.sharp.update_values([](std::span<float> values) { std::ranges::fill(values, 0.f); });
    sluice::load(here / "cell", both.sharp, wide);
    for (std::size_t i = 0; i < both.kept.parameters().values().size(); ++i)
        CHECK(both.sharp.parameters().values()[i] == sluice::widened(both.kept.parameters().values()[i]));
}

} // namespace storage_test
