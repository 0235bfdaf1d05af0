// SPDX-License-Identifier: BSL-1.0
// Cells of the catalogue that correct a memory, and linear systems: all laws in odd sizes, and what their
// papers say that they are.
#include "odd_cells.hpp"

#include <sluice/cells/comba.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/delta_product.hpp>
#include <sluice/cells/gated_oja.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/cells/rg_lru.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/cells/s5.hpp>
#include <sluice/cells/test_time.hpp>
#include <support/random_numbers.hpp>

namespace deltas_test {

using namespace sluice::literals;
using namespace support;
using odd::made, odd::fill;
using xt::xtensor;

namespace {

constexpr sluice::sizes in_heads{.input = 3, .units = 21, .groups = 3, .own = {{"keys", 15}}};
constexpr sluice::sizes square{.input = 3, .units = 15, .groups = 3};
constexpr sluice::sizes with_keys{.input = 3, .units = 15, .groups = 3, .own = {{"keys", 15}}};

template <class Cell>
auto run(Cell const& cell, xtensor<double, 3> const& xs) {
    return infer(cell, xs, random_map(cell.zero_state(xs.shape()[1]), "state"));
}
template <class Cell>
auto outputs_of(Cell const& cell, xtensor<double, 3> const& xs) {
    return xtensor<double, 3>(run(cell, xs).outputs);
}
/// Gives a cell the parameters of another one, name by name.
template <class Cell, class From, class... Key>
void take(Cell& cell, From const& from, Key... key) {
    (cell.assign(key, xt::eval(from.parameters()[key])), ...);
}
/// One of five inputs is 1 in each step, each once, and then once more.
xtensor<double, 3> one_hot() {
    xtensor<double, 3> xs = xt::zeros<double>({10, 1, 5});
    for (std::size_t t = 0; t < 10; ++t)
        xs(t, 0, (2 * t) % 5) = 1;
    return xs;
}
/// A cell of one head whose keys, and what it reads, are its inputs.
template <class Page, class Query>
auto of_inputs(sluice::sizes const& n, Query query) {
    auto cell = made<Page>(n);
    cell.assign(query, xtensor<double, 2>(xt::eye<double>(5)));
    cell.assign("W_k"_s, xtensor<double, 2>(xt::eye<double>(5)));
    return cell;
}

} // namespace

TEST_CASE("deltas: RWKV-7") {
    odd::check<sluice::rwkv7>({.input = 3, .units = 15, .groups = 3, .own = {{"rank", 2}}});
}
TEST_CASE("deltas: Comba") {
    odd::check<sluice::comba>(in_heads);
}
TEST_CASE("deltas: DeltaProduct of three updates") {
    odd::check<sluice::delta_product_of<3>>(in_heads);
}
TEST_CASE("deltas: gated Oja") {
    odd::check<sluice::gated_oja>(in_heads);
}
TEST_CASE("deltas: TTT-Linear") {
    odd::check<sluice::ttt_linear>(square);
}
TEST_CASE("deltas: Titans") {
    odd::check<sluice::titans>(square);
}
TEST_CASE("deltas: RG-LRU") {
    odd::check<sluice::rg_lru>({.input = 3, .units = 5});
}
TEST_CASE("deltas: S5") {
    odd::check<sluice::s5>({.input = 3, .units = 5});
}

TEST_CASE("deltas: Gated DeltaNet that replaces nothing is pure decay") {
    auto cell = made<sluice::gated_delta_net>(square);
    xtensor<double, 2> off = xt::zeros<double>({3, 3});
    xt::view(off, 0) = -1000; // of the first input, which is 1: sigmoid of -1000 is 0
    cell.assign("W_b"_s, off);
    auto xs = random_sequence<double>(4, 2, 3);
    xt::view(xs, xt::all(), xt::all(), 0) = 1;
    auto const start = random_map(cell.zero_state(2), "state");
    auto const end = infer(cell, xs, start).state;
    auto const& at = cell.parameters();
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t h = 0; h < 3; ++h) {
            double logarithm = 0;
            for (std::size_t t = 0; t < 4; ++t) {
                double z = at["dt"_s](h);
                for (std::size_t i = 0; i < 3; ++i)
                    z += xs(t, b, i) * at["W_a"_s](i, h);
                logarithm -= std::exp(at["A"_s](h)) * std::log1p(std::exp(z));
            }
            auto head = xt::range(25 * h, 25 * h + 25);
            xtensor<double, 1> const expected = std::exp(logarithm) * xt::view(start["S"_s], b, head);
            CHECK(distance(expected, xt::view(end["S"_s], b, head)) < 1e-13);
        }
}

