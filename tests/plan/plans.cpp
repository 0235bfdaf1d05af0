// SPDX-License-Identifier: BSL-1.0
// The plans of a page as constants: its gradient follows its graph, and forward keeps what backward reads,
// inference does not.
#include <sluice/plan/plans.hpp>
#include <support/both.hpp>
#include <support/matrix_cells.hpp>

namespace plans_test {

using namespace sluice;
using namespace sluice::equation;

namespace {

constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;
struct own_mgu {
    static constexpr auto equations =
        lines(f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">), n = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
              next(h) = (1 - f) * h + f * n);
};
struct no_product {
    static constexpr auto equations = lines(next(h) = tanh(x * W<"h">) + h);
};

/// Whether what is saved is wanted of all time steps.
constexpr int kept(plan_view const& by, view<int> saved) {
    int found = 0;
    for (int const node : saved)
        for (wanted_value const& w : by.wanted)
            found += w.node == node && w.how == wanted_value::extent::history;
    return found;
}

} // namespace

TEST_CASE("plans: the gradient begins with the graph of the equations, in which products are fused") {
    using all = plans<own_mgu>;
    BOTH(all::given == all::graph.size());
    BOTH(all::gradient.size() > all::given);
    constexpr bool begins_so = [] {
        for (int i = 0; i < all::given; ++i)
            if (all::gradient[i].kind != all::graph[i].kind)
                return false;
        return true;
    }();
    BOTH(begins_so);
    constexpr int products = [] {
        int count = 0;
        for (node const& one : all::graph.nodes)
            count += one.kind == op::product;
        return count;
    }();
    BOTH(products == 3); // x [W_f W_n], h R_f, (f . h) R_n
}

TEST_CASE("plans: forward keeps what backward reads, inference only what is wanted") {
    using all = plans<own_mgu>;
    BOTH(all::backward.about.way == time_order::backward);
    BOTH(all::backward.about.start == all::given);
    BOTH(all::forward.about.way == time_order::forward);
    BOTH(all::backward.saved.size() > 0);
    BOTH(all::forward.wanted.size() == all::inference.wanted.size() + all::backward.saved.size());
    BOTH(kept(all::forward, all::backward.saved) > kept(all::inference, all::backward.saved));
    BOTH(all::inference.saved.empty());
    BOTH(all::inference.about.has_product_in_loop);
    BOTH(!plans<no_product>::inference.about.has_product_in_loop);
}

TEST_CASE("plans: no matrix value is kept of all steps") {
    using all = plans<matrix_cells::gated_attention>;
    auto const matrices_kept = [](plan_view const& of) {
        int tapes = 0;
        for (buffer const& b : of.buffers)
            tapes += b.columns >= 0 && of.widths[b.columns].is_product() && b.tape;
        return tapes;
    };
    CHECK(matrices_kept(all::inference) == 0);
    CHECK(matrices_kept(all::forward) == 0); // but parts of it: tests/plan/replay.cpp
    CHECK(matrices_kept(all::backward) == 0);
    int standing = 0; // f, k, v and q: what stands several times in the equations is read once
    for (block_load const& load : all::inference.loads)
        standing += load.how != lies::as_wide;
    CHECK(standing == 4);
    for (int const node : all::backward.saved)
        CHECK(all::gradient[node].kind != op::repeat);
}

} // namespace plans_test
