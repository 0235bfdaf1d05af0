// SPDX-License-Identifier: BSL-1.0
// Cells of the catalogue whose memory decays: all laws in odd sizes, and what their papers say that they are.
#include "odd_cells.hpp"

#include <sluice/cells/hgrn2.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/cells/retnet.hpp>
#include <sluice/cells/rwkv5.hpp>
#include <support/random_numbers.hpp>
#include <xtensor-blas/xlinalg.hpp>

namespace decays_test {

using namespace sluice::literals;
using namespace support;
using odd::made, odd::fill;
using xt::xtensor;

namespace {

constexpr std::size_t heads = 3, keys = 5, values = 7;
constexpr sluice::sizes in_heads{.input = 3, .units = 21, .groups = 3, .own = {{"keys", 15}}};
constexpr sluice::sizes square{.input = 3, .units = 15, .groups = 3};
constexpr sluice::sizes of_order{.input = 3, .units = 21, .groups = 3, .own = {{"order", 5}}};
constexpr sluice::sizes of_rank{.input = 3, .units = 15, .groups = 3, .own = {{"rank", 2}}};

template <class Cell>
auto outputs_of(Cell const& cell, xtensor<double, 3> const& xs) {
    return xtensor<double, 3>(infer(cell, xs, cell.zero_state(xs.shape()[1])).outputs);
}

/// mLSTM as its paper has it first, without a stabiliser.
struct plain_mlstm {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto q = gate<"q">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto C = state<"C", units, units, groups>;
        constexpr auto n = state<"n">;
        return sluice::lines(
            q = x * W<"q"> + b<"q">, k = x * W<"k"> * rsqrt(features<groups>(q)) + b<"k">,
            v = x * W<"v"> + b<"v">, i = per_group<groups>(exp(x * W<"i"> + b<"i">)),
            f = per_group<groups>(sigmoid(x * W<"f"> + b<"f">)),
            next(C) = column<groups>(f) * C + outer<groups>(i * k, v), next(n) = f * n + i * k,
            output = sigmoid(x * W<"o"> + b<"o">) * (q * next(C)) / max(abs(sum<groups>(q * next(n))), 1));
    }();
};

/// HGRN2 whose heads have one feature.
struct narrow_hgrn2 {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto f = gate<"f">;
        return sluice::lines(f = sigmoid(x * W<"f"> + b<"f">),
                             next(h) = f * h + (1 - f) * silu(x * W<"i"> + b<"i">),
                             output = sigmoid(x * W<"o"> + b<"o">) * next(h));
    }();
};

} // namespace

TEST_CASE("decays: RetNet") {
    odd::check<sluice::retnet>(in_heads);
}
TEST_CASE("decays: HGRN2") {
    odd::check<sluice::hgrn2>(in_heads);
}
TEST_CASE("decays: RWKV-5") {
    odd::check<sluice::rwkv5>(square);
}
TEST_CASE("decays: RWKV-6") {
    odd::check<sluice::rwkv6>(of_rank);
}
TEST_CASE("decays: Mamba") {
    odd::check<sluice::mamba>({.input = 3, .units = 5, .own = {{"order", 7}, {"rank", 2}}});
}
TEST_CASE("decays: Mamba-2") {
    odd::check<sluice::mamba2>(of_order);
}
TEST_CASE("decays: mLSTM") {
    odd::check<sluice::mlstm>(square);
}

TEST_CASE("decays: RetNet is its parallel form, from a decay of 0 to one of 1") {
    auto cell = made<sluice::retnet>(in_heads);
    auto const a = xtensor<double, 1>{0, 0.75, 1};
    cell.assign("a"_s, a);
    std::size_t const time = 6, batch = 2;
    auto const xs = random_sequence<double>(time, batch, 3);
    auto const outputs = outputs_of(cell, xs);
    auto const& at = cell.parameters();
    for (std::size_t b = 0; b < batch; ++b) {
        xtensor<double, 2> const x = xt::view(xs, xt::all(), b);
        xtensor<double, 2> const q = xt::linalg::dot(x, at["W_q"_s]), k = xt::linalg::dot(x, at["W_k"_s]),
                                 v = xt::linalg::dot(x, at["W_v"_s]);
        for (std::size_t h = 0; h < heads; ++h) {
            auto key = xt::range(keys * h, keys * h + keys),
                 value = xt::range(values * h, values * h + values);
            for (std::size_t t = 0; t < time; ++t) {
                xtensor<double, 1> expected = xt::zeros<double>({values});
                for (std::size_t s = 0; s <= t; ++s)
                    expected += std::pow(a(h), static_cast<double>(t - s)) *
                                xt::sum(xt::view(q, t, key) * xt::view(k, s, key))() * xt::view(v, s, value);
                CHECK(distance(expected, xt::view(outputs, t, b, value)) < 1e-13);
            }
        }
    }
}

TEST_CASE("decays: RetNet starts with the half-lives of the paper") {
    sluice::cell<sluice::retnet, double> const cell(in_heads, sluice::seed{7});
    CHECK(distance(cell.parameters()["a"_s], xtensor<double, 1>{31. / 32, 63. / 64, 127. / 128}) == 0);
}

