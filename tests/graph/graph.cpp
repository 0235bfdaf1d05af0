// SPDX-License-Identifier: BSL-1.0
// Graphs: a node that is there is not added again, whatever else of it differs makes another, and only the
// first problem stays.
#include <doctest/doctest.h>
#include <sluice/graph/graph.hpp>
#include <support/both.hpp>

namespace graph_test {

using namespace sluice;

namespace {

constexpr axes row{.time = true, .row = true, .columns = 0};

/// Leaves x and h, and the functions 0 and 1. Function 0 is cheap.
struct start {
    graph g{};
    int x, h;

    constexpr start() {
        g.intern(width(std::size_t(3)));
        g.operations = {operation_row{.called = name("add"), .cheap = true},
                        operation_row{.called = name("exp")}};
        x = g.add({.kind = op::input, .shape = row, .index = g.intern(name("x"))});
        h = g.add({.kind = op::state, .shape = row, .index = g.intern(name("h"))});
    }
    constexpr int function(int which, std::initializer_list<int> operands) {
        return g.add({.kind = op::pointwise, .shape = row, .function = which}, operands);
    }
};

} // namespace

TEST_CASE("graph: a node with the same operands is there once, the order of operands makes another") {
    constexpr bool is_so = [] {
        start s;
        int const sum = s.function(0, {s.x, s.h});
        return sum == s.function(0, {s.x, s.h}) && sum != s.function(0, {s.h, s.x}) &&
               sum != s.function(1, {s.x, s.h}) && sum != s.function(0, {s.x}) && s.g.size() == 6;
    }();
    BOTH(is_so);
    start s;
    int const sum = s.function(0, {s.x, s.h});
    CHECK(s.g.operand(sum) == s.x);
    CHECK(s.g.operand(sum, 1) == s.h);
    CHECK(s.g.operands_of(sum).size() == 2);
    for (int i = 0; i < 1000; ++i) // more than there are hashes
        CHECK(s.g.add({.kind = op::number, .value = i / 8.0}) == 3 + i);
    for (int i = 0; i < 1000; ++i)
        CHECK(s.g.add({.kind = op::number, .value = i / 8.0}) == 3 + i);
    CHECK(s.function(0, {s.x, s.h}) == sum);
}

TEST_CASE("graph: whatever tells two values apart makes two nodes") {
    start s;
    auto const differ = [&](node const& a, node const& b, std::initializer_list<int> operands = {}) {
        int const first = s.g.add(a, operands), second = s.g.add(b, operands);
        CHECK(s.g.add(a, operands) == first);
        return first != second;
    };
    CHECK(differ({.kind = op::parameter, .index = 5}, {.kind = op::parameter, .index = 6}));
    CHECK(differ({.kind = op::parameter, .index = 7}, {.kind = op::parameter, .index = 7, .is_bias = true}));
    CHECK(differ({.kind = op::parameter, .index = 8}, {.kind = op::parameter, .index = 8, .fixed = true}));
    CHECK(differ({.kind = op::setting, .index = 9}, {.kind = op::setting, .index = 9, .has_default = true}));
    CHECK(differ({.kind = op::number, .value = 1}, {.kind = op::number, .value = -1}));
    CHECK(differ({.kind = op::cotangent, .index = 1, .order = 1},
                 {.kind = op::cotangent, .index = 1, .order = 2}));
    CHECK(differ({.kind = op::reduce_groups, .function = 1, .groups = 0},
                 {.kind = op::reduce_groups, .function = 1}, {s.x}));
    CHECK(differ({.kind = op::slice, .shape = row, .from = 0}, {.kind = op::slice, .shape = row}, {s.x}));
    // of these the axes follow from nothing else, of a function they do
    axes const column{.time = true, .row = true};
    for (op const kind : {op::zero, op::total, op::spread, op::slice, op::concat, op::outer})
        CHECK(differ({.kind = kind, .shape = row}, {.kind = kind, .shape = column}, {s.h}));
    CHECK_FALSE(
        differ({.kind = op::product, .shape = row}, {.kind = op::product, .shape = column}, {s.x, s.h}));
}

TEST_CASE("graph: a copy of a graph finds what the first one has") {
    start s;
    int const sum = s.function(0, {s.x, s.h});
    graph copy(s.g.seen());
    CHECK(copy.size() == s.g.size());
    CHECK(copy.add({.kind = op::pointwise, .shape = row, .function = 0}, {s.x, s.h}) == sum);
    CHECK(copy.add({.kind = op::pointwise, .shape = row, .function = 1}, {s.x}) == s.g.size());
    CHECK(s.g.size() == sum + 1); // which it leaves as it was
    CHECK(copy.intern(name("h")) == s.g[s.h].index);
    CHECK(copy.intern(name("y")) == 2);
    CHECK(copy.name_of(s.x) == "x");
    CHECK(copy.name_of(sum).empty());
}

TEST_CASE("graph: what is cheap, a number, carried or a problem") {
    start s;
    int const sum = s.function(0, {s.x, s.h}), exp = s.function(1, {s.x}),
              two = s.g.add({.kind = op::number, .value = 2});
    CHECK(s.g.is_cheap(sum));
    CHECK_FALSE(s.g.is_cheap(exp));
    CHECK_FALSE(s.g.is_cheap(s.x));
    CHECK(s.g.is(exp, 1));
    CHECK(s.g.is_number(two, 2));
    CHECK_FALSE(s.g.is_number(two, -2));
    s.g.results.push_back({.kind = role::output, .at = sum});
    s.g.results.push_back({.kind = role::next, .called = 1, .at = exp});
    int const of_output = s.g.add({.kind = op::cotangent, .index = 0, .order = 1}),
              of_next = s.g.add({.kind = op::cotangent, .index = 1, .order = 1});
    s.g.results.push_back({.kind = role::gradient, .at = sum, .of = of_next});
    s.g.results.push_back({.kind = role::gradient, .at = sum, .of = of_output});
    int const second = s.g.add({.kind = op::cotangent, .index = 2, .order = 2}),
              other = s.g.add({.kind = op::cotangent, .index = 3, .order = 2});
    CHECK(s.g.is_carried(s.h));
    CHECK_FALSE(s.g.is_carried(s.x));
    CHECK(s.g.is_carried(of_next));
    CHECK_FALSE(s.g.is_carried(of_output));
    CHECK(s.g.is_carried(second));
    CHECK_FALSE(s.g.is_carried(other));
    s.g.report({.why = reason::unknown_gate, .gate = name("f")});
    s.g.report({.why = reason::circular_gate, .gate = name("g")});
    CHECK(s.g.trouble.gate == name("f"));
}

TEST_CASE("graph: the axes of both operands, where an open width gives way to one that is known") {
    constexpr axes column{.time = true, .row = true}, vector{.columns = 4},
        open{.row = true, .columns = open_axis};
    BOTH(broadcast(column, vector) == axes{.time = true, .row = true, .columns = 4});
    BOTH(broadcast(vector, column) == broadcast(column, vector));
    BOTH(broadcast(open, vector).columns == 4);
    BOTH(broadcast(vector, open).columns == 4);
    BOTH(broadcast(open, column).columns == open_axis);
    BOTH(broadcast(axes{.rows = open_axis}, axes{.rows = 2}).rows == 2);
    BOTH(broadcast(axes{.groups = 3}, axes{}).groups == 3);
    BOTH(broadcast(axes{}, axes{.groups = 3}).groups == 3);
    BOTH(axes{}.is_scalar());
    BOTH(!column.is_scalar());
    BOTH(is_leaf(op::zero));
    BOTH(!is_leaf(op::features));
    BOTH(is_in_blocks(op::scan));
    BOTH(!is_in_blocks(op::slice));
}

} // namespace graph_test
