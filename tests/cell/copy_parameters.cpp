// SPDX-License-Identifier: BSL-1.0
// The numbers of one net for another: of other scalars and backends, of cells and stacks, and all that is
// refused, after which nothing has changed.
#include <sluice/cell/copy_parameters.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <support/tensors.hpp>

namespace copy_parameters_test {

using namespace support;
using namespace sluice::literals;

namespace {

/// A page with a setting and a fixed parameter.
struct paced {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = h + setting<"dt"> * tanh(x * W<"h"> + h * fixed(R<"h">)));
    }();
};

template <class A, class B>
bool have_same_numbers(A const& a, B const& b) {
    auto const one = a.parameters().values();
    auto const other = b.parameters().values();
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](auto x, auto y) { return static_cast<float>(x) == static_cast<float>(y); });
}

} // namespace

TEST_CASE("copy_parameters: to another backend and another scalar, of cells and of stacks") {
    sluice::cell<sluice::gru> const from({.input = 3, .units = 5}, sluice::seed{7});
    sluice::cell<sluice::gru, sluice::xtensor::reference> same({.input = 3, .units = 5});
    sluice::cell<sluice::gru, double> wide({.input = 3, .units = 5});
    copy_parameters(from, same);
    copy_parameters(from, wide);
    CHECK(have_same_numbers(from, same));
    CHECK(have_same_numbers(from, wide));
    auto const xs = random_sequence<float>(4, 2, 3);
    CHECK(distance(infer(same, xs).outputs, infer(from, xs).outputs) < 1e-6); // what is derived is made again

    sluice::stack<sluice::lstm> const net({.input = 3, .units = 4}, {.layers = 2}, sluice::seed{7});
    sluice::stack<sluice::lstm, double> other({.input = 3, .units = 4}, {.layers = 2});
    copy_parameters(net, other);
    CHECK(have_same_numbers(net, other));
}

TEST_CASE("copy_parameters: settings come along") {
    sluice::cell<paced, double> from({.input = 3, .units = 5}, sluice::seed{7}, {{"dt", 0.25}});
    from.update_values([](auto) {});
    sluice::cell<paced> to({.input = 3, .units = 5}, sluice::seed{8}, {{"dt", 0.5}});
    copy_parameters(from, to);
    CHECK(to.setting("dt"_s) == 0.25f);
    CHECK(have_same_numbers(from, to));

    from.set_setting("dt"_s, 1e300);
    from.update_values([](std::span<double> all) { all[0] = 3; });
    CHECK_THROWS_AS(copy_parameters(from, to), std::invalid_argument);
    CHECK(to.setting("dt"_s) == 0.25f);
    CHECK(to.parameters().values()[0] != 3);
}

TEST_CASE(
    "copy_parameters: other equations, other sizes and missing numbers are refused, and change nothing") {
    sluice::cell<sluice::gru> to({.input = 3, .units = 5}, sluice::seed{7});
    auto const before = to;
    CHECK_THROWS_WITH_AS(copy_parameters(sluice::cell<sluice::lstm>({.input = 3, .units = 5}), to),
                         doctest::Contains("the same equations"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(copy_parameters(sluice::cell<sluice::gru>({.input = 3, .units = 6}), to),
                         doctest::Contains("the same sizes"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(copy_parameters(sluice::cell<sluice::gru>({.input = 2, .units = 5}), to),
                         doctest::Contains("the same sizes"), std::invalid_argument);
    CHECK(have_same_numbers(before, to));

    sluice::stack<sluice::gru> one({.input = 5, .units = 5}, {.layers = 1});
    sluice::stack<sluice::gru> const two({.input = 5, .units = 5}, {.layers = 2});
    CHECK_THROWS_AS(copy_parameters(two, one), std::invalid_argument);

    sluice::cell<paced> other({.input = 3, .units = 5}, sluice::seed{8}, {{"dt", 0.5}});
    CHECK_THROWS_WITH_AS(
        copy_parameters(sluice::cell<paced>({.input = 3, .units = 5}, sluice::seed{8}, {{"dt", 0.5}}), other),
        doctest::Contains("the fixed parameter"), std::logic_error);
    auto moved = to;
    auto const taken = std::move(moved);
    CHECK_THROWS_AS(copy_parameters(moved, to), std::logic_error);
    CHECK_THROWS_AS(copy_parameters(to, moved), std::logic_error);
    copy_parameters(to, to);
    CHECK(have_same_numbers(before, to));
}

} // namespace copy_parameters_test
