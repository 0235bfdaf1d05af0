// SPDX-License-Identifier: BSL-1.0
// Settings: numbers that a cell is given when it is made, checked by name, and never taken for 0.
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace settings_test {

using namespace support;
using namespace sluice::equation;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

constexpr auto dt = setting<"dt">;
constexpr auto decay = setting<"decay">(-0.25_n);
struct euler {
    static constexpr auto equations =
        sluice::lines(next(h) = h + dt * (tanh(x * W<"h"> + h * R<"h"> + b<"h">) + decay * h));
};

/// The same with its numbers written out.
struct written {
    static constexpr auto equations =
        sluice::lines(next(h) = h + 0.1_n * (tanh(x * W<"h"> + h * R<"h"> + b<"h">) - 0.25_n * h));
};

template <class S, class Backend = sluice::xtensor::planned>
using cell_of = sluice::cell<euler, S, Backend>;
constexpr sluice::sizes sizes{.input = 3, .units = 5};

} // namespace

TEST_CASE_TEMPLATE("settings: given, by default, or changed", S, float, double) {
    cell_of<S> cell(sizes, sluice::seed{7}, {{"dt", 0.1}});
    CHECK(cell.setting("dt"_s) == S(0.1));
    CHECK(cell.setting("decay"_s) == S(-0.25));
    cell_of<S> const both(sizes, sluice::seed{7}, {{"decay", 0.5}, {"dt", 2}});
    CHECK(both.setting("dt"_s) == S(2));
    CHECK(both.setting("decay"_s) == S(0.5));
    cell.set_setting("decay"_s, S(0.5));
    cell.set_setting("dt"_s, S(2));
    auto const x0 = random_sequence<S>(1, 2, 3);
    auto const state = random_map(cell.zero_state(2), "state");
    CHECK(same_bits(unroll(cell, x0, state).outputs, unroll(both, x0, state).outputs));
}

TEST_CASE("settings: the equation with its numbers written out, in both lowerings") {
    auto const check = [&]<class Backend>(std::type_identity<Backend>) {
        cell_of<double, Backend> const cell(sizes, sluice::seed{7}, {{"dt", 0.1}});
        sluice::cell<written, double, Backend> const plain(sizes, sluice::seed{7});
        auto const xs = random_sequence<double>(4, 2, 3);
        auto const state = cell.zero_state(2);
        CHECK(xt::allclose(unroll(cell, xs, state).outputs, unroll(plain, xs, plain.zero_state(2)).outputs,
                           1e-14));
        CHECK(sluice::gradient_check(cell, xs, state).worst().largest < 1e-7);
    };
    check(std::type_identity<sluice::xtensor::planned>{});
    check(std::type_identity<sluice::xtensor::reference>{});
}

TEST_CASE_TEMPLATE("settings: what is missing, unknown, double or not finite is refused", S, float, double) {
    auto const make = [](sluice::settings const& numbers) {
        return cell_of<S>(sizes, sluice::seed{7}, numbers);
    };
    CHECK_THROWS_WITH_AS(make({}), Contains("the setting dt has no number; give one when the cell is made"),
                         bad);
    CHECK_THROWS_WITH_AS(cell_of<S>{sizes}, Contains("setting<\"dt\">(0.5_n)"), bad);
    CHECK_THROWS_WITH_AS(make({{"dt", 1}, {"dx", 1}}),
                         "sluice: the equations have no setting dx; they have dt, decay", bad);
    CHECK_THROWS_WITH_AS(make({{"dt", 1}, {"dt", 1}}), Contains("dt is given twice"), bad);
    for (double const wrong :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()})
        CHECK_THROWS_WITH_AS(make({{"dt", wrong}}), Contains("the setting dt expects a finite number"), bad);
    if constexpr (std::is_same_v<S, float>)
        CHECK_THROWS_WITH_AS(make({{"dt", 1e39}}), Contains("but it is inf"), bad);
    CHECK_THROWS_WITH_AS(sluice::cell<sluice::dense>(sizes, sluice::seed{}, {{"dt", 1}}),
                         Contains("they have none"), bad);

    auto cell = make({{"dt", 0.5}});
    auto const version = cell.version();
    CHECK_THROWS_AS(cell.set_setting("dt"_s, std::numeric_limits<S>::quiet_NaN()), bad);
    CHECK(cell.setting("dt"_s) == S(0.5));
    CHECK(cell.version() == version);
    CHECK_THROWS_AS(
        (sluice::cell<sluice::lstm, S>({.input = 3, .units = 2}, {}, {{"forget_bias", std::nan("")}})), bad);
}

TEST_CASE("settings: they are shown to checkpoints behind the parameters, without a shape") {
    cell_of<double> cell(sizes, sluice::seed{7}, {{"dt", 0.1}});
    std::vector<std::string> names;
    std::as_const(cell).visit_tensors([&](std::string_view name, auto shape, auto values) {
        names.emplace_back(name);
        if (shape.empty())
            CHECK(values.size() == 1);
    });
    CHECK(names == std::vector<std::string>{"W_h", "R_h", "b_h", "dt", "decay"});
    cell.visit_tensors([](std::string_view name, auto, auto values) {
        if (name == "dt")
            values[0] = 0.75;
    });
    CHECK(cell.setting("dt"_s) == 0.75);
    CHECK(cell.equations_text() == "next(h) = h + dt . (tanh(x W_h + h R_h + b_h) + decay . h)\n");
}

} // namespace settings_test
