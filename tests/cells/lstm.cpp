// SPDX-License-Identifier: BSL-1.0
// LSTM with all its options against the same written out in loops, unit by unit.
#include <doctest/doctest.h>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace lstm_test {

using namespace support;
using namespace sluice::literals;

namespace {

double sigmoid(double z) {
    return 1 / (1 + std::exp(-z));
}

struct plain_state {
    std::vector<double> c, h;
};

/// One row of the batch. Each z is x W + h R + b; peepholes look at c for i and f, and at c' for o.
template <class Parameters>
plain_state plain_step(Parameters const& w, std::vector<double> const& x, plain_state const& before,
                       double forget_bias, double (*activation)(double)) {
    std::size_t const units = before.c.size();
    plain_state after{.c = std::vector<double>(units), .h = std::vector<double>(units)};
    for (std::size_t n = 0; n < units; ++n) {
        auto const z = [&](auto weights, auto recurrent, auto bias) {
            double sum = w[bias](n);
            for (std::size_t k = 0; k < x.size(); ++k)
                sum += x[k] * w[weights](k, n);
            for (std::size_t k = 0; k < before.h.size(); ++k)
                sum += before.h[k] * w[recurrent](k, n);
            return sum;
        };
        double i = z("W_i"_s, "R_i"_s, "b_i"_s), f = z("W_f"_s, "R_f"_s, "b_f"_s);
        double o = z("W_o"_s, "R_o"_s, "b_o"_s), j = z("W_j"_s, "R_j"_s, "b_j"_s);
        if constexpr (decltype(boost::hana::contains(w, "p_i"_s))::value) {
            i += before.c[n] * w["p_i"_s](n);
            f += before.c[n] * w["p_f"_s](n);
        }
        double const c = sigmoid(f + forget_bias) * before.c[n] + sigmoid(i) * activation(j);
        if constexpr (decltype(boost::hana::contains(w, "p_o"_s))::value)
            o += c * w["p_o"_s](n);
        after.c[n] = c;
        after.h[n] = sigmoid(o) * activation(c);
    }
    if constexpr (decltype(boost::hana::contains(w, "W_P"_s))::value) {
        auto const m = after.h;
        after.h.assign(before.h.size(), 0);
        for (std::size_t p = 0; p < after.h.size(); ++p)
            for (std::size_t n = 0; n < units; ++n)
                after.h[p] += m[n] * w["W_P"_s](n, p);
    }
    return after;
}

template <class Activation, bool Peepholes, bool Projected>
struct variant {
    using page = sluice::lstm_with<Activation, Peepholes, Projected>;
    using activation = Activation;
    static constexpr bool peepholes = Peepholes, projected = Projected;
};
using plain = variant<sluice::activation::tanh, false, false>;
using relu = variant<sluice::activation::relu, false, false>;
using peepholes = variant<sluice::activation::tanh, true, false>;
using projected = variant<sluice::activation::tanh, false, true>;
using both = variant<sluice::activation::softplus, true, true>;

} // namespace

TEST_CASE_TEMPLATE("lstm: equations, unit by unit", Variant, plain, relu, peepholes, projected, both) {
    sluice::cell<typename Variant::page, double> cell(
        {.input = 3, .units = 7, .projection = Variant::projected ? 5u : 0u}, {}, {{"forget_bias", 0.25}});
    randomize(cell);
    xt::xtensor<double, 2> const x = random_tensor<double, 2>({2, 3}, "x");
    auto const state = random_map(cell.zero_state(2), "state");
    auto const [y, next] = cell(x, state);
    using map = typename decltype(cell)::parameters_type;
    CHECK(decltype(boost::hana::contains(std::declval<map>(), "p_f"_s))::value == Variant::peepholes);
    CHECK(decltype(boost::hana::contains(std::declval<map>(), "W_P"_s))::value == Variant::projected);
    auto const values = [](xt::xtensor<double, 2> const& tensor, std::size_t r) {
        auto const row = xt::view(tensor, r);
        return std::vector<double>(row.begin(), row.end());
    };
    for (std::size_t r = 0; r < 2; ++r) {
        auto const expected =
            plain_step(cell.parameters(), values(x, r), {values(state["c"_s], r), values(state["h"_s], r)},
                       0.25, [](double z) { return Variant::activation::value(z); });
        CHECK(distance(xt::xtensor<double, 1>(xt::view(next["c"_s], r)), xt::adapt(expected.c)) < 1e-14);
        CHECK(distance(xt::xtensor<double, 1>(xt::view(next["h"_s], r)), xt::adapt(expected.h)) < 1e-14);
    }
    CHECK(same_bits(y, next["h"_s]));
}

} // namespace lstm_test
