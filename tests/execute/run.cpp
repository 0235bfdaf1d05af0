// SPDX-License-Identifier: BSL-1.0
// Graphs that are made here, run by their plans, on the host and on a device, and by the reference: what no
// cell of the stock has, too.
#include <doctest/doctest.h>
#include <sluice/expr/activation.hpp>
#include <sluice/expr/reduction.hpp>
#include <sluice/expr/scan.hpp>
#include <sluice/graph/rules.hpp>
#include <support/device.hpp>
#include <support/graph_runs.hpp>

namespace run_test {

using namespace sluice;

namespace {

using operations =
    operation_list<operation::add, operation::subtract, operation::multiply, operation::divide,
                   operation::negate, operation::copy, operation::sum, activation::tanh, operation::maximum,
                   operation::exceeds, operation::largest, operation::equal, operation::cumulative_sum,
                   operation::reverse_cumulative_sum>;
constexpr int f_tanh = operations::find<activation::tanh>();
constexpr int f_max = operations::find<operation::maximum>();
constexpr int f_largest = operations::find<operation::largest>();
constexpr int f_cumsum = operations::find<operation::cumulative_sum>();
constexpr int f_reverse_cumsum = operations::find<operation::reverse_cumulative_sum>();

/// Writes graphs by hand; shapes follow from the operands.
struct writer {
    graph g{};
    int names = 0;

