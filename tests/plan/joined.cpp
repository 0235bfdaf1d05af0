// SPDX-License-Identifier: BSL-1.0
// Which loops join the last pass of a step with the first one of the next, and what that block is.
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/plan/joined.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/plan/print_plan.hpp>
#include <support/both.hpp>
#include <support/matrix_cells.hpp>

namespace joined_test {

using namespace matrix_cells;

namespace {

constexpr auto z = state<"z", keys>;

/// The first pass reads a vector that the last pass of the step before makes.
struct key_of_the_last_pass {
    static constexpr auto Q = state<"Q", keys, keys>;
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = z * Q, next(Q) = 0.5_n * Q + outer(k, v - w),
                      next(z) = k * next(Q), output = next(z));
};
/// The same with a vector that is there before the loop.
struct key_of_an_input {
    static constexpr auto Q = state<"Q", keys, keys>;
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = (x * W<"z">)*Q,
                      next(Q) = 0.5_n * Q + outer(k, v - w), output = k * next(Q));
};
/// Or one that a block after the last pass computes.
struct key_of_the_loop {
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = z * S, next(S) = 0.5_n * S + outer(k, v - w),
                      next(z) = tanh(k + z), output = k * next(S));
};
/// Or one of the step before.
struct key_of_the_step_before {
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = delay<1, keys>(q) * S,
                      next(S) = 0.5_n * S + outer(k, v - w), q = next(S) * v, output = k * next(S));
};
/// Or one of an input of the step before.
struct key_of_the_input_before {
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = delay<1, keys>(k) * S,
                      next(S) = 0.5_n * S + outer(k, v - w), output = k * next(S));
};
/// The first pass sums over columns, the last one over rows.
struct both_ways {
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = S * v, next(S) = 0.5_n * S + outer(k - w, v),
                      output = k * next(S));
};
/// The last pass reads the vector that the first pass writes. Each number is read before the next step's is
/// written there.
struct read_in_rows {
    static constexpr auto equations = sluice::lines(
        k = x * W<"k">, v = k * S, next(S) = 0.5_n * S + outer(k, v), output = (x * W<"q">)*next(S));
};
/// The same of a vector in columns.
struct read_in_columns {
    static constexpr auto equations = sluice::lines(
        v = x * W<"v">, k = S * v, next(S) = 0.5_n * S + outer(k, v), output = next(S) * (x * W<"q">));
};
/// Two vectors in rows.
struct two_in_rows {
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = k * S, w = (x * W<"w">)*S, next(S) = 0.5_n * S + outer(k, v* w),
                      output = (x * W<"q">)*next(S));
};
/// Its state is written by a pass before the last one.
struct written_early {
    static constexpr auto Y = state<"Y", keys, values>;
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = k * S, next(S) = 0.5_n * S + outer(k, tanh(v)), w = next(S) * v,
                      next(Y) = Y + outer(tanh(w), x* W<"u">), output = k * next(Y));
};

/// The last pass goes over one more state than the first one.
struct two_states {
    static constexpr auto U = state<"U", keys, values>;
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v">, w = k * S, next(U) = 0.5_n * U,
                      next(S) = 0.5_n * S + outer(k, v - w) + U, output = k * next(S));
};

template <class Page>
constexpr bool inferring = sluice::plans<Page>::inference.about.joined.block >= 0;
template <class Page>
constexpr bool backward = sluice::plans<Page>::backward.about.joined.block >= 0;

} // namespace

TEST_CASE("joined: delta rules read their state once a step") {
    BOTH(inferring<delta_net>);
    BOTH(inferring<gated_delta_net>);
    BOTH(inferring<key_of_the_input_before>);
    BOTH(inferring<key_of_an_input>);
    BOTH(inferring<read_in_rows>);
    BOTH(inferring<two_in_rows>);
}

TEST_CASE("joined: what is one pass, or none, is left as it is") {
    BOTH(!inferring<linear_attention>);
    BOTH(!inferring<gated_attention>);
    BOTH(!inferring<sluice::gru>);
}

TEST_CASE("joined: what the loop forbids") {
    BOTH(!inferring<key_of_the_last_pass>);
    BOTH(!inferring<key_of_the_loop>);
    BOTH(!inferring<key_of_the_step_before>);
    BOTH(!inferring<both_ways>);
    BOTH(!inferring<read_in_columns>);
    BOTH(!inferring<written_early>);
    BOTH(!inferring<two_states>);
    BOTH(!backward<gated_delta_net>); // its last pass reads S as well, and sums over columns
}

TEST_CASE("joined: the plan prints it") {
    constexpr std::string_view page = sluice::print_plan<delta_net>().view();
    BOTH(page.find("2 passes over [B, keys x values]: 2 read, 1 written; 1 where groups run by themselves: 1 "
                   "read, 1 written\n") != page.npos);
    BOTH(sluice::print_plan<gated_attention>().view().find("by themselves") == page.npos);
}

TEST_CASE("joined: the block of a delta rule") {
    static constexpr auto p = sluice::plans<delta_net>::inference;
    constexpr sluice::joined_blocks of = p.about.joined;
    BOTH(of.block == p.blocks.size() - 1);
    static constexpr sluice::block_walk made(p, of.block), last(p, of.last), first(p, of.first);
    BOTH(made.wide_loads() == 1);
    BOTH(made.wide_stores() == 1);
    BOTH(made.loads.count == last.loads.count + first.loads.count - 1);
    BOTH(made.stores.count == last.stores.count + first.stores.count);
    BOTH(made.code.count == last.code.count + 1 + first.code.count); // and a copy of the state
    BOTH(!made.waits_for_row());
    for (sluice::task const& t : p.tasks)
        CHECK(t.block != of.block);

    // Each register is there before it is read, and the copy is of what is stored as the new state.
    int copies = 0;
    for (int i = 0; i < made.code.count; ++i)
        for (int o = 0; o < made.code[i].operands.count; ++o) {
            CHECK(made.operand(i, o) < made.loads.count + i);
            if (made.code[i].kind != sluice::op::spread)
                continue;
            ++copies;
            for (sluice::block_store const& store : made.stores)
                if (store.how == sluice::lies::as_wide)
                    CHECK(made.operand(i, o) == store.from);
        }
    CHECK(copies == 1);
    for (int s = 0; s < made.stores.count; ++s) {
        sluice::block_store const& expected =
            s < last.stores.count ? last.stores[s] : first.stores[s - last.stores.count];
        CHECK(made.stores[s].to == expected.to);
        CHECK(made.stores[s].how == expected.how);
        CHECK(made.stores[s].from >= made.loads.count);
        CHECK(made.stores[s].from < made.registers());
    }
}

} // namespace joined_test
