// SPDX-License-Identifier: BSL-1.0
// What of a cell depends on no equations: sizes of the type and sizes that are given, and how versions
// go on; what the passes say of a page, in numbers.
#include <sluice/cell/net_base.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <sluice/backend/kernels.hpp>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/passes.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace net_base_test {

namespace {

using sluice::sizes, sluice::detail::merged;

using base_type = sluice::net_base<float, sluice::no_kernels>;

/// Equations with two states, a fixed parameter and a setting, which nothing runs.
struct page {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto c = state<"c", 3>;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * fixed(R<"h">)) * setting<"gain">(0.5_n),
                             next(c) = h * W<"c">);
    }();
};
class no_engine final : public sluice::engine<float, sluice::no_kernels> {
public:
    std::shared_ptr<engine> copy() const override { return std::make_shared<no_engine>(); }
    void refresh(numbers const&) override {}
    void infer(program const&, numbers const&, sluice::engine_sequence<float> const&) const override {}
    tape forward(program const&, numbers const&, sluice::engine_sequence<float> const&) const override {
        return {};
    }
    void backward(program const&, numbers const&, tape const&,
                  sluice::engine_gradients<float> const&) const override {}
    std::unique_ptr<sluice::stepper<float>> prepare(program const&, numbers const&, std::size_t,
                                                    std::vector<float const*> const&, float*) const override {
        return {};
    }
    void refresh(numbers const&, sluice::stepper<float>&) const override {}
};
constexpr sluice::net_page<float, sluice::no_kernels> page_of_test{
    &sluice::passes<page>::checked,
    &sluice::passes<page>::entries,
    {},
    [](sluice::cell_numbers<float> const&) -> std::shared_ptr<sluice::engine<float, sluice::no_kernels>> {
        return std::make_shared<no_engine>();
    }};
constexpr sluice::sizes n{.input = 3, .units = 5};

/// A cell by itself, whose parameters lie in an array of its own.
struct bare : base_type {
    sluice::arena<float> parameters = sluice::detail::zero_arena<float>(page_of_test.entries->parameters, n);

    explicit bare(sluice::settings const& numbers = {}) : net_base("the cell", std::span(&page_of_test, 1)) {
        add_only_cell({}, n, numbers);
        place_only_cell(parameters.places());
        sluice::detail::default_initial_values const starts;
        start_parameters(net_.layers[0].ways[0], sluice::detail::rule_of<page>(starts), sluice::seed{7},
                         parameters.values());
        make_engines(parameters.values());
    }
    explicit bare(bare const& other, int) : net_base("the cell", std::span(&page_of_test, 1)) {
        add_only_cell(other.net_.layers[0].ways[0]);
    }
    void change() { parameters_changed(parameters.values()); }
    void give() { was_given(net_.layers[0].ways[0], 1); }
    using net_base::require_state;
};

} // namespace

TEST_CASE("net base: sizes are those of the type, and for what it leaves open those given") {
    CHECK(merged({}, {.input = 3, .units = 5}) == sizes{.input = 3, .units = 5});
    CHECK(merged({.input = 3, .groups = 2}, {.units = 5, .projection = 4}) ==
          sizes{.input = 3, .units = 5, .projection = 4, .groups = 2});
    CHECK(merged({.units = 5}, {.units = 5}) == sizes{.units = 5}); // the same again
    CHECK(merged({.groups = 2}, {.groups = 1}).groups == 2);        // 1 is as if nothing was given
    sizes const own{.units = 5, .own = {{"context", 7}}};
    CHECK(merged(own, {}).own == own.own);
    CHECK(merged(own, {.own = {{"context", 9}}}).own.items[0].features == 9);
}

TEST_CASE("net base: another size than that of the type is refused by its name") {
    CHECK_THROWS_WITH_AS(merged({.input = 3}, {.input = 4}),
                         "sluice: the type of the cell says input = 3, but 4 was given; leave it out or give "
                         "the same",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        merged({.groups = 2}, {.groups = 3}),
        "sluice: the type of the cell says groups = 2, but 3 was given; leave it out or give "
        "the same",
        std::invalid_argument);
    CHECK_THROWS_AS(merged({.projection = 1}, {.projection = static_cast<std::size_t>(-1)}),
                    std::invalid_argument);
}

TEST_CASE("net base: a version is never that of another cell, and an assignment is a new revision") {
    bare a, b;
    a.change();
    b.change();
    CHECK(a.version() != b.version());
    auto const before = a.version();
    a.change();
    CHECK(a.version() > before);
    bare const copy = a;
    CHECK(copy.version() == a.version()); // until one of them changes
    auto const revision = b.revision();
    b = a;
    CHECK(b.version() == a.version());
    CHECK(b.revision() != revision);
    CHECK(b.revision() != a.revision());
    bare const taken = std::move(a);
    CHECK_THROWS_AS(a.revision(), std::exception);
    CHECK(taken.as_net().layers[0].ways[0].extents == n);
}