    writer() { g.operations = rows_of(operations{}); }
    int w(width const& width) { return g.intern(width); }
    int leaf(op kind, axes const& shape) {
        g.names.push_back(name(std::string_view("n" + std::to_string(names))));
        return g.add({.kind = kind, .shape = shape, .index = names++});
    }
    int input(width const& c) { return leaf(op::input, {true, true, w(c)}); }
    int state(width const& c) { return leaf(op::state, {true, true, w(c)}); }
    int vector(width const& c) { return leaf(op::parameter, {false, false, w(c)}); }
    int scalar() { return leaf(op::parameter, {}); }
    int setting() { return leaf(op::setting, {}); }
    int matrix(width const& r, width const& c) { return leaf(op::parameter, {false, false, w(c), w(r)}); }
    int grouped(width const& r, width const& c, width const& groups) {
        return leaf(op::parameter, {false, false, w(c), w(r), w(groups)});
    }
    int number(double v) { return g.add({.kind = op::number, .value = v}); }
    int f(int function, int a, int b) {
        return g.add(
            {.kind = op::pointwise, .shape = broadcast(g[a].shape, g[b].shape), .function = function},
            {a, b});
    }
    int f(int function, int a) {
        return g.add({.kind = op::pointwise, .shape = g[a].shape, .function = function}, {a});
    }
    int reduce(int function, int a) {
        axes shape = g[a].shape;
        shape.columns = no_axis;
        return g.add({.kind = op::reduce, .shape = shape, .function = function}, {a});
    }
    int sum(int a) { return reduce(f_sum, a); }
    int scan(int function, int a) {
        return g.add({.kind = op::scan, .shape = g[a].shape, .function = function}, {a});
    }
    int features(int a) { return g.add({.kind = op::features}, {a}); }
    int product(int a, int m) {
        axes shape = g[a].shape;
        shape.columns = g[m].shape.columns;
        return g.add({.kind = op::product, .shape = shape}, {a, m});
    }
    int transposed(int m) {
        axes shape = g[m].shape;
        std::swap(shape.rows, shape.columns);
        return g.add({.kind = op::transpose, .shape = shape}, {m});
    }
    int concat(std::initializer_list<int> parts) {
        axes shape = g[*parts.begin()].shape;
        list<int> widths, all;
        for (int part : parts) {
            int const p = g[part].shape.is_matrix() ? part : f(f_copy, part);
            all.push_back(p);
            widths.push_back(g[p].shape.columns);
            shape = broadcast(shape, g[p].shape);
        }
        shape.columns = g.sum_of_widths(widths);
        return g.add({.kind = op::concat, .shape = shape}, view<int>(all));
    }
    int slice(int a, std::size_t from, std::size_t columns) {
        axes shape = g[a].shape;
        shape.columns = w(columns);
        return g.add({.kind = op::slice, .shape = shape, .from = from == 0 ? -1 : w(from)}, {a});
    }
    void output(int at) { g.results.push_back({.kind = role::output, .at = at}); }
    void next(int state, int at) {
        g.results.push_back({.kind = role::next, .called = g[state].index, .at = at});
    }
};

constexpr sizes cell_sizes{.input = 5, .units = 6, .projection = 4, .groups = 2};

template <class Kernels>
void check(graph const& g, bool fused) {
    CAPTURE(fused);
    static derivative_rules_table const rules = derivative_rules(operations{});
    support::graph_runs<operations, Kernels> const runs(fused ? fuse(g.seen()) : without_fusing(g.seen()),
                                                        rules, cell_sizes);
    std::vector<std::vector<std::size_t>> const all{{}, {4, 4, 4}, {3, 0, 4}, {1, 2, 3}, {0, 0, 0}};
    for (std::size_t k = 0; k < 2 * all.size(); ++k) {
        auto const& lengths = all[k / 2];
        auto data = runs.random_data(4, 3, "data");
        data.lengths = lengths;
        bool const resets = k % 2 == 1;
        CAPTURE(resets);
        if (resets)
            data.reset_rows("resets" + std::to_string(k));
        CAPTURE(lengths.size());
        if (!lengths.empty())
            CAPTURE(lengths[0]);
        auto const expected = runs.reference(data);
        auto const planned = runs.planned(data);
        auto const inferred = runs.inferred(data);
        CHECK(support::worst_distance(planned.results, expected.results) < 1e-12);
        CHECK(support::worst_distance(inferred.results, expected.results) < 1e-12);
        CHECK(support::worst_distance(planned.gradients, expected.gradients) < 1e-11);
    }
    for (auto const& [steps, batch] : {std::pair(0, 3), {1, 1}, {7, 2}}) {
        auto const data =
            runs.random_data(static_cast<std::size_t>(steps), static_cast<std::size_t>(batch), "more");
        auto const expected = runs.reference(data);
        CHECK(support::worst_distance(runs.planned(data).results, expected.results) < 1e-12);
        CHECK(support::worst_distance(runs.planned(data).gradients, expected.gradients) < 1e-11);
        CHECK(support::worst_distance(runs.inferred(data).results, expected.results) < 1e-12);
    }
}
void check(writer const& of) {
    for (bool fused : {true, false}) {
        check<sluice::xtensor::kernels>(of.g, fused);
        check<support::device_kernels>(of.g, fused);
    }
    CHECK(support::device_memory::alive == 0);
}

} // namespace

TEST_CASE("plans: a plain recurrent cell") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const a = g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)),
                      g.product(h, g.matrix(symbol::units, symbol::units)));
    int const next = g.f(f_tanh, g.f(f_add, a, g.vector(symbol::units)));
    g.output(next);
    g.next(h, next);
    check(g);
}

TEST_CASE("plans: gates, groups and a reset before the product") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    auto const gate = [&](bool grouped) {
        int const r = grouped ? g.grouped(symbol::units, symbol::units, std::size_t(2))
                              : g.matrix(symbol::units, symbol::units);
        return g.f(f_tanh, g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)), g.product(h, r)));
    };
    for (bool grouped : {false, true}) {
        int const r = gate(grouped), u = gate(grouped);
        int const n = g.f(f_tanh, g.product(g.f(f_multiply, r, h),
                                            g.grouped(symbol::units, symbol::units, std::size_t(3))));
        int const next =
            g.f(f_add, g.f(f_multiply, u, h), g.f(f_multiply, g.f(f_subtract, g.number(1), u), n));
        writer here = g;
        here.output(next);
        here.next(h, next);
        check(here);
    }
}