TEST_CASE("deltas: without decay, Gated DeltaNet, DeltaProduct of one update and Comba are DeltaNet") {
    auto const plain = made<sluice::delta_net>(square);
    auto const xs = random_sequence<double>(6, 2, 3);
    auto const expected = outputs_of(plain, xs);

    auto gated = made<sluice::gated_delta_net>(square);
    take(gated, plain, "W_q"_s, "W_k"_s, "W_v"_s, "W_b"_s);
    fill(gated, "A"_s, -1000); // exp(-exp(-1000)) is 1
    CHECK(distance(outputs_of(gated, xs), expected) < 1e-13);

    auto product = made<sluice::delta_product_of<1>>(with_keys);
    product.set_setting("range"_s, 1);
    take(product, plain, "W_q"_s);
    product.assign("W_k0"_s, xt::eval(plain.parameters()["W_k"_s]));
    product.assign("W_v0"_s, xt::eval(plain.parameters()["W_v"_s]));
    product.assign("W_b0"_s, xt::eval(plain.parameters()["W_b"_s]));
    CHECK(distance(outputs_of(product, xs), expected) < 1e-13);

    auto comba = made<sluice::comba>(with_keys);
    take(comba, plain, "W_q"_s, "W_k"_s, "W_v"_s, "W_b"_s);
    fill(comba, "A"_s, -1000), fill(comba, "p"_s, 1000), fill(comba, "d"_s, 0);
    CHECK(distance(outputs_of(comba, xs), expected) < 1e-13);
}

TEST_CASE("deltas: Titans that neither forgets nor goes on is DeltaNet") {
    auto plain = made<sluice::delta_net>(square);
    auto titans = made<sluice::titans>(square);
    take(titans, plain, "W_q"_s, "W_k"_s, "W_v"_s);
    fill(plain, "W_b"_s, 0); // half of the difference is replaced
    fill(titans, "W_b"_s, 0),
        fill(titans, "b_b"_s, -std::log(3.)); // a quarter of the gradient, which has a 2
    fill(titans, "W_a"_s, 0), fill(titans, "b_a"_s, -1000);
    fill(titans, "W_c"_s, 0), fill(titans, "b_c"_s, -1000);
    auto const xs = random_sequence<double>(6, 2, 3);
    auto const expected = infer(plain, xs, plain.zero_state(2)).outputs;
    CHECK(distance(infer(titans, xs, titans.zero_state(2)).outputs, expected) < 1e-13);
}

TEST_CASE("deltas: gated Oja is Kimi Delta Attention with keys and values in each other's place") {
    auto const kimi = made<sluice::kimi_delta_net>(square);
    auto oja = made<sluice::gated_oja>(with_keys);
    take(oja, kimi, "W_b"_s, "W_a"_s, "A"_s, "dt"_s);
    oja.assign("W_k"_s, xt::eval(kimi.parameters()["W_v"_s]));
    oja.assign("W_v"_s, xt::eval(kimi.parameters()["W_k"_s]));
    auto const xs = random_sequence<double>(6, 2, 3);
    auto const a = infer(kimi, xs, kimi.zero_state(2)).state;
    auto const b = infer(oja, xs, oja.zero_state(2)).state;
    for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t h = 0; h < 3; ++h)
            for (std::size_t i = 0; i < 5; ++i)
                for (std::size_t j = 0; j < 5; ++j)
                    CHECK(std::abs(a["S"_s](row, 25 * h + 5 * i + j) - b["S"_s](row, 25 * h + 5 * j + i)) <
                          1e-13);
}

