// SPDX-License-Identifier: BSL-1.0
#include <graph/cells.hpp>
#include <sluice/plan/print_plan.hpp>
#include <support/both.hpp>

namespace print_plan_test {

TEST_CASE("print: the plan of the minimal gated unit") {
    BOTH(sluice::print_plan<cells::page_of<cells::mgu>>().view() == R"(forward
  before the loop
    x [W_f W_n] : [T B, input] x [input, 2 units]
  loop
    h R_f : [B, units] x [units, units]
    block of [B, units]
      f = sigmoid(x W_f + h R_f + b_f)
      v1 = f . h
    v1 R_n : [B, units] x [units, units]
    block of [B, units]
      n = tanh(x W_n + v1 R_n + b_n)
      next(h) = (1 - f) . h + f . n
  a step by itself
    every second one: h R_f, x [W_f W_n]
    in registers, where it is short: x [W_f W_n], h R_f, v1 R_n
  memory
    1  [T, B, 2 units]  x W_f, x W_n
    2  [B, units]  h R_f
    3  [B, units]  f
    4  [B, units]  v1
    5  [B, units]  v1 R_n, in the memory of 2
    6  [T + 1, B, units]  next(h)
)");
}

TEST_CASE("print: the gradient of the minimal gated unit") {
    BOTH(sluice::print_gradient<cells::page_of<cells::mgu>>().view() == R"(f = sigmoid(x W_f + h R_f + b_f)
n = tanh(x W_n + (f . h) R_n + b_n)
v1 = 1 - f
next(h) = v1 . h + f . n
v2 = d(output) + d(next(h))
v3 = v2 . f . (1 - n . n)
d(b_n) = total(v3)
v4 = v3 R_n^T
d(R_n) = outer(f . h, v3)
v5 = (v2 . n - v2 . h + v4 . h) . f . v1
d(b_f) = total(v5)
d(R_f) = outer(h, v5)
v6 = [v5, v3]
d(x) = v6 [W_f W_n]^T
v7 = outer(x, v6)
d(W_f) = v7[0 : units]
d(W_n) = v7[units : 2 units]
d(h) = v2 . v1 + v4 . f + v5 R_f^T
)");
}

/// A plan made by hand of a graph made by hand: y = sum(x W) spread over units, in groups, with a shared
/// slot.
TEST_CASE("print: a plan made by hand") {
    using namespace sluice;
    sluice::graph g;
    g.operations = rows_of(built_in_operations{});
    int const units = intern_width(g, width(symbol::units)),
              own = intern_width(g, {symbol::own, 0, name("context")}),
              two = intern_width(g, width(std::size_t(2)));
    axes const row{.time = true, .row = true, .columns = own}, column{.time = true, .row = true};
    int const x = g.add({.kind = op::input, .shape = row, .index = g.intern(name("x"))});
    int const w = g.add({.kind = op::parameter,
                         .shape = {.columns = units, .rows = own, .groups = two},
                         .index = g.intern(name("W"))});
    int const a =
        g.add({.kind = op::product, .shape = {.time = true, .row = true, .columns = units}}, {x, w});
    int const s = g.add({.kind = op::reduce, .shape = column, .function = f_sum}, {a});
    plan p;
    p.widths = g.widths;
    p.parts = g.parts;
    p.tasks.push_back({.kind = task_kind::product, .node = a, .weight = w, .columns = units});
    p.tasks.push_back({.kind = task_kind::block, .when = phase::after, .block = 0});
    p.blocks.push_back(
        {.when = phase::after, .columns = units, .loads = {0, 1}, .code = {0, 1}, .stores = {0, 1}});
    p.loads.push_back({a});
    p.registers.push_back(0);
    p.code.push_back(
        {.kind = op::reduce, .function = f_sum, .operands = {0, 1}, .per_row = true, .columns = units});
    p.stores.push_back({1, {.buffer = 1}, true, s});
    p.buffers.push_back({.columns = units, .tape = true, .slot = 0});
    p.buffers.push_back({.tape = true, .delay = 2, .slot = 1});
    p.buffers.push_back({.columns = units, .row = false, .slot = 0});
    p.places = {{.buffer = 0}, {.buffer = 1}};
    p.places_of = {{}, {}, {0, 1}, {1, 1}};
    p.wanted.push_back({s});
    p.odd = {0, 1};
    p.tasks[0].stays = true;
    CHECK(print_plan(view_of(p), g.seen()).view() == R"(forward
  before the loop
    x (x) W : [T B, context] x [context, units] in 2 groups
  after the loop
    block of [T B, units]
      v1 = sum(x (x) W)
  a step by itself
    in registers, where it is short: x (x) W
  memory
    1  [T, B, units]  x (x) W
    2  [T + 2, B, 1]  v1
    3  [units], in the memory of 1
)");
}

} // namespace print_plan_test
