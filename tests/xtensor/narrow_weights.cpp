// SPDX-License-Identifier: BSL-1.0
// Cells with narrow weights: their products, whatever the rows and the part; their steps, streams and
// sequences beside those of a cell of floats whose weights were rounded before.
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <support/tensors.hpp>
#include <support/trapped_amx.hpp>
#include <vector>

namespace narrow_weights_test {

using namespace support;
using sluice::bfloat16;
using sluice::int8;
using size = std::size_t;

namespace {

/// Weights as a W keeps them, in columns of a matrix.
void round_columns(bfloat16, size rows, size columns, float* w) {
    for (size i = 0; i < rows * columns; ++i)
        w[i] = static_cast<float>(bfloat16(w[i]));
}
void round_columns(int8, size rows, size columns, float* w) {
    for (size c = 0; c < columns; ++c) {
        float const scale = sluice::int8_scale(w + c, rows, columns);
        for (size k = 0; k < rows; ++k)
            w[k * columns + c] = sluice::int8_value(sluice::int8_of(w[k * columns + c], scale), scale);
    }
}

/// How far a product of a part is from sums in double, as a part of the sum of what is added; NaN beside C
/// stays, or the answer is infinite. `alone` becomes whether each row is the same, to the bit, alone.
template <class W>
double error_of_product(size m, size n, size k, size row, size column, bool add, std::mt19937& from,
                        bool& alone) {
    using kernels = sluice::xtensor::narrow_kernels<W>;
    size const rows = row + k + 2, columns = column + n + 1, lda = k + 2, ldc = n + 3;
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<float> w(rows * columns), a(m * lda), c(m * ldc, std::numeric_limits<float>::quiet_NaN());
    for (auto* all : {&w, &a})
        for (float& one : *all)
            one = number(from);
    auto const matrix = kernels::template pack<float>({1, rows, columns}, w.data(), false);
    round_columns(W{}, rows, columns, w.data());
    for (size r = 0; r < m; ++r)
        std::fill_n(c.data() + r * ldc, n, 0.25f);
    auto each = c;
    kernels::product(m, n, k, a.data(), lda, matrix, {0, row, column}, c.data(), ldc, add);
    for (size r = 0; r < m; ++r)
        kernels::product(1, n, k, a.data() + r * lda, lda, matrix, {0, row, column}, each.data() + r * ldc,
                         ldc, add);
    alone = true;
    double worst = 0;
    for (size r = 0; r < m; ++r)
        for (size j = 0; j < ldc; ++j) {
            double const is = static_cast<double>(c[r * ldc + j]);
            if (j >= n) {
                worst = std::isnan(is) ? worst : std::numeric_limits<double>::infinity();
                continue;
            }
            alone = alone && c[r * ldc + j] == each[r * ldc + j];
            double sum = add ? 0.25 : 0, all = 1e-3;
            for (size i = 0; i < k; ++i) {
                double const x = static_cast<double>(w[(row + i) * columns + column + j]);
                sum += x * static_cast<double>(a[r * lda + i]);
                all += std::abs(x);
            }
            worst = std::max(worst, std::abs(is - sum) / all);
        }
    return worst;
}

template <class W>
constexpr double fineness = std::is_same_v<W, int8>&& sluice::xtensor::machine_digits::digits > 0
                                ? 1. / (size(1) << sluice::xtensor::machine_digits::bits) + 1e-6
                                : 1e-6;

/// The same page with floats and with narrow weights, whose parameters are the same.
template <class Page, class W>
struct pair_of {
    sluice::cell<Page> floats;
    sluice::cell<Page, sluice::xtensor::weights<W>> narrow;