TEST_CASE("net base: a cell by itself is a net of one layer, with the widths of its states and its output") {
    bare const cell({{"gain", 0.25}});
    auto const& net = cell.as_net();
    CHECK(net.is_cell);
    REQUIRE(net.layers.size() == 1);
    CHECK(net.layers[0].output == 5);
    CHECK(net.layers[0].states == std::vector<std::size_t>{0, 1});
    REQUIRE(net.places.size() == 2);
    CHECK(net.places[1].called == "c");
    CHECK(net.places[1].width == 3);
    CHECK(net.parameters.size() == 3);
    CHECK(net.layers[0].ways[0].settings == std::vector<float>{0.25F});
    CHECK(cell.parameters.values()[0] != 0);
    bare const like(cell, 0);
    CHECK(like.as_net().layers[0].ways[0].settings == std::vector<float>{0.25F});
    CHECK(like.as_net().layers[0].output == 5);
    CHECK_THROWS_WITH_AS(bare({{"gian", 1}}), doctest::Contains("no setting gian"), std::invalid_argument);
}

TEST_CASE("net base: a fixed parameter without a value, and states of other shapes, are refused by name") {
    bare cell;
    CHECK_THROWS_WITH_AS(cell.check_parameters("a step"),
                         doctest::Contains("a step needs the fixed parameter R_h"), std::logic_error);
    cell.give();
    CHECK_NOTHROW(cell.check_parameters("a step"));
    CHECK_NOTHROW(cell.require_state("a step", "a state", 1, 2, xt::xtensor<float, 2>({2, 3})));
    CHECK_NOTHROW(cell.require_state("a step", "a state", 1, 2, xt::xtensor<float, 3>({1, 2, 3})));
    CHECK_THROWS_WITH_AS(cell.require_state("a step", "a state", 1, 2, xt::xtensor<float, 2>({2, 5})),
                         "sluice: a step expects a state c of shape [2, 3], but got [2, 5]",
                         std::invalid_argument);
    xt::xtensor<float, 2> gone({2, 3});
    auto const taken = std::move(gone);
    CHECK_THROWS_WITH_AS(cell.require_state("a step", "a state", 1, 2, gone),
                         doctest::Contains("was moved from"), std::invalid_argument);
}

namespace {

using namespace sluice::equation;
using memory = sluice::host_memory<double, sluice::no_kernels>;
using widths = std::vector<std::size_t>;

constexpr auto context = input<"context", 5>;
constexpr auto c = state<"c">;

struct two_inputs {
    static constexpr auto equations =
        sluice::lines(next(h) = context + x * W<"h">, next(c) = h - c, output = next(c));
};
struct starts_somewhere {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h), initial(h) = vector<"first">);
};
struct no_input {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h));
};

sluice::net_cell<memory> made(sluice::basic_entries<sluice::view> const& page) {
    return sluice::detail::net_cell_of<memory>(page, {.input = 3, .units = 5}, 2);
}

} // namespace

TEST_CASE("net base: a cell knows its page, the widths of its inputs, and where its states start") {
    auto const cell = made(sluice::passes<two_inputs>::entries);
    CHECK(cell.page == 2);
    CHECK(cell.widths == widths{5, 3}); // in the order of the equations
    CHECK(cell.has_inputs);
    CHECK(cell.extents == sluice::sizes{.input = 3, .units = 5});
    CHECK(cell.starts == std::vector<int>{-1, -1});
    CHECK(cell.places.empty());
    CHECK(cell.runs == nullptr);
    CHECK(made(sluice::passes<starts_somewhere>::entries).starts == std::vector<int>{1});
}

TEST_CASE("net base: equations without an input read x, which says how many rows there are") {
    auto const cell = made(sluice::passes<no_input>::entries);
    CHECK(cell.widths == widths{3});
    CHECK_FALSE(cell.has_inputs);
}

TEST_CASE("net base: states are listed after those that are there, with their rows and names") {
    std::vector<sluice::net_state_place> places;
    auto const& states = sluice::passes<two_inputs>::entries.states;
    sluice::detail::add_states(states, {.input = 3, .units = 5}, 1, "", places);
    sluice::detail::add_states(states, {.input = 3, .units = 7}, 2, "layer1/", places);
    REQUIRE(places.size() == 4);
    CHECK(places[0].called == "h");
    CHECK(places[1].called == "c");
    CHECK(places[1].rows == 1);
    CHECK(places[1].width == 5);
    CHECK(places[3].called == "layer1/c");
    CHECK(places[3].rows == 2);
    CHECK(places[3].width == 7);
}

} // namespace net_base_test
