// SPDX-License-Identifier: BSL-1.0
// States that are matrices, in the lowerings of the CPU: all laws, and what the papers' loops compute.
#include "odd_cells.hpp"

#include <support/matrix_cells.hpp>
#include <support/random_numbers.hpp>
#include <xtensor-blas/xlinalg.hpp>

namespace matrices_test {

using namespace sluice::literals;
using namespace support;
using xt::xtensor;

namespace {

constexpr sluice::sizes plain{.input = 3, .own = {{"keys", 5}, {"values", 7}}};
constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};

struct delta_store {
    static constexpr auto given = sluice::equation::input<"given", matrix_cells::keys>;
    static constexpr auto value = sluice::equation::input<"value", matrix_cells::values>;
    static constexpr auto equations =
        sluice::lines(next(matrix_cells::S) = matrix_cells::S + outer(given, value - given * matrix_cells::S),
                      sluice::equation::output = given * next(matrix_cells::S));
};

} // namespace

TEST_CASE("matrices: linear attention") {
    odd::check<matrix_cells::linear_attention>(plain);
}
TEST_CASE("matrices: gated linear attention in heads") {
    odd::check<matrix_cells::gated_attention>(in_heads);
}
TEST_CASE("matrices: DeltaNet") {
    odd::check<matrix_cells::delta_net>(plain);
}
TEST_CASE("matrices: a gated delta rule in heads") {
    odd::check<matrix_cells::gated_delta_net>(in_heads);
}
TEST_CASE("matrices: one key for two memories of different values") {
    odd::check<matrix_cells::shared_key>(plain);
}
TEST_CASE("matrices: contractions from both sides, and functions of matrices") {
    odd::check<matrix_cells::mixed>({.input = 3, .units = 10, .own = {{"values", 6}, {"heads", 2}}});
}

TEST_CASE("matrices: elements that are trained, and two updates within a step") {
    odd::check<matrix_cells::elementwise>(in_heads);
}

TEST_CASE("matrices: sums over them of steps before") {
    odd::check<matrix_cells::delayed>(plain);
}

TEST_CASE("matrices: the output of a cell with nothing but a matrix is the matrix") {
    odd::check<matrix_cells::plain_memory, false>(plain);
}

TEST_CASE("matrices: a state without keys has no numbers") {
    sluice::sizes const none{.input = 3, .own = {{"keys", 0}, {"values", 7}}};
    CHECK_THROWS_AS((sluice::cell<matrix_cells::linear_attention>(none, sluice::seed{1})),
                    std::invalid_argument);
}

TEST_CASE("matrices: linear attention is attention without softmax over what came before") {
    sluice::cell<matrix_cells::linear_attention, double> cell(plain, sluice::seed{7});
    randomize(cell);
    std::size_t const time = 6, batch = 2;
    auto const xs = random_sequence<double>(time, batch, 3);
    auto const outputs = infer(cell, xs, cell.zero_state(batch)).outputs;
    auto const& at = cell.parameters();
    for (std::size_t b = 0; b < batch; ++b) {
        xtensor<double, 2> const x = xt::view(xs, xt::all(), b);
        xtensor<double, 2> const q = xt::linalg::dot(x, at["W_q"_s]), k = xt::linalg::dot(x, at["W_k"_s]),
                                 v = xt::linalg::dot(x, at["W_v"_s]);
        for (std::size_t t = 0; t < time; ++t) {
            xtensor<double, 1> expected = xt::zeros<double>({std::size_t(7)});
            for (std::size_t s = 0; s <= t; ++s)
                expected += xt::sum(xt::view(q, t) * xt::view(k, s))() * xt::view(v, s);
            CHECK(distance(expected, xt::view(outputs, t, b)) < 1e-13);
        }
    }
}

TEST_CASE("matrices: a gate of ones in every head is linear attention of that head") {
    // f = sigmoid(b) with a large b is 1 to the last digit.
    sluice::cell<matrix_cells::gated_attention, double> gated(in_heads, sluice::seed{7});
    randomize(gated);
    gated.assign("W_f"_s, xtensor<double, 2>(xt::zeros<double>({3, 15})));
    gated.assign("b_f"_s, xtensor<double, 1>(100. * xt::ones<double>({15})));
    auto const xs = random_sequence<double>(5, 2, 3);
    auto const outputs = infer(gated, xs, gated.zero_state(2)).outputs;
    for (std::size_t head = 0; head < 3; ++head) {
        sluice::cell<matrix_cells::linear_attention, double> alone(plain, sluice::seed{7});
        auto const part = [&](auto name, std::size_t width) {
            alone.assign(name, xtensor<double, 2>(xt::view(gated.parameters()[name], xt::all(),
                                                           xt::range(head * width, (head + 1) * width))));
        };
        part("W_q"_s, 5), part("W_k"_s, 5), part("W_v"_s, 7);
        auto const expected = infer(alone, xs, alone.zero_state(2)).outputs;
        CHECK(distance(expected, xt::view(outputs, xt::all(), xt::all(), xt::range(7 * head, 7 * head + 7))) <
              1e-13);
    }
}

TEST_CASE("matrices: what a delta rule stored under orthonormal keys, it gives back") {
    sluice::cell<delta_store, double> cell({.own = {{"keys", 5}, {"values", 7}}}, sluice::seed{7});
    auto const values = random_sequence<double>(5, 1, 7);
    xtensor<double, 3> keys = xt::zeros<double>({5, 1, 5});
    for (std::size_t t = 0; t < 5; ++t)
        keys(t, 0, (2 * t) % 5) = 1;
    sluice::stream live(cell, 1);
    auto const step = [&](std::size_t t) {
        xtensor<double, 2> const given = xt::view(keys, t), value = xt::view(values, t);
        return xtensor<double, 2>(live.step(sluice::inputs("given"_s, given, "value"_s, value)));
    };
    for (std::size_t t = 0; t < 5; ++t)
        step(t);
    CHECK(live.state()["S"_s].shape() == std::array<std::size_t, 2>{1, 35});
    for (std::size_t t = 0; t < 5; ++t) // the same once more changes nothing
        CHECK(distance(step(t), xt::view(values, t)) < 1e-13);
}

} // namespace matrices_test
