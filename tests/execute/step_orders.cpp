// SPDX-License-Identifier: BSL-1.0
// The order of tasks in even and in odd steps: products that follow each other change places where they are
// apart.
#include <sluice/execute/step_orders.hpp>

#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <support/graph_text.hpp>
#include <vector>

namespace {

using kernels = sluice::xtensor::kernels;
struct prepared {
    sluice::task const* what;
};

/// The words of all tasks in even steps and in odd ones.
std::array<std::string, 2> orders_of(std::string const& text) {
    auto const of = graph_text::sweep_of(text);
    sluice::plan const p = sluice::make_plan(of.s);
    auto const label = graph_text::labels(of.s.g);
    auto const pool = std::make_shared<sluice::memory_pool<double, kernels>>();
    sluice::sweep_memory<double, kernels> const memory(pool, of.g.seen(), sluice::view_of(p),
                                                       {.input = 3, .units = 5}, 1, 2, nullptr, true);
    std::vector<prepared> tasks;
    for (sluice::task const& t : p.tasks)
        tasks.push_back({&t});
    std::array<std::string, 2> words;
    auto const orders = sluice::step_orders(memory, tasks);
    for (std::size_t turn = 0; turn < 2; ++turn)
        for (std::size_t const i : orders[turn])
            words[turn] += tasks[i].what->kind == sluice::task_kind::block
                               ? "block "
                               : label(tasks[i].what->node) + (tasks[i].what->accumulates() ? "+ " : " ");
    return words;
}

} // namespace

TEST_CASE("step orders: two products of one level change places in odd steps, and nothing else does") {
    auto const [even, odd] = orders_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        R = parameter [5 x 5]
        v1 = product x W [T B 5]
        v2 = product h R [T B 5]
        v3 = multiply v1 v2 [T B 5]
        v4 = tanh v3 [T B 5]
        gives output v4
        gives next(h) v4
    )");
    CHECK(even == "v1 v2 block ");
    CHECK(odd == "v2 v1 block ");
}

TEST_CASE("step orders: a product of what the one before it has computed stays after it") {
    auto const [even, odd] = orders_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        v1 = product h R [T B 5]
        v2 = product v1 Q [T B 5]
        v3 = tanh v2 [T B 5]
        gives output v3
        gives next(h) v3
    )");
    CHECK(even == "v1 v2 block ");
    CHECK(odd == even);
}

TEST_CASE("step orders: of three, one of which reads another, those that are apart turn round") {
    auto const [even, odd] = orders_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        P = parameter [5 x 5]
        v1 = product h R [T B 5]
        v2 = product k Q [T B 5]
        v3 = product v1 P [T B 5]
        v4 = multiply v2 v3 [T B 5]
        gives output v4
        gives next(h) v4
        gives next(k) v2
    )");
    CHECK(even == "v1 v2 v3 block ");
    CHECK(odd == "v2 v1 v3 block ");
}

TEST_CASE("step orders: products that are added to what lies there do not move, wherever that is") {
    auto const [even, odd] = orders_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp h [T B 5]
        v4 = add v3 v2 [T B 5]
        v5 = tanh k [T B 5]
        v6 = product v5 Q [T B 5]
        v7 = exp k [T B 5]
        v8 = add v7 v6 [T B 5]
        carries h v4
        carries k v8
        wants v4 last
        wants v8 last
    )");
    CHECK(even == "block v2+ v6+ ");
    CHECK(odd == even);
}
