// SPDX-License-Identifier: BSL-1.0
// A loss and an optimiser from outside: the gradient of the loss is exact, a step is the rule, and many steps
// lower the loss.
#include "numbers.hpp"
#include "radial.hpp"
#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/source/traced.hpp>
#include <stdexcept>

namespace outside {

/// The loss: log cosh d of d = y - t, which is |d| + log(1 + exp(-2 |d|)) - log 2.
struct log_cosh_rule {
    static constexpr std::string_view name = "log_cosh";
    static constexpr bool has_labels = false;
    static constexpr bool in_batches = true; // the functions below take several numbers at once

    static auto part(auto const& e) { return e.y - e.t; }
    static auto term(auto const& e) {
        using std::exp, std::fabs, std::log1p;
        return fabs(e.part) + log1p(exp(-2 * fabs(e.part))) - std::log(2.0);
    }
    static auto slope(auto const& e) { return e.share; }
    static auto gradient(auto const& e) {
        using std::tanh;
        return e.slope * tanh(e.part);
    }
};
/// Of tensors on the host and on a device.
auto log_cosh(auto const& predictions, auto const& targets) {
    return sluice::loss_of(log_cosh_rule{}, predictions, targets);
}

/// The optimiser (RMSProp): v = a v + (1 - a) g g;  w = w - lr g / (sqrt(v) + 1e-6).
struct rms_prop_options {
    double learning_rate = 0.01;
    double average = 0.9;

    static constexpr std::array<std::string_view, 1> slot_names{"v"};
    static constexpr bool in_batches = true;

    template <class A>
    void check() const {
        if (!(learning_rate >= 0 && average >= 0 && average < 1))
            throw std::invalid_argument(
                "rms_prop expects a learning rate from 0, and an average from 0 to 1");
    }
    template <class A>
    sluice::step_range<1> range() const {
        double const most = std::sqrt(std::numeric_limits<A>::max()) / 4;
        return {sluice::symmetric(most), sluice::symmetric(most), {sluice::interval{0, most * most}}};
    }
    template <class A>
    std::array<A, 4> constants(std::int64_t) const {
        return {static_cast<A>(average), static_cast<A>(1 - average), static_cast<A>(learning_rate),
                static_cast<A>(1e-6)};
    }
    template <class N>
    static N next(std::array<N, 4> const& constants, N const& w, N const& g, std::array<N, 1>& slot) {
        using std::sqrt;
        auto const& [a, rest, rate, least] = constants;
        slot[0] = a * slot[0] + rest * (g * g);
        return w - rate * g / (sqrt(slot[0]) + least);
    }
};
template <class Cell>
class rms_prop : public sluice::optimizer<Cell, rms_prop_options> {
public:
    explicit rms_prop(Cell const& cell, rms_prop_options options = {})
        : sluice::optimizer<Cell, rms_prop_options>(cell, options) {}
};

} // namespace outside

namespace outside_training_test {

using namespace outside;
using namespace sluice::literals;

TEST_CASE("outside: the gradient of a loss is that of finite differences") {
    auto y = numbers<3>({2, 3, 5}, "y");
    auto const t = numbers<3>({2, 3, 5}, "t");
    auto const gradient = log_cosh(y, t).gradient;
    constexpr double step = 1e-5;
    for (std::size_t i = 0; i < y.size(); ++i) {
        double const kept = y.flat(i);
        y.flat(i) = kept + step;
        double const above = log_cosh(y, t).loss();
        y.flat(i) = kept - step;
        double const below = log_cosh(y, t).loss();
        y.flat(i) = kept;
        CHECK(gradient.flat(i) == doctest::Approx((above - below) / (2 * step)).epsilon(1e-7));
    }
}

TEST_CASE("outside: an optimiser makes the steps of its rule, lowers a loss, and is saved with its cell") {
    sluice::cell<radial, double> cell(extents, sluice::seed{7});
    rms_prop optimizer(cell);
    auto const xs = numbers<3>({6, 4, 3}, "xs");
    auto const targets = xt::eval(0.3 * numbers<3>({6, 4, 5}, "targets"));
    auto const learn = [&] {
        auto const run = unroll(cell, xs, cell.zero_state(4));
        auto const found = log_cosh(run.outputs, targets);
        optimizer.step(cell, backward(cell, run, found.gradient).parameters);
        return found.loss();
    };

    auto const run = unroll(cell, xs, cell.zero_state(4));
    auto const gradients = backward(cell, run, log_cosh(run.outputs, targets).gradient);
    double const g = gradients.parameters["R_n"_s](1, 2), w = cell.parameters()["R_n"_s](1, 2);
    double const first = learn();
    CHECK(cell.parameters()["R_n"_s](1, 2) ==
          doctest::Approx(w - 0.01 * g / (std::sqrt(0.1 * g * g) + 1e-6)).epsilon(1e-12));
    double last = 0;
    for (int step = 0; step < 60; ++step)
        last = learn();
    CHECK(last < 0.7 * first);

    sluice::archive saved;
    sluice::store(saved, cell, "0.");
    sluice::store(saved, optimizer, "1.");
    auto const kept_cell = cell;
    double const expected = learn(), after = learn();
    cell = kept_cell;
    optimizer = rms_prop(cell);
    sluice::restore(saved, optimizer, "1.");
    CHECK(optimizer.steps() == 61);
    CHECK(learn() == expected);
    CHECK(learn() == after);
}

TEST_CASE("outside: a rule of a loss is that of the equation") {
    xt::xtensor<double, 2> const y{{1, -2}, {800, 0}}, t{{0, 0.5}, {0, 0}};
    CHECK(log_cosh(y, t).loss() ==
          doctest::Approx((std::log(std::cosh(1)) + std::log(std::cosh(2.5)) + 800 - std::log(2)) / 4));
}

TEST_CASE("outside: a rule of an optimiser is written down for the kernels of a device") {
    using number = sluice::traced<float>;
    std::array<number, 1> slot{number(std::string("v"))};
    std::string text;
    print(rms_prop_options::next({number(0.5f), number(0.25f), number(2.f), number(1.f)},
                                 number(std::string("w")), number(std::string("g")), slot),
          "y", text);
    CHECK(text == "number const y = w - 2.0f * g / (sqrtf(0.5f * v + 0.25f * (g * g)) + 1.0f);\n");
}

TEST_CASE("outside: an optimiser refuses its settings in its own words") {
    sluice::cell<radial, double> const cell(extents);
    CHECK_THROWS_WITH_AS(rms_prop(cell, {.average = 1}),
                         "rms_prop expects a learning rate from 0, and an average from 0 to 1",
                         std::invalid_argument);
}

} // namespace outside_training_test