TEST_CASE("plans: reductions, columns, scalars, features: a layer norm between products") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const a = g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)),
                      g.product(h, g.matrix(symbol::units, symbol::units)));
    int const mean = g.f(f_divide, g.sum(a), g.features(a));
    int const d = g.f(f_subtract, a, mean);
    int const variance = g.f(f_divide, g.sum(g.f(f_multiply, d, d)), g.features(d));
    int const y = g.f(f_divide, d, g.f(f_add, variance, g.number(0.5)));
    int const n = g.f(f_tanh, g.f(f_add, g.f(f_multiply, g.vector(symbol::units), y), g.scalar()));
    int const next = g.f(f_multiply, n, g.f(f_tanh, g.sum(h)));
    g.output(g.f(f_multiply, g.f(f_tanh, next), g.setting()));
    g.next(h, next);
    check(g);
}

TEST_CASE("cumulative sums: of groups, of each other, of a parameter, side by side, and as the next state") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units), k = g.state(symbol::units);
    int const a = g.f(f_tanh, g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)),
                                  g.product(h, g.grouped(symbol::units, symbol::units, std::size_t(3)))));
    int const front = g.scan(f_cumsum, a);
    int const behind = g.scan(f_reverse_cumsum, g.f(f_multiply, front, k));
    int const both = g.concat({behind, g.scan(f_reverse_cumsum, g.vector(symbol::units))});
    int const next = g.scan(f_cumsum, g.f(f_tanh, g.product(behind, g.matrix(symbol::units, symbol::units))));
    g.output(g.f(f_subtract, both, g.sum(front)));
    g.next(h, next);
    g.next(k, g.f(f_tanh, g.scan(f_reverse_cumsum, h)));
    check(g);
}

TEST_CASE("plans: the larger of two, and the largest feature, less than it") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const a = g.product(x, g.matrix(symbol::input, symbol::units));
    int const larger = g.f(f_max, a, g.product(h, g.matrix(symbol::units, symbol::units)));
    int const next = g.f(f_tanh, g.f(f_subtract, larger, g.reduce(f_largest, larger)));
    g.output(next);
    g.next(h, next);
    check(g);
}

TEST_CASE("plans: the output is a column") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const next = g.f(f_tanh, g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)), h));
    g.output(g.f(f_tanh, g.sum(next)));
    g.next(h, next);
    check(g);
}

TEST_CASE("plans: what is carried backward is summed over time, and a delay of it too") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units), k = g.state(symbol::units);
    int const a = g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)), g.vector(symbol::units));
    int const next = g.f(f_add, g.f(f_add, a, g.product(h, g.matrix(symbol::units, symbol::units))), k);
    g.output(g.f(f_tanh, next));
    g.next(h, next);
    g.next(k, g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)), g.vector(symbol::units)));
    check(g);
    writer linear;
    int const s = linear.state(symbol::units);
    int const y =
        linear.f(f_add, linear.product(s, linear.matrix(symbol::units, symbol::units)),
                 linear.product(linear.input(symbol::input), linear.matrix(symbol::input, symbol::units)));
    linear.output(linear.f(f_tanh, s));
    linear.next(s, linear.f(f_add, y, linear.vector(symbol::units)));
    check(linear);
}

TEST_CASE("plans: states that are delays, constants or pass through") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units), k = g.state(symbol::units),
              l = g.state(symbol::input), m = g.state(symbol::units), unread = g.state(symbol::projection);
    int const r = g.matrix(symbol::units, symbol::units);
    int const a = g.f(f_add, g.product(x, g.matrix(symbol::input, symbol::units)), g.product(k, r));
    int const b = g.f(f_add, a, g.product(l, g.matrix(symbol::input, symbol::units)));
    int const next = g.f(f_tanh, g.f(f_add, g.f(f_add, b, m), g.product(h, r)));
    g.output(next);
    g.next(h, next);
    g.next(k, h); // two steps ago
    g.next(l, x);
    g.next(m, m);
    g.next(unread, g.product(next, g.matrix(symbol::units, symbol::projection)));
    check(g);
}