TEST_CASE("decays: Mamba-2 is its dual form") {
    auto const cell = made<sluice::mamba2>(of_order);
    std::size_t const time = 6, batch = 2;
    auto const xs = random_sequence<double>(time, batch, 3);
    auto const outputs = outputs_of(cell, xs);
    auto const& at = cell.parameters();
    for (std::size_t b = 0; b < batch; ++b) {
        xtensor<double, 2> const x = xt::view(xs, xt::all(), b);
        xtensor<double, 2> const B = xt::linalg::dot(x, at["W_B"_s]), C = xt::linalg::dot(x, at["W_C"_s]),
                                 u = xt::linalg::dot(x, at["W_u"_s]),
                                 dt = xt::log1p(xt::exp(xt::linalg::dot(x, at["W_dt"_s]) + at["b_dt"_s]));
        for (std::size_t h = 0; h < heads; ++h) {
            auto value = xt::range(values * h, values * h + values);
            double const rate = std::exp(at["A"_s](h));
            for (std::size_t t = 0; t < time; ++t) {
                xtensor<double, 1> expected = at["D"_s](h) * xt::view(u, t, value);
                double passed = 0;
                for (std::size_t s = t + 1; s-- > 0; passed += dt(s, h))
                    expected += xt::sum(xt::view(C, t) * xt::view(B, s))() * std::exp(-passed * rate) *
                                dt(s, h) * xt::view(u, s, value);
                CHECK(distance(expected, xt::view(outputs, t, b, value)) < 1e-13);
            }
        }
    }
}

TEST_CASE("decays: RWKV-6 whose mixing and decay depend on no input is RWKV-5") {
    auto const plain = made<sluice::rwkv5>(square);
    auto given = made<sluice::rwkv6>(of_rank);
    sluice::for_each_parameter(plain.parameters(),
                               [&](auto key, auto const& tensor) { given.assign(key, tensor); });
    fill(given, "B_r"_s, 0), fill(given, "B_k"_s, 0), fill(given, "B_v"_s, 0), fill(given, "B_d"_s, 0);
    auto const xs = random_sequence<double>(6, 2, 3);
    CHECK(distance(outputs_of(given, xs), outputs_of(plain, xs)) < 1e-13);
}

TEST_CASE("decays: RWKV-5 that forgets nothing is RetNet that forgets nothing") {
    // Its bonus of 1 puts the value of the step into what is read.
    auto rwkv = made<sluice::rwkv5>(square);
    auto retnet = made<sluice::retnet>({.input = 3, .units = 15, .groups = 3, .own = {{"keys", 15}}});
    fill(rwkv, "mu_r"_s, 0), fill(rwkv, "mu_k"_s, 0), fill(rwkv, "mu_v"_s, 0);
    fill(rwkv, "u"_s, 1), fill(rwkv, "decay"_s, -1000), fill(retnet, "a"_s, 1);
    rwkv.assign("W_r"_s, xtensor<double, 2>(retnet.parameters()["W_q"_s]));
    rwkv.assign("W_k"_s, xtensor<double, 2>(retnet.parameters()["W_k"_s]));
    rwkv.assign("W_v"_s, xtensor<double, 2>(retnet.parameters()["W_v"_s]));
    auto const xs = random_sequence<double>(6, 2, 3);
    CHECK(distance(outputs_of(rwkv, xs), outputs_of(retnet, xs)) < 1e-13);
}

TEST_CASE("decays: mLSTM is what it is without a stabiliser, where that does not overflow") {
    auto const stabilised = made<sluice::mlstm>(square);
    auto plain = made<plain_mlstm>(square);
    sluice::for_each_parameter(stabilised.parameters(),
                               [&](auto key, auto const& tensor) { plain.assign(key, tensor); });
    for (double const scale : {1., 10., 100.}) {
        xtensor<double, 3> const xs = scale * random_sequence<double>(6, 2, 3);
        auto const a = outputs_of(stabilised, xs), b = outputs_of(plain, xs);
        CHECK(distance(a, b) < 1e-12 * std::max(1., xt::amax(xt::abs(b))()));
    }
}

TEST_CASE("decays: HGRN2 with heads of one feature is a gated average of each feature") {
    auto const wide = made<sluice::hgrn2>({.input = 3, .units = 7, .groups = 7, .own = {{"keys", 7}}});
    auto narrow = made<narrow_hgrn2>({.input = 3, .units = 7});
    sluice::for_each_parameter(wide.parameters(),
                               [&](auto key, auto const& tensor) { narrow.assign(key, tensor); });
    auto const xs = random_sequence<double>(6, 2, 3);
    CHECK(distance(outputs_of(wide, xs), outputs_of(narrow, xs)) < 1e-13);
}

TEST_CASE_TEMPLATE("decays: a NaN stays in its row of the batch, and in its memory", Page, sluice::retnet,
                   sluice::rwkv5, sluice::mamba2, sluice::mlstm) {
    odd::keeps_a_nan(made<Page>(sluice::sizes_for<Page>(3, 16)),
                     [](auto const& cell, auto const& xs) { return outputs_of(cell, xs); });
}

} // namespace decays_test
