// SPDX-License-Identifier: BSL-1.0
// The stage of each instruction of a block, its moment in the stage, its kind, and how long its result is
// kept.
#include <sluice/plan/block_walk.hpp>

#include <array>
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/plan/plans.hpp>
#include <sstream>
#include <string>
#include <support/both.hpp>
#include <support/graph_text.hpp>
#include <support/own_block.hpp>
#include <utility>
#include <vector>

namespace block_walk_test {

namespace {

using namespace sluice::equation;
using kind = sluice::instruction_kind;
using sluice::moment;

constexpr auto n = gate<"n">;
constexpr auto z = input_of<units>;

/// A row is passed over three times: for the sum, for the largest of what the sum is in, and to write.
struct normed {
    static constexpr auto equations =
        sluice::lines(n = (z + h) / sum(z + h), next(h) = exp(n - max(n)) * tanh(n));
};
using plans = sluice::plans<normed>;
constexpr sluice::block_walk rows(plans::inference, 0);

template <int Registers>
constexpr auto uses_of(sluice::block_walk const& walk) {
    std::array<sluice::register_use, static_cast<std::size_t>(Registers)> all{};
    walk.find_uses(all.data());
    return all;
}
constexpr auto uses = uses_of<rows.registers()>(rows);
constexpr sluice::view<sluice::register_use> all_uses{uses.data(), rows.registers()};

/// The register that a function gives.
constexpr int register_of(std::string_view function) {
    for (int i = 0; i < rows.code.count; ++i)
        if (rows.code[i].function >= 0 &&
            plans::graph.operations[rows.code[i].function].called.view() == function)
            return rows.loads.count + i;
    return -1;
}
constexpr int r_sum = register_of("sum"), r_max = register_of("max"), r_exp = register_of("exp"),
              r_add = register_of("add"), r_divide = register_of("divide");

/// A row's sum and its square, stored for each column beside what is summed.
constexpr auto squared_sum =
    support::make_block({false}, {support::reduce(0, 0, 0), support::apply_to_row(1, 1, 1, 1)},
                        {{.from = 2}, {.from = 1}, {.from = 0}});
constexpr sluice::block_walk late(squared_sum, 0);
constexpr auto found_late = uses_of<3>(late);
constexpr sluice::view<sluice::register_use> late_uses{found_late.data(), late.registers()};

/// The blocks of the GRU's loop.
constexpr sluice::block_walk of_r(sluice::plans<sluice::gru>::inference, 0),
    of_next(sluice::plans<sluice::gru>::inference, 1);

/// How many instructions of a block are of a kind.
constexpr int count(sluice::block_walk const& walk, kind of) {
    int found = 0;
    for (sluice::instruction const& i : walk.code)
        found += sluice::kind_of(i) == of;
    return found;
}
/// How many are run for each column.
constexpr int count_for_columns(sluice::block_walk const& walk, int stage) {
    int found = 0;
    walk.for_each(moment::each_column, stage, [&](int) { ++found; });
    return found;
}

/// The walk over the only block of a sweep: of each stage the registers of its turns, then the registers
/// that are kept, the stores and whether it looks at the columns.
std::string walk_of(std::string const& text) {
    auto const of = graph_text::sweep_of(text);
    sluice::plan const p = sluice::make_plan(of.s);
    REQUIRE(p.blocks.size() == 1);
    sluice::block_walk const walk(sluice::view_of(p), 0);
    std::vector<sluice::register_use> found(static_cast<std::size_t>(walk.registers()));
    walk.find_uses(found.data());
    sluice::view<sluice::register_use> const seen{found.data(), walk.registers()};
    std::ostringstream out;
    for (int stage = 0; stage < walk.stages; ++stage) {
        auto const say = [&](char const* word, moment when) {
            if (walk.has(when, stage))
                out << ' ' << word;
            walk.for_each(when, stage, [&](int i) { out << ' ' << walk.loads.count + i; });
        };
        out << stage << ':';
        say("before", moment::before_columns);
        say("each", moment::each_column);
        say("over", moment::over_columns);
        say("after", moment::after_columns);
        for (int i = 0; i < walk.stores.count; ++i)
            if (!walk.stores[i].per_row && walk.stage_of_store(i, seen) == stage)
                out << " store " << walk.stores[i].from;
        out << (walk.has_columns(stage, seen) ? "\n" : " no columns\n");
    }
    for (int r = 0; r < walk.registers(); ++r)
        if (seen[r].is_read_later())
            out << r << " from " << seen[r].first << " to " << seen[r].last << '\n';
    return out.str();
}

} // namespace

TEST_CASE("block walk: a block of the GRU has one stage, in which all is done for each column") {
    BOTH(of_r.stages == 1);
    BOTH(of_next.stages == 1);
    BOTH(of_r.is_elementwise());
    BOTH(of_next.is_elementwise());
    BOTH(of_next.registers() == of_next.loads.count + of_next.code.count);
    BOTH(of_next.loads.count == 7);
    BOTH(of_next.stores.count == 1);
    BOTH(count(of_next, kind::constant) == 1);
    BOTH(count(of_r, kind::constant) == 0);
    BOTH(count(of_next, kind::function) == of_next.code.count - 1);
    BOTH(count_for_columns(of_next, 0) == of_next.code.count - 1); // all but the number 1
    BOTH(of_next.has(moment::before_columns, 0));
    BOTH(!of_r.has(moment::before_columns, 0));
    BOTH(!of_next.has(moment::over_columns, 0));
    BOTH(!of_next.has(moment::after_columns, 0));
    BOTH(!of_r.is_per_row(0));
    BOTH(!of_r.is_per_row(of_r.loads.count));
    BOTH(of_next.operand(of_next.code.count - 1, 1) == of_next.registers() - 2); // u . h + (1 - u) . n
}

TEST_CASE("block walk: blocks are alike whose kernels do the same, wherever their operands lie") {
    using support::make_block, support::apply, support::number;
    static constexpr auto block =
        make_block({false, false}, {number(2), apply(1, 0, 0, 2), apply(0, 0, 3, 1)}, {{.from = 4}});
    constexpr sluice::block_walk walk(block, 0);
    auto const is_like = [&](sluice::plan_view const& other) {
        sluice::block_walk const two(other, 0);
        CHECK(walk.is_like(two) == two.is_like(walk));
        return walk.is_like(two);
    };
    auto copy = block;
    copy.stores.all[0].node = 9;
    copy.stores.all[0].to = {.buffer = 3, .offset = 1};
    copy.loads.all[0].node = 5;
    CHECK(is_like(copy));
    copy.code.all[0].value = 2.5;
    CHECK(!is_like(copy));

    auto const differs = [&](auto change) {
        auto other = block;
        change(other);
        return !is_like(other);
    };
    CHECK(differs([](auto& b) { b.loads.all[1].per_row = true; }));
    CHECK(differs([](auto& b) { b.loads.all[1].how = sluice::lies::in_rows; }));
    CHECK(differs([](auto& b) { b.stores.all[0].from = 3; }));
    CHECK(differs([](auto& b) { b.stores.all[0].per_row = true; }));
    CHECK(differs([](auto& b) { b.stores.all[0].how = sluice::lies::in_columns; }));
    CHECK(differs([](auto& b) { b.blocks.all[0].stages = 2; }));
    CHECK(differs([](auto& b) { b.blocks.all[0].code.count = 2; }));
    CHECK(differs([](auto& b) { b.code.all[1].kind = sluice::op::spread; }));
    CHECK(differs([](auto& b) { b.code.all[1].function = 0; }));
    CHECK(differs([](auto& b) { b.code.all[1].per_row = true; }));
    CHECK(differs([](auto& b) { b.code.all[2].stage = 1; }));
    CHECK(differs([](auto& b) { b.code.all[2].operands.count = 1; }));
    CHECK(differs([](auto& b) { std::swap(b.registers.all[2], b.registers.all[3]); }));

    // Numbers are compared by their bits.
    static constexpr auto zero = make_block({false}, {number(0.), apply(0, 0, 0, 1)}, {{.from = 2}});
    static constexpr auto minus = make_block({false}, {number(-0.), apply(0, 0, 0, 1)}, {{.from = 2}});
    BOTH(!sluice::block_walk(zero, 0).is_like(sluice::block_walk(minus, 0)));
    BOTH(sluice::block_walk(minus, 0).is_like(sluice::block_walk(minus, 0)));
}

TEST_CASE("block walk: what reads a reduction is run in the stage after it") {
    BOTH(rows.loads.count == 2);
    BOTH(rows.stores.count == 1);
    BOTH(rows.stages == 3);
    BOTH(rows.waits_for_row());
    BOTH(!rows.is_elementwise());
    BOTH(rows.runs(r_sum - 2, moment::over_columns, 0));
    BOTH(rows.runs(r_max - 2, moment::over_columns, 1));
    BOTH(!rows.runs(r_sum - 2, moment::over_columns, 1));
    BOTH(!rows.runs(r_sum - 2, moment::each_column, 0));
    BOTH(rows.runs(r_divide - 2, moment::each_column, 1));
    BOTH(rows.runs(r_exp - 2, moment::each_column, 2));
    BOTH(rows.has(moment::over_columns, 0));
    BOTH(rows.has(moment::over_columns, 1));
    BOTH(!rows.has(moment::over_columns, 2));
    BOTH(rows.is_per_row(r_sum));
    BOTH(rows.is_per_row(r_max));
    BOTH(!rows.is_per_row(r_exp));
    BOTH(!rows.is_row_function(r_max));
    BOTH(!rows.is_row_function(0));
}

TEST_CASE("block walk: an element is kept from its own stage to the last one that reads it") {
    BOTH(all_uses[r_add].first == 0);
    BOTH(all_uses[r_add].last == 1);
    BOTH(all_uses[r_add].is_read_later());
    BOTH(all_uses[r_divide].first == 1);
    BOTH(all_uses[r_divide].last == 2);
    BOTH(all_uses[r_divide].is_read_later());
    BOTH(!all_uses[r_exp].is_read_later());
    BOTH(!all_uses[r_sum].is_read_later());
    BOTH(all_uses[r_sum].per_row); // it is no element
    BOTH(all_uses[0].first == 0);
    BOTH(all_uses[0].last == 0);
    BOTH(!all_uses[0].is_read_later());
    BOTH(rows.stage_of_store(0, all_uses) == 2);
    BOTH(rows.has_columns(0, all_uses));
    BOTH(rows.has_columns(1, all_uses));
    BOTH(rows.has_columns(2, all_uses));
}

TEST_CASE("block walk: numbers of the row are made before the columns of their stage") {
    CHECK(walk_of(R"(
        x = input [T B units]
        c = input [T B]
        h = state [T B units]
        v1 = add x h [T B units]
        v2 = max v1 [T B]
        v3 = exp v2 [T B]
        v4 = features v1 []
        v5 = divide v3 v4 [T B]
        v6 = multiply v1 v5 [T B units]
        v7 = multiply v6 c [T B units]
        gives output v7
        gives next(h) v7
    )") == "0: before 3 each 4 over 5\n"
           "1: before 6 7 each 8 9 store 9\n"
           "4 from 0 to 1\n");
}

TEST_CASE("block walk: a function of the row is made after the columns of its operand, and is there later") {
    CHECK(walk_of(R"(
        x = input [T B units]
        h = state [T B units]
        v1 = add x h [T B units]
        v2 = cumsum v1 [T B units]
        v3 = multiply v2 x [T B units]
        gives output v3
        gives next(h) v3
    )") == "0: each 2 after 3\n"
           "1: each 4 store 3 store 4\n"
           "0 from 0 to 1\n"
           "2 from 0 to 1\n");
    CHECK(walk_of(R"(
        x = input [T B units]
        h = state [T B units]
        v1 = sum h groups 4 [T B units]
        v2 = multiply v1 x [T B units]
        gives output v2
        gives next(h) v2
    )") == "0: after 2\n"
           "1: each 3 store 2 store 3\n"
           "1 from 0 to 1\n");
}

TEST_CASE("block walk: a number of the row that is stored for each column is stored in the last stage") {
    BOTH(late.is_per_row(2));
    BOTH(late.stage_of_store(0, late_uses) == 1);
    BOTH(late.stage_of_store(1, late_uses) == 1); // the sum, which stage 0 makes
    BOTH(late.stage_of_store(2, late_uses) == 0); // the element itself
    BOTH(late.has_columns(0, late_uses));
    BOTH(late.has_columns(1, late_uses)); // for the store alone
    BOTH(!late.has(moment::each_column, 1));
}

TEST_CASE("block walk: each kind of instruction has its moment, and no other kind is one") {
    using sluice::instruction, sluice::op;
    BOTH(sluice::kind_of({.kind = op::number}) == kind::constant);
    BOTH(sluice::kind_of({.kind = op::features}) == kind::count);
    BOTH(sluice::kind_of({.kind = op::spread}) == kind::copy);
    BOTH(sluice::kind_of({.kind = op::pointwise}) == kind::function);
    BOTH(sluice::kind_of({.kind = op::reduce}) == kind::reduction);
    BOTH(sluice::kind_of({.kind = op::reduce_groups}) == kind::groups);
    BOTH(sluice::kind_of({.kind = op::scan}) == kind::scan);
    BOTH(sluice::moment_of({.kind = op::pointwise}) == moment::each_column);
    BOTH(sluice::moment_of({.kind = op::pointwise, .per_row = true}) == moment::before_columns);
    BOTH(sluice::moment_of({.kind = op::reduce, .per_row = true}) == moment::over_columns);
    BOTH(sluice::moment_of({.kind = op::reduce_groups}) == moment::after_columns);
    BOTH(sluice::moment_of({.kind = op::scan}) == moment::after_columns);
    for (op const other : {op::product, op::slice, op::input, op::reference})
        CHECK_THROWS_AS((void)sluice::kind_of({.kind = other}), std::logic_error);
}

} // namespace block_walk_test