TEST_CASE("plans: the gradient of an input is that of a state, which rows that end early get later") {
    writer g;
    int const x = g.input(symbol::units), h = g.state(symbol::units);
    g.output(h);
    g.next(h, x);
    check(g);
}

TEST_CASE("plans: a state beside values that are not carried") {
    writer g;
    int const x = g.input(symbol::units), h = g.state(symbol::units), s = g.state(symbol::units);
    int const gate = g.f(f_tanh, s);
    g.output(h);
    g.next(h, g.f(f_add, x, g.product(g.concat({h, gate}), g.matrix(std::size_t(12), symbol::units))));
    g.next(s, gate);
    check(g);
}

TEST_CASE(
    "plans: two inputs, side by side and in parts, transposed and shared matrices, multiples of matrices") {
    writer g;
    int const x = g.input(symbol::input), c = g.input(std::size_t(3)), h = g.state(symbol::units);
    int const both = g.concat({x, c}), w = g.matrix(std::size_t(8), symbol::units);
    int const r = g.matrix(symbol::units, symbol::units);
    int const a =
        g.f(f_tanh, g.f(f_add, g.product(both, w), g.product(h, g.f(f_subtract, r, g.transposed(r)))));
    int const halves = g.concat({g.slice(a, 3, 3), g.slice(a, 0, 3)});
    int const back = g.product(g.f(f_multiply, halves, h), g.transposed(w));
    int const next =
        g.f(f_tanh, g.f(f_add, g.product(back, w), g.product(halves, g.f(f_multiply, r, g.setting()))));
    g.output(g.f(f_add, g.slice(next, 1, 3), c));
    g.next(h, next);
    check(g);
}

TEST_CASE("plans: no product in the loop") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const u = g.f(f_tanh, g.product(x, g.matrix(symbol::input, symbol::units)));
    int const n = g.product(x, g.matrix(symbol::input, symbol::units));
    int const next = g.f(f_add, g.f(f_multiply, u, h), g.f(f_multiply, g.f(f_subtract, g.number(1), u), n));
    g.output(g.product(next, g.matrix(symbol::units, symbol::projection)));
    g.next(h, next);
    check(g);
}

TEST_CASE("plans: a state that nobody reads") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const next = g.product(x, g.matrix(symbol::input, symbol::units));
    g.output(next);
    g.next(h, next);
    check(g);
}

TEST_CASE("plans: without a tape a run needs less memory") {
    writer g;
    int const x = g.input(symbol::input), h = g.state(symbol::units);
    int const u = g.f(f_tanh, g.product(h, g.matrix(symbol::units, symbol::units)));
    int const next = g.f(f_multiply, u, g.f(f_tanh, g.product(x, g.matrix(symbol::input, symbol::units))));
    g.output(g.f(f_tanh, g.sum(next)));
    g.next(h, next);
    support::graph_runs<operations> const runs(fuse(g.g.seen()), derivative_rules(operations{}), cell_sizes);
    auto const data = runs.random_data(50, 3, "data");
    CHECK(runs.numbers_without_tape(data) < runs.numbers_with_tape(data));
}

namespace {

int accumulating(plan const& p) {
    int count = 0;
    for (task const& t : p.tasks)
        count += t.accumulates();
    return count;
}
/// Blocks and products that accumulate, in the loop of the plan that keeps nothing.
struct work {
    int blocks = 0;
    int accumulating = 0;

    friend bool operator==(work const&, work const&) = default;
};
work inference(writer const& of) {
    graph const g = fuse(of.g.seen());
    plan const p = make_plan(forward_sweep(g.seen()));
    work found{.accumulating = accumulating(p)};
    for (task const& t : p.tasks)
        found.blocks += t.kind == task_kind::block && t.when == phase::loop;
    return found;
}

/// A state h, an input of its width, and functions of both.
struct sums : writer {
    int x = input(symbol::units), h = state(symbol::units);

    int square() { return matrix(symbol::units, symbol::units); }
    int scaled(int a) { return f(f_multiply, a, vector(symbol::units)); }
    int plus(int a, int b) { return f(f_add, a, b); }
    /// The next state, which is not the output: that would be kept for all time steps.
    void finish(int at) {
        output(f(f_tanh, h));
        next(h, at);
    }
};

} // namespace

