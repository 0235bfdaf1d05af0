// SPDX-License-Identifier: BSL-1.0
// The leaves of a graph in the order of the lists of its equations, and where runs and matrices find their
// values.
#include <sluice/execute/leaves.hpp>

#include <doctest/doctest.h>
#include <sluice/core/half.hpp>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/xtensor/host_kernels.hpp>

namespace leaves_test {

namespace {

using namespace sluice::equation;
using kernels = sluice::xtensor::kernels;

constexpr auto n = gate<"n">;
constexpr auto c = state<"c">;

/// Two states, of which the graph reads one only; a matrix, a vector, a number of the equations and a
/// setting.
struct page {
    static constexpr auto equations =
        sluice::lines(n = tanh(x * W<"n"> + h * R<"n"> + b<"n">), next(c) = setting<"leak">(0_n) * c + n,
                      next(h) = n, output = next(c));
};
constexpr sluice::sizes extents{.input = 3, .units = 2};

using all = sluice::plans<page>;
using passes = sluice::passes<page>;

sluice::plan_leaves leaves() {
    return all::leaves;
}
sluice::node const& at(int node) {
    return all::graph[node];
}

} // namespace

TEST_CASE("leaves: every entry of the lists is found, and what the states become") {
    auto const found = leaves();
    REQUIRE(found.inputs.size() == 1);
    CHECK(at(found.inputs[0]).kind == sluice::op::input);
    REQUIRE(found.parameters.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(at(found.parameters[i]).kind == sluice::op::parameter);
        CHECK(all::graph.names[at(found.parameters[i]).index].view() ==
              passes::parameters[static_cast<int>(i)].called.view());
    }
    REQUIRE(found.settings.size() == 1);
    CHECK(at(found.settings[0]).kind == sluice::op::setting);
    REQUIRE((found.states.size() == 2 && found.next.size() == 2));
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(at(found.states[i]).kind == sluice::op::state);
        bool is_result = false;
        for (sluice::definition const& d : all::graph.results)
            is_result |= d.kind == sluice::role::next && d.called == at(found.states[i]).index &&
                         d.at == found.next[i];
        CHECK(is_result);
    }
    CHECK(found.output == all::graph.results[0].at);
}

TEST_CASE("leaves: vectors and settings are given to a run, and all of them to the matrices") {
    auto const found = leaves();
    std::vector<std::vector<double>> numbers;
    sluice::leaf_values<double> values;
    double const leak = 0.75;
    for (int const node : found.parameters)
        numbers.emplace_back(all::graph.is_matrix(node) ? 6 : 2, static_cast<double>(node));
    for (auto const& those : numbers)
        values.parameters.push_back(those.data());
    values.settings.push_back(&leak);

    auto const pool = std::make_shared<sluice::memory_pool<double, kernels>>();
    sluice::sweep_memory<double, kernels> memory(pool, all::graph, all::inference, extents, 1, 1);
    values.give(found, memory);
    sluice::matrix_values<double> matrices(all::graph, extents);
    values.give(found, matrices);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        int const node = found.parameters[i];
        if (all::graph.is_matrix(node))
            CHECK(!memory.has(node));
        else {
            CHECK(memory.value(node).data == numbers[i].data());
            CHECK((memory.value(node).columns == 2 && memory.value(node).row == 0));
        }
        CHECK(matrices.find(node) == numbers[i].data());
    }
    CHECK(*memory.value(found.settings[0]).at(5) == leak);
    CHECK(*matrices.make(found.settings[0]) == leak);
}

TEST_CASE("leaves: a setting of a narrow type stands in the view itself") {
    auto const found = leaves();
    sluice::leaf_values<sluice::half> values;
    float const leak = 0.1f; // which no half is
    sluice::half const zeros[6]{};
    values.parameters.assign(3, zeros);
    values.settings.push_back(&leak);
    auto const pool = std::make_shared<sluice::memory_pool<sluice::half, kernels>>();
    sluice::sweep_memory<sluice::half, kernels> memory(pool, all::graph, all::inference, extents, 1, 1);
    values.give(found, memory);
    CHECK(memory.value(found.settings[0]).data == nullptr);
    CHECK(memory.value(found.settings[0]).number == leak);
}

TEST_CASE("leaves: what runs in the host's memory is sent nowhere") {
    auto const found = leaves();
    double const number = 1;
    sluice::leaf_values<double> values;
    values.parameters.assign(3, &number);
    values.settings.push_back(&number);
    auto const pool = std::make_shared<sluice::memory_pool<double, kernels>>();
    sluice::transfers<double, kernels> sent(pool);
    auto const there = values.send(found, all::graph, extents, sent);
    CHECK(there.parameters == values.parameters);
    CHECK(there.settings == values.settings);
}

} // namespace leaves_test