TEST_CASE("deltas: what was stored under orthonormal keys is given back") {
    auto const xs = one_hot();
    auto const gives_values = [&](auto const& cell, double tolerance) {
        auto const outputs = infer(cell, xs, cell.zero_state(1)).outputs;
        for (std::size_t t = 0; t < 10; ++t)
            CHECK(distance(xt::view(cell.parameters()["W_v"_s], (2 * t) % 5), xt::view(outputs, t, 0)) <
                  tolerance);
    };
    sluice::sizes const one{.input = 5, .units = 5};

    auto ttt = of_inputs<sluice::ttt_linear>(one, "W_q"_s);
    ttt.set_setting("rate"_s, 0.5); // the gradient has a 2
    fill(ttt, "W_b"_s, 0), fill(ttt, "b_b"_s, 1000);
    gives_values(ttt, 1e-13);

    auto rwkv = of_inputs<sluice::rwkv7>({.input = 5, .units = 5, .own = {{"rank", 1}}}, "W_r"_s);
    fill(rwkv, "mu_r"_s, 0), fill(rwkv, "mu_k"_s, 0), fill(rwkv, "mu_v"_s, 0);
    fill(rwkv, "B_w"_s, 0), fill(rwkv, "decay"_s, -1000); // forgets nothing
    fill(rwkv, "B_a"_s, 0), fill(rwkv, "b_a"_s, 1000);    // erases all
    fill(rwkv, "xi"_s, 1);
    gives_values(rwkv, 1e-11); // keys are shorter than 1 by 5e-13
}

TEST_CASE("deltas: the step of TTT-Linear goes down the gradient of its error") {
    auto cell = made<sluice::ttt_linear>({.input = 3, .units = 5});
    fill(cell, "W_b"_s, 0), fill(cell, "b_b"_s, 1000); // by one whole gradient
    auto const xs = random_sequence<double>(1, 1, 3);
    auto const start = random_map(cell.zero_state(1), "state");
    auto const end = infer(cell, xs, start).state;
    xtensor<double, 1> k = xt::zeros<double>({5}), v = k;
    for (std::size_t i = 0; i < 3; ++i) {
        k += xs(0, 0, i) * xt::view(cell.parameters()["W_k"_s], i);
        v += xs(0, 0, i) * xt::view(cell.parameters()["W_v"_s], i);
    }
    auto const error = [&](xtensor<double, 2> const& M) {
        double sum = 0;
        for (std::size_t j = 0; j < 5; ++j) {
            double given = -v(j);
            for (std::size_t i = 0; i < 5; ++i)
                given += k(i) * M(0, 5 * i + j);
            sum += given * given;
        }
        return sum;
    };
    for (std::size_t place = 0; place < 25; ++place) {
        xtensor<double, 2> left = start["M"_s], right = left;
        left(0, place) -= 0.5;
        right(0, place) += 0.5; // differences of squares are exact
        CHECK(std::abs(start["M"_s](0, place) - end["M"_s](0, place) - (error(right) - error(left))) < 1e-13);
    }
}

TEST_CASE("deltas: RG-LRU forgets all, or nothing") {
    sluice::sizes const n{.input = 3, .units = 5};
    auto cell = made<sluice::rg_lru>(n);
    auto const xs = random_sequence<double>(4, 2, 3);
    fill(cell, "decay"_s, 1e4); // the logarithm of a is -0
    auto const start = random_map(cell.zero_state(2), "state");
    CHECK(distance(infer(cell, xs, start).state["h"_s], start["h"_s]) == 0);
    fill(cell, "decay"_s, -1e4);
    xtensor<double, 3> const last = xt::view(xs, xt::range(3, 4));
    CHECK(distance(infer(cell, xs, start).state["h"_s], infer(cell, last, start).state["h"_s]) == 0);
}

TEST_CASE("deltas: two steps of S5 with one input are a step of twice the length") {
    sluice::sizes const n{.input = 3, .units = 5};
    auto const half = made<sluice::s5>(n);
    auto whole = made<sluice::s5>(n);
    whole.assign("log_dt"_s, xt::eval(half.parameters()["log_dt"_s] + std::log(2.)));
    auto const xs = random_sequence<double>(1, 2, 3);
    xtensor<double, 3> const twice = xt::concatenate(xt::xtuple(xs, xs), 0);
    auto const start = random_map(half.zero_state(2), "state");
    CHECK(state_distance(infer(half, twice, start).state, infer(whole, xs, start).state) < 1e-13);
}

TEST_CASE_TEMPLATE("deltas: a NaN stays in its row of the batch, and in its memory", Page, sluice::rwkv7,
                   sluice::comba, sluice::delta_product, sluice::titans, sluice::rg_lru) {
    odd::keeps_a_nan(made<Page>(sluice::sizes_for<Page>(3, 16)),
                     [](auto const& cell, auto const& xs) { return outputs_of(cell, xs); });
}

} // namespace deltas_test
