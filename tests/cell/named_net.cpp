// SPDX-License-Identifier: BSL-1.0
// What a cell and a stack have in common: parameters and settings that change, states, and what is refused.
#include <sluice/cell/named_net.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <support/tensors.hpp>
#include <utility>
#include <vector>

namespace named_net_test {

using namespace sluice::literals;

namespace {

using cell_type = sluice::cell<sluice::lstm, double>;
using stack_type = sluice::stack<sluice::lstm, double>;

template <class Net>
Net made() {
    if constexpr (sluice::any_cell<Net>)
        return Net({.input = 3, .units = 5}, sluice::seed{7});
    else
        return Net({.input = 3, .units = 5}, {.layers = 2}, sluice::seed{7});
}
template <class Net>
auto outputs_of(Net const& net) {
    return sluice::infer(net, support::random_sequence<double>(4, 2, 3), net.zero_state(2)).outputs;
}
/// Sets every setting to this number.
template <class Net>
void set(Net& net, double number) {
    net.visit_tensors([&](std::string_view, auto shape, auto values) {
        if (shape.empty())
            values[0] = number;
    });
}

} // namespace

TEST_CASE_TEMPLATE("named net: numbers that are trained, and all that is visited", Net, cell_type,
                   stack_type) {
    auto const net = made<Net>();
    std::size_t const of_one = 4 * (3 * 5 + 5 * 5 + 5), of_next = 4 * (5 * 5 + 5 * 5 + 5);
    CHECK(net.parameter_count() == of_one + (sluice::any_cell<Net> ? 0 : of_next));
    std::vector<std::string> names;
    std::size_t count = 0;
    net.visit_tensors([&](std::string_view called, auto, auto values) {
        names.emplace_back(called);
        count += values.size();
    });
    std::string const before = sluice::any_cell<Net> ? "" : "layer1/";
    CHECK(names.back() == before + "forget_bias");
    CHECK(count == net.parameter_count() + (sluice::any_cell<Net> ? 1 : 2));
}

TEST_CASE_TEMPLATE("named net: a change of parameters or settings is a new version, and runs see it", Net,
                   cell_type, stack_type) {
    auto net = made<Net>();
    auto const copy = net;
    auto const first = outputs_of(net);
    auto version = net.version();
    net.update_values([](auto values) { values[0] += 1; });
    CHECK(net.version() != version);
    CHECK(outputs_of(net) != first);
    net = copy;
    CHECK(outputs_of(net) == first);
    version = net.version();
    set(net, 3);
    CHECK(net.version() != version);
    CHECK(outputs_of(net) != first);
    net.set_setting("forget_bias"_s, 1);
    CHECK(outputs_of(net) == first);
    CHECK(outputs_of(copy) == first);
}

TEST_CASE_TEMPLATE("named net: a setting that is not finite is refused, and stays what it was", Net,
                   cell_type, stack_type) {
    auto net = made<Net>();
    auto const first = outputs_of(net);
    for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_WITH_AS(set(net, bad), doctest::Contains("the setting forget_bias expects a finite"),
                             std::invalid_argument);
        CHECK(outputs_of(net) == first);
        CHECK_THROWS_AS(net.set_setting("forget_bias"_s, bad), std::invalid_argument);
        CHECK(outputs_of(net) == first);
    }
}

TEST_CASE_TEMPLATE("named net: states of another shape are refused by their names", Net, cell_type,
                   stack_type) {
    auto const net = made<Net>();
    auto state = net.zero_state(2);
    CHECK_NOTHROW(net.check_state("a run", "a state", state, 2));
    CHECK_THROWS_WITH_AS(net.check_state("a run", "a state", state, 3),
                         doctest::Contains("a run expects a state c of shape ["), std::invalid_argument);
    auto const taken = std::move(state["h"_s]);
    CHECK_THROWS_WITH_AS(net.check_state("a run", "a state", state, 2), doctest::Contains("was moved from"),
                         std::invalid_argument);
    CHECK_THROWS_AS(net.zero_state(std::size_t(1) << 62), std::invalid_argument);
    CHECK_THROWS_AS(net.initial_state(std::size_t(1) << 62), std::invalid_argument);
    CHECK(net.zero_state(0)["h"_s].size() == 0);
}

TEST_CASE_TEMPLATE("named net: what was moved from says so", Net, cell_type, stack_type) {
    auto net = made<Net>();
    auto const first = outputs_of(net);
    auto const taken = std::move(net);
    CHECK(outputs_of(taken) == first);
    auto const refuses = [&](auto&& call) {
        CHECK_THROWS_WITH_AS(call(), doctest::Contains("was moved from"), std::invalid_argument);
    };
    refuses([&] { (void)net.parameters(); });
    refuses([&] { (void)net.parameter_count(); });
    refuses([&] { (void)net.zero_state(2); });
    refuses([&] { (void)net.input_size(); });
    refuses([&] { set(net, 1); });
    refuses([&] { net.update_values([](auto) {}); });
    refuses([&] { net.set_setting("forget_bias"_s, 1); });
    net = taken;
    CHECK(outputs_of(net) == first);
}

} // namespace named_net_test
