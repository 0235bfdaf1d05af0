// SPDX-License-Identifier: BSL-1.0
// The check of gradients is itself checked: it finds a wrong derivative, and it leaves everything as it was.
#include <doctest/doctest.h>
#include <sluice/check/gradient_check.hpp>
#include <support/agreement.hpp>

namespace gradient_check_test {

using namespace support;

namespace gradient_check_cases {

/// Not a number where z > 0: the slope of an activation that is wrong for some numbers only.
struct broken_slope {
    static constexpr std::string_view name = "broken_slope";
    template <class T>
    static T value(T z) {
        using sluice::select;
        return select(z > T(0), T(std::numeric_limits<double>::quiet_NaN()), T(1));
    }
    static constexpr auto derivative(auto, auto y) { return y; }
};
struct broken {
    static constexpr std::string_view name = "broken";
    template <class T>
    static T value(T z) {
        return z;
    }
    static constexpr auto derivative(auto z, auto) { return sluice::equation::apply<broken_slope>(z); }
};
struct broken_layer {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(output = apply<broken>(x * W<"y"> + b<"y">));
    }();
};

} // namespace gradient_check_cases

namespace {

template <class Page>
sluice::gradient_report report_of() {
    sluice::cell<Page, double> cell(own_cells::extents);
    randomize(cell);
    auto const xs = random_sequence<double>(3, 2, own_cells::extents.input);
    return gradient_check(cell, xs, random_map(cell.zero_state(2), "state"));
}

} // namespace

TEST_CASE("gradient check: gradient_check finds a wrong derivative, and where it matters") {
    CHECK(report_of<own_cells::traced>().worst().largest < 1e-7);

    auto const report = report_of<own_cells::wrong>();
    CHECK(report.worst().largest > 1e-2);
    for (auto const& tensor : report.tensors) {
        CAPTURE(tensor.called);
        bool const after_it = tensor.called == "W_y" || tensor.called == "b_y" || tensor.called == "W_o";
        CHECK((tensor.largest < 1e-7) == after_it); // what acts after the activation has the right gradient
    }
}

TEST_CASE(
    "gradient check: gradient_check with a step that is far too large fails, and the cell is as before") {
    auto const cell = traced::make<double, sluice::xtensor::planned>();
    auto const before = cell.parameters();
    auto const xs = random_sequence<double>(2, 1, own_cells::extents.input);
    CHECK(gradient_check(cell, xs, cell.zero_state(1), {.step = 2.0}).worst().largest > 1e-4);
    CHECK(same_map(cell.parameters(), before));
}

TEST_CASE("gradient check: the worst of a report is a NaN where there is one") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    sluice::gradient_report const report{.tensors = {{"a", 1.0}, {"b", nan}, {"c", 2.0}}};
    CHECK(std::isnan(report.worst().largest));

    sluice::cell<gradient_check_cases::broken_layer, double> cell({.input = 3, .units = 7});
    randomize(cell);
    auto const found = gradient_check(cell, random_sequence<double>(1, 1, 3), cell.zero_state(1));
    for (auto const& tensor : found.tensors) {
        CAPTURE(tensor.called);
        CHECK(std::isnan(tensor.largest)); // also where the last numbers of a tensor are good
    }
}

} // namespace gradient_check_test
