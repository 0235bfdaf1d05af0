// SPDX-License-Identifier: BSL-1.0
// What is frozen, which numbers a step looks at, which constraints follow it, and how many steps were made:
// an optimiser without a step.
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <sluice/train/optimizer_base.hpp>
#include <utility>
#include <vector>

namespace optimizer_base_test {

using namespace sluice;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

/// Weights from -10 to 10, gradients from -5 to 5, and a slot from 0 to 1.
struct rule {
    double learning_rate = 0.5;
    static constexpr std::array<std::string_view, 1> slot_names{"m"};
    template <class S>
    void check() const {
        detail::require_learning_rate<S>("the rule", learning_rate);
    }
    template <class S>
    step_range<1> range() const {
        return {symmetric(10), symmetric(5), {{{0, 1}}}};
    }
};

/// Parameters that are found by their names.
struct named {};
using base = detail::named_optimizer<named, detail::constrained_optimizer<double, rule>>;

struct optimizer : base {
    explicit optimizer(std::vector<tensor_place> const& places, rule const& r = {}) : base(places, r) {}
    using base::apply_constraints, base::check_numbers, base::check_shapes, base::for_each_run, base::made,
        base::next_step, base::slots_are_in_range, base::visit_slot, base::visit_step;

    std::vector<std::pair<std::size_t, std::size_t>> runs() const {
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for_each_run([&](std::size_t first, std::size_t count) { all.emplace_back(first, count); });
        return all;
    }
};

std::vector<tensor_place> const places{{.called = "a", .rank = 1, .extents = {1, 1, 3}},
                                       {.called = "fixed", .rank = 0, .extents = {1, 1, 1}, .trained = false},
                                       {.called = "b", .rank = 2, .extents = {1, 2, 2}},
                                       {.called = "c", .rank = 1, .extents = {1, 1, 2}}};
using runs = std::vector<std::pair<std::size_t, std::size_t>>;

} // namespace

TEST_CASE("optimizer base: numbers that are not frozen are gone through in runs, as long as they can be") {
    optimizer one(places);
    CHECK(one.runs() == runs{{0, 3}, {4, 6}});
    one.freeze("b");
    CHECK(one.runs() == runs{{0, 3}, {8, 2}});
    one.freeze("c");
    CHECK(one.runs() == runs{{0, 3}});
    one.freeze("a");
    CHECK(one.runs().empty());
    one.unfreeze("c");
    CHECK(one.runs() == runs{{8, 2}});
    CHECK(one.is_frozen("a"));
    CHECK_FALSE(one.is_frozen("c"));
    CHECK(optimizer(std::vector<tensor_place>{}).runs().empty());
}

TEST_CASE("optimizer base: constraints get the values of their parameters, but for those that are frozen") {
    optimizer one(places);
    std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    auto const times = [](double factor) {
        return [=](std::span<double> some) {
            for (double& value : some)
                value *= factor;
        };
    };
    one.constrain("b", times(10));
    one.constrain("fixed", times(0));
    one.constrain("c", times(100));
    one.freeze("c");
    auto copy = one;
    one.apply_constraints(values);
    CHECK(values == std::vector<double>{0, 1, 2, 3, 40, 50, 60, 70, 8, 9});
    one.constrain("b", nullptr);
    one.unfreeze("c");
    one.apply_constraints(values);
    CHECK(values == std::vector<double>{0, 1, 2, 3, 40, 50, 60, 70, 800, 900});
    copy.apply_constraints(values);
    CHECK(values == std::vector<double>{0, 1, 2, 3, 400, 500, 600, 700, 800, 900});
    optimizer const moved = std::move(one);
    CHECK_THROWS_WITH_AS(one.constrain("a", nullptr), Contains("the optimiser was moved from"), bad);
}

TEST_CASE("optimizer base: what the equations fix stays frozen, and a name that is not there is refused") {
    optimizer one(places);
    CHECK(one.is_frozen("fixed"));
    CHECK_NOTHROW(one.freeze("fixed"));
    CHECK_THROWS_WITH_AS(one.unfreeze("fixed"),
                         Contains("parameter fixed is fixed by its equations, and never trained"), bad);
    CHECK(one.is_frozen("fixed"));
    for (char const* const unknown : {"", "d", "a "})
        CHECK_THROWS_AS(one.freeze(unknown), bad);
    optimizer const moved = std::move(one);
    CHECK_THROWS_WITH_AS(one.freeze("a"), Contains("the optimiser was moved from"), bad);
    CHECK(moved.is_frozen("fixed"));
}

