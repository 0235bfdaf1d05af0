// SPDX-License-Identifier: BSL-1.0
// The interpreter of blocks, of programs that the planner makes of graphs in text, against loops that are
// written here.
#include <sluice/execute/interpret.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/dense.hpp>
#include <sluice/core/half.hpp>
#include <sluice/expr/scan.hpp>
#include <sluice/plan/make_plan.hpp>
#include <support/graph_text.hpp>
#include <vector>

namespace interpret_test {

namespace {

using operations = graph_text::operations;
using operand = sluice::block_frame<double>::operand;
using numbers = std::vector<double>;

/// The only block of a sweep.
struct block {
    graph_text::owned_sweep of;
    sluice::plan plan;

    explicit block(std::string const& text) : of(graph_text::sweep_of(text)), plan(sluice::make_plan(of.s)) {
        REQUIRE(plan.blocks.size() == 1);
    }
    block(block const&) = delete;

    template <class S>
    void run(std::vector<typename sluice::block_frame<S>::operand> const& loads,
             std::vector<typename sluice::block_frame<S>::operand> const& stores, std::size_t rows,
             std::size_t columns, sluice::sizes const& n = {}) const {
        sluice::plan_view const p = sluice::view_of(plan);
        REQUIRE(static_cast<int>(loads.size()) == p.blocks[0].loads.count);
        REQUIRE(static_cast<int>(stores.size()) == p.blocks[0].stores.count);
        std::vector<std::size_t> counts;
        for (sluice::instruction const& i : p.code.part(p.blocks[0].code.first, p.blocks[0].code.count))
            counts.push_back(p.features(i, n));
        sluice::interpret_block<operations, S>(p, 0,
                                               {.loads = loads.data(),
                                                .stores = stores.data(),
                                                .rows = rows,
                                                .columns = columns,
                                                .counts = counts.data()});
    }
};

operand dense(numbers& data, std::size_t columns) {
    return {.data = data.data(), .row = columns, .width = columns};
}

} // namespace

TEST_CASE("interpret: sums of a row so far, from either end") {
    numbers const z{1, -2, 4, 0.5};
    numbers y(4);
    double const* const rows[] = {z.data()};
    sluice::scan_row<sluice::operation::cumulative_sum>(rows, 4, y.data());
    CHECK(y == numbers{1, -1, 3, 3.5});
    sluice::scan_row<sluice::operation::reverse_cumulative_sum>(rows, 4, y.data());
    CHECK(y == numbers{3.5, 2.5, 4.5, 0.5});
    sluice::scan_row<sluice::operation::cumulative_sum>(rows, 0, y.data());
    CHECK(y[0] == 3.5); // nothing is written
}

TEST_CASE("interpret: reductions of a row, of nothing and within groups") {
    numbers const z{1, -2, 4, 0.5, 7, -9};
    constexpr int sum = operations::find<sluice::operation::sum>(),
                  largest = operations::find<sluice::operation::largest>();
    CHECK(sluice::apply_reduction<operations>(sum, z.data(), 6) == 1.5);
    CHECK(sluice::apply_reduction<operations>(largest, z.data(), 6) == 7);
    CHECK(sluice::apply_reduction<operations>(sum, z.data(), 0) == 0);
    CHECK(std::isinf(sluice::apply_reduction<operations>(largest, z.data(), 0)));
    numbers y(6);
    double const* const rows[] = {z.data()};
    sluice::apply_to_row<operations>(sluice::op::reduce_groups, largest, rows, 6, 3, y.data());
    CHECK(y == numbers{4, 4, 4, 7, 7, 7});
}

TEST_CASE("interpret: a row of operands, some of which are one number for all columns") {
    block const b(R"(
        x = input [T B units]
        c = input [T B]
        h = state [T B units]
        v1 = multiply x c [T B units]
        v2 = add v1 h [T B units]
        v3 = tanh v2 [T B units]
        gives output v3
        gives next(h) v3
    )");
    for (std::size_t const columns : {1u, 3u}) {
        numbers x(2 * columns), h(2 * columns), c{0.5, -2}, y(2 * columns);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = 0.3 * static_cast<double>(i) - 0.4, h[i] = 0.1 - 0.2 * static_cast<double>(i * i);
        std::vector<operand> loads;
        for (sluice::block_load const& l : b.plan.loads)
            loads.push_back(l.node == b.of["c"]   ? dense(c, 1)
                            : l.node == b.of["x"] ? dense(x, columns)
                                                  : dense(h, columns));
        b.run<double>(loads, {dense(y, columns)}, 2, columns, {.units = columns});
        for (std::size_t i = 0; i < y.size(); ++i)
            CHECK(y[i] == std::tanh(x[i] * c[i / columns] + h[i]));
    }
}

TEST_CASE("interpret: what reads a reduction comes after it, and features are counted") {
    block const b(R"(
        x = input [T B units]
        h = state [T B units]
        v1 = add x h [T B units]
        v2 = sum v1 [T B]
        v3 = features v1 []
        v4 = divide v2 v3 [T B]
        v5 = subtract v1 v4 [T B units]
        gives output v5
        gives next(h) v5
    )");
    numbers x{1, 2, 6}, h{0, 0, 0}, y(3);
    b.run<double>({dense(x, 3), dense(h, 3)}, {dense(y, 3)}, 1, 3, {.units = 3});
    CHECK(y == numbers{-2, -1, 3});
}

TEST_CASE("interpret: columns lie in pieces where operands say so, and rows apart") {
    block const b(R"(
        x = input [T B 4]
        h = state [T B 4]
        v1 = add x h [T B 4]
        gives output v1
        gives next(h) v1
    )");
    numbers x{1, 2, -1, -1, 3, 4, -1, 5, 6, -1, -1, 7, 8, -1}, h{10, 20, 30, 40}, y(10, 99);
    // x: pieces of two columns, four numbers apart, rows seven apart; h: the same row for all; y: five apart
    b.run<double>(
        {{.data = x.data(), .row = 7, .width = 2, .group = 4}, {.data = h.data(), .row = 0, .width = 4}},
        {{.data = y.data(), .row = 5, .width = 4}}, 2, 4);
    CHECK(y == numbers{11, 22, 33, 44, 99, 15, 26, 37, 48, 99});
}

TEST_CASE("interpret: narrow numbers are widened, and each is rounded once") {
    using narrow = sluice::bfloat16;
    block const b(R"(
        x = input [T B 1]
        k = setting []
        v1 = multiply x k [T B 1]
        v2 = multiply v1 k [T B 1]
        gives output v2
    )");
    narrow x = sluice::rounded<narrow>(1.0078125f), y{};
    float const k = 1.001f;
    std::vector<sluice::block_frame<narrow>::operand> loads;
    for (sluice::block_load const& l : b.plan.loads)
        if (l.node == b.of["x"])
            loads.push_back({.data = &x, .row = 1, .width = 1});
        else
            loads.push_back({.number = k}); // a setting lies nowhere
    b.run<narrow>(loads, {{.data = &y, .row = 1, .width = 1}}, 1, 1);
    CHECK(widened(y) == widened(sluice::rounded<narrow>(1.0078125f * k * k)));
}

} // namespace interpret_test