    pair_of(sluice::sizes const& n) : floats(n), narrow(n) {
        randomize(floats);
        narrow.update_values([&](std::span<float> to) {
            auto const from = floats.parameters().values();
            std::copy(from.begin(), from.end(), to.begin());
        });
    }
};

} // namespace

TEST_CASE_TEMPLATE("narrow_weights: products of all rows, sizes and parts; a row is the same alone", W,
                   bfloat16, int8) {
    std::mt19937 from(3);
    bool alone = false;
    for (size m = 0; m <= 33; ++m) {
        size const n = 1 + from() % 70, k = from() % 40, row = from() % 6, column = from() % 40;
        for (bool const add : {false, true}) {
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(k);
            CHECK(error_of_product<W>(m, n, k, row, column, add, from, alone) < fineness<W>);
            CHECK(alone);
        }
    }
    for (size const k : {1000u, 1500u, 2049u}) {
        CHECK(error_of_product<W>(70, 37, k, 1, 3, true, from, alone) < fineness<W>);
        CHECK(alone);
    }
}

TEST_CASE_TEMPLATE("narrow_weights: a product in the registers of AMX is the same, to the bit, as without",
                   Format, sluice::xtensor::machine_digits) {
    using namespace sluice::xtensor;
    if constexpr (amx_tiles<Format>::are_known && trapped_amx::is_possible) {
        trapped_amx const machine;
        std::mt19937 from(29);
        std::uniform_real_distribution<float> number(-2, 2);
        for (size const m : {1u, 9u, 16u, 17u, 33u, 64u, 71u}) {
            size const n = 17 + from() % 50, k = 67 + from() % 70, row = from() % 6, column = from() % 20;
            size const rows = row + k, columns = column + n + 3, ldc = n + 2;
            std::vector<float> w(rows * columns), a(m * (k + 1)), c(m * ldc, 0.5f);
            for (auto* all : {&w, &a})
                for (float& one : *all)
                    one = number(from);
            a[m / 2 * (k + 1)] = std::numeric_limits<float>::infinity(); // a row of floats among them
            auto const matrix = narrow_kernels<int8>::pack<float>({1, rows, columns}, w.data(), false);
            auto same = c;
            auto const multiply = [&]<class Tiles>(Tiles, std::vector<float>& to) {
                detail::multiply_bytes<Format, Tiles>(m, n, k, a.data(), k + 1, matrix, {0, row, column},
                                                      to.data(), ldc, m % 2 == 1);
            };
            multiply(byte_tiles<Format>(), same);
            multiply(amx_tiles<Format>(), c);
            CAPTURE(m);
            CHECK(std::memcmp(c.data(), same.data(), c.size() * sizeof(float)) == 0);
        }
        CHECK((amx::is_there() || machine.count() > 100));
        CHECK(detail::takes_amx<Format>(16, 768, 256) == amx::is_there());
    }
    CHECK_FALSE(detail::takes_amx<Format>(1, 768, 256));
}

TEST_CASE_TEMPLATE("narrow_weights: NaN, infinities and the smallest numbers among the rows", W, bfloat16,
                   int8) {
    using kernels = sluice::xtensor::narrow_kernels<W>;
    float const nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    std::vector<float> const w{1, 0, -1, 0, 0.5f, 0, 1, 0, 1}; // [3, 3]
    auto const matrix = kernels::template pack<float>({1, 3, 3}, w.data(), false);
    std::vector<float> const a{1, 2, 3, nan, 2, 3, 1, infinity, 3, 0x1p-100f, 0, 0, 0, 0, 0, 1, 2, 4};
    std::vector<float> c(18, 7.f);
    kernels::product(6, 3, 3, a.data(), 3, matrix, {}, c.data(), 3, false);
    CHECK(c[0] == doctest::Approx(4));
    CHECK(c[1] == doctest::Approx(1).epsilon(0.01)); // 0.5 is 63.5 or 64 of 127
    for (size j = 3; j < 6; ++j)
        CHECK(std::isnan(c[j]));
    CHECK(c[7] == infinity);
    CHECK(c[9] == doctest::Approx(0x1p-100));
    CHECK(c[11] == doctest::Approx(-0x1p-100));
    for (size j = 12; j < 15; ++j)
        CHECK(c[j] == 0);
    CHECK(c[15] == doctest::Approx(5));

    std::vector<float> const bad{nan, 0, infinity, 1, 0, 1}; // [2, 3]
    auto const other = kernels::template pack<float>({1, 2, 3}, bad.data(), false);
    kernels::product(1, 3, 2, a.data(), 2, other, {}, c.data(), 3, false);
    CHECK(std::isnan(c[0]));
    CHECK(c[1] == 0); // a column of zeros
    CHECK_FALSE(std::isfinite(c[2]));
}

TEST_CASE_TEMPLATE("narrow_weights: steps, streams and sequences agree, and with rounded weights in floats",
                   W, bfloat16, int8) {
    auto const check = [&]<class Page>(Page, sluice::sizes const& n) {
        pair_of<Page, W> both(n);
        auto const xs = random_sequence<float>(7, 3, n.input);
        auto const exact = sluice::infer(both.floats, xs, both.floats.zero_state(3));
        auto const found = sluice::infer(both.narrow, xs, both.narrow.zero_state(3));
        double const far = distance(found.outputs, exact.outputs);
        CHECK(far < (std::is_same_v<W, int8> ? 0.1 : 0.05)); // what rounding of weights does
        CHECK(far > 1e-6);
        sluice::stream live(both.narrow, 3);
        auto state = both.narrow.zero_state(3);
        for (size t = 0; t < 7; ++t) {
            xt::xtensor<float, 2> const x = xt::view(xs, t, xt::all(), xt::all());
            xt::xtensor<float, 2> const wanted = xt::view(found.outputs, t, xt::all(), xt::all());
            auto [y, next] = both.narrow(x, state);
            state = next;
            CHECK(distance(y, wanted) == 0);
            CHECK(distance(live.step(x), wanted) == 0);
        }
    };
    check(sluice::gru{}, {.input = 5, .units = 19});
    check(sluice::lstm{}, {.input = 3, .units = 13});
    check(sluice::glstm{}, {.input = 9, .units = 21, .groups = 3});
}

TEST_CASE_TEMPLATE("narrow_weights: sizes that are constants, lengths, and a layer in a stack", W, bfloat16,
                   int8) {
    using small = sluice::cell<sluice::gru, sluice::xtensor::weights<W>,
                               sluice::extents<sluice::sizes{.input = 4, .units = 8}>>;
    small constant;
    sluice::cell<sluice::gru, sluice::xtensor::weights<W>> open({.input = 4, .units = 8});
    randomize(constant);
    randomize(open);
    auto const xs = random_sequence<float>(5, 2, 4);
    CHECK(distance(sluice::infer(constant, xs, constant.zero_state(2), {.lengths = {5, 3}}).outputs,
                   sluice::infer(open, xs, open.zero_state(2), {.lengths = {5, 3}}).outputs) == 0);
    sluice::stream one(constant, 1);
    sluice::stream other(open, 1);
    for (size t = 0; t < 5; ++t) {
        xt::xtensor<float, 2> const x = xt::view(xs, t, xt::range(0, 1), xt::all());
        CHECK(distance(one.step(x), other.step(x)) == 0);
    }
    sluice::stack<sluice::gru, sluice::xtensor::weights<W>> net({.input = 4, .units = 8}, {.layers = 2});
    sluice::stack<sluice::gru> floats({.input = 4, .units = 8}, {.layers = 2});
    CHECK(distance(sluice::infer(net, xs, net.zero_state(2)).outputs,
                   sluice::infer(floats, xs, floats.zero_state(2)).outputs) < 0.05);
}

} // namespace narrow_weights_test