TEST_CASE("optimizer base: numbers beyond the range are refused with their parameter, those that are frozen "
          "are not looked at") {
    optimizer one(places);
    std::vector<double> weights(10, 10), gradients(10, -5), slot(10, 1);
    auto const check = [&] { one.check_numbers<double>(weights, {slot}, gradients); };
    CHECK_NOTHROW(check());
    weights[3] = std::nan(""); // is fixed
    CHECK_NOTHROW(check());
    gradients[7] = 5.5;
    CHECK_THROWS_WITH_AS(
        check(),
        Contains(
            "optimiser step, parameter b expects gradients from -5 to 5, but some are beyond or NaN; lower "
            "the learning rate or clip the gradients"),
        bad);
    one.freeze("b");
    CHECK_NOTHROW(check());
    slot[9] = -0.1;
    CHECK_THROWS_WITH_AS(check(), Contains("parameter c expects m from 0 to 1"), bad);
    slot[9] = 0, weights[0] = std::nan("");
    CHECK_THROWS_WITH_AS(check(), Contains("parameter a expects weights from -10 to 10"), bad);
}

TEST_CASE("optimizer base: steps are counted up to 2^53, and a file may not say anything else") {
    optimizer one(places);
    CHECK(one.next_step() == 1);
    CHECK(one.steps() == 0);
    one.made(most_steps - 1);
    CHECK(one.next_step() == most_steps);
    one.made(most_steps);
    CHECK_THROWS_WITH_AS(one.next_step(),
                         Contains("an optimiser makes at most 9007199254740992 steps, and has made them"),
                         bad);
    auto const load = [&](std::int64_t number) {
        one.visit_step([&](auto, auto, std::span<std::int64_t> step) { step[0] = number; });
    };
    load(7);
    CHECK(one.steps() == 7);
    for (std::int64_t const wrong :
         {std::int64_t(-1), most_steps + 1, std::numeric_limits<std::int64_t>::min()}) {
        CHECK_THROWS_AS(load(wrong), bad);
        CHECK(one.steps() == 7);
    }
}

TEST_CASE(
    "optimizer base: slots have a name and a shape for each parameter, and are checked where they change") {
    optimizer const one(places);
    std::vector<double> numbers{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    std::vector<std::string> names;
    std::vector<std::size_t> sizes;
    one.visit_slot(
        [&](std::string_view called, std::span<std::size_t const> shape, auto values) {
            names.emplace_back(called);
            sizes.push_back(values.size());
            CHECK(shape.size() == places[names.size() - 1].rank);
        },
        0, std::span<double const>(numbers));
    CHECK(names == std::vector<std::string>{"m/a", "m/fixed", "m/b", "m/c"});
    CHECK(sizes == std::vector<std::size_t>{3, 1, 4, 2});
    auto const set = [](std::string_view, auto, std::span<double> values) { values.back() = 1.5; };
    CHECK_THROWS_WITH_AS(one.visit_slot(set, 0, std::span<double>(numbers)),
                         Contains("an optimiser expects m from 0 to 1"), bad);
}

TEST_CASE(
    "optimizer base: slots are in range after a step, until something may have changed them or their range") {
    optimizer one(places);
    CHECK_FALSE(one.slots_are_in_range());
    auto const after_step = [&](auto const& change) {
        one.made(one.next_step());
        CHECK(one.slots_are_in_range());
        change();
        return one.slots_are_in_range();
    };
    CHECK_FALSE(after_step([&] { one.set_learning_rate(0.25); }));
    CHECK_FALSE(after_step([&] { one.freeze("b"); }));
    CHECK_FALSE(after_step([&] { one.unfreeze("b"); }));
    CHECK_FALSE(after_step([&] { one.visit_step([](auto, auto, auto) {}); }));
    CHECK(after_step([&] { CHECK_THROWS_AS(one.set_learning_rate(-1), bad); }));
    CHECK(after_step([&] { std::as_const(one).visit_step([](auto, auto, auto) {}); }));
    optimizer const copy = one;
    CHECK(copy.slots_are_in_range());

    std::vector<double> const weights(10, 1), gradients(10, 1), slot(10, 2);
    CHECK_NOTHROW(one.check_numbers<double>(weights, {slot}, gradients, false));
    CHECK_THROWS_WITH_AS(one.check_numbers<double>(weights, {slot}, gradients, true),
                         Contains("parameter a expects m from 0 to 1"), bad);
}

TEST_CASE("optimizer base: a learning rate that is refused changes nothing") {
    optimizer one(places);
    one.set_learning_rate(0.25);
    CHECK_THROWS_AS(one.set_learning_rate(-1), bad);
    CHECK(one.learning_rate() == 0.25);
    CHECK_THROWS_AS(optimizer(places, {.learning_rate = std::nan("")}), bad);
}

} // namespace optimizer_base_test