TEST_CASE("plans: a product is added to what a block wrote in the place of the sum") {
    sums g;
    int const other = g.f(f_multiply, g.h, g.x);
    g.finish(g.plus(other, g.product(g.scaled(g.h), g.square())));
    CHECK(inference(g) == work{1, 1});
    check(g);
    sums whole; // kept for all time steps, and a part of something longer that is read in the loop
    int const sum = whole.plus(whole.f(f_multiply, whole.h, whole.x),
                               whole.product(whole.scaled(whole.h), whole.square()));
    int const both = whole.concat({sum, whole.scaled(whole.x)});
    whole.output(both);
    whole.next(whole.h, sum);
    check(whole);
}

TEST_CASE("two products of one sum: the first is written, the second added to it") {
    sums g;
    int const k = g.state(symbol::units);
    g.output(g.f(f_tanh, g.h));
    g.next(g.h, g.plus(g.product(g.scaled(g.h), g.square()), g.product(g.scaled(k), g.square())));
    g.next(k, g.f(f_tanh, g.f(f_add, g.h, g.x)));
    CHECK(inference(g) == work{1, 1});
    check(g);
    sums three; // and both are added to what a block wrote
    int const l = three.state(symbol::units);
    int const first =
        three.plus(three.f(f_multiply, three.h, l), three.product(three.scaled(three.h), three.square()));
    three.output(three.f(f_tanh, three.h));
    three.next(three.h, three.plus(first, three.product(three.scaled(l), three.square())));
    three.next(l, three.f(f_tanh, three.plus(three.h, three.x)));
    CHECK(inference(three) == work{1, 2});
    check(three);
}

TEST_CASE("plans: a product is not added to what somebody else reads, nor if it is read itself") {
    sums read; // what it would be added to: by the next output
    int const other = read.f(f_multiply, read.h, read.x);
    read.output(read.f(f_tanh, other));
    read.next(read.h, read.plus(other, read.product(read.scaled(read.h), read.square())));
    CHECK(inference(read).accumulating == 0);
    check(read);
    sums operand; // by the product
    int const left = operand.f(f_multiply, operand.h, operand.x);
    operand.finish(operand.plus(left, operand.product(left, operand.square())));
    CHECK(inference(operand).accumulating == 0);
    check(operand);
    sums part; // by the product, as a part of what that multiplies
    int const half = part.f(f_multiply, part.h, part.x);
    part.finish(part.plus(
        half, part.product(part.concat({half, part.h}), part.matrix(std::size_t(12), symbol::units))));
    CHECK(inference(part).accumulating == 0);
    check(part);
    sums twice; // the product, twice
    int const p = twice.product(twice.scaled(twice.h), twice.square());
    twice.finish(twice.plus(twice.f(f_multiply, twice.h, twice.x), twice.plus(p, p)));
    CHECK(inference(twice).accumulating == 0);
    check(twice);
    sums factor; // and once more after the sum
    int const q = factor.product(factor.scaled(factor.h), factor.square());
    factor.finish(factor.f(f_multiply, factor.plus(factor.f(f_multiply, factor.h, factor.x), q), q));
    CHECK(inference(factor).accumulating == 0);
    check(factor);
    sums hoisted; // what was computed before the loop
    hoisted.finish(hoisted.plus(hoisted.scaled(hoisted.x),
                                hoisted.product(hoisted.scaled(hoisted.h), hoisted.square())));
    CHECK(inference(hoisted).accumulating == 0);
    check(hoisted);
}

TEST_CASE("plans: a sum that a block computes anyway is left to it") {
    sums g;
    int const sum = g.plus(g.f(f_multiply, g.h, g.x), g.product(g.scaled(g.h), g.square()));
    g.finish(g.f(f_tanh, sum));
    CHECK(inference(g) == work{2, 0});
    check(g);
}

} // namespace run_test
