// SPDX-License-Identifier: BSL-1.0
// Steps without an end, of a graph in text: against a loop that is written here, and what is put in and taken
// out between.
#include <sluice/execute/endless.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/execute/interpret.hpp>
#include <sluice/plan/make_plan.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <support/graph_text.hpp>
#include <vector>

namespace endless_test {

namespace {

using kernels = sluice::xtensor::kernels;
using numbers = std::vector<double>;

/// h' = tanh(x W + h R), k' = x: the output is h' + k, which delays x.
struct scene {
    static constexpr std::size_t batch = 2, input = 3, units = 3;
    graph_text::owned_sweep of = graph_text::sweep_of(R"(
        x = input [T B 3]
        h = state [T B 3]
        k = state [T B 3]
        W = parameter [3 x 3]
        R = parameter [3 x 3]
        v1 = product x W [T B 3]
        v2 = product h R [T B 3]
        v3 = add v1 v2 [T B 3]
        v4 = tanh v3 [T B 3]
        v5 = add v4 k [T B 3]
        v6 = copy x [T B 3]
        gives output v5
        gives next(h) v4
        gives next(k) v6
    )");
    sluice::plan plan = sluice::make_plan(of.s);
    std::shared_ptr<sluice::memory_pool<double, kernels>> pool =
        std::make_shared<sluice::memory_pool<double, kernels>>();
    sluice::weights<double, kernels> weights{of.g.seen(), {}};
    sluice::endless_run<double, kernels> steps{
        pool,
        {of.g.seen(), sluice::view_of(plan),
         [](kernels const&, sluice::plan_view const& p, int b, sluice::block_frame<double> const& f) {
             sluice::interpret_block<graph_text::operations>(p, b, f);
         }},
        {},
        batch};
    numbers x = numbers(batch * input), y = numbers(batch * units);
    numbers w{0.5, -0.25, 1, 0.125, 2, -1, -0.5, 0.75, 0.3},
        r{0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, 0.8, -0.9};
    numbers h = numbers(batch * units), k = numbers(batch * units); ///< as they should be

    scene() {
        weights.values.give(of["W"], w.data());
        weights.values.give(of["R"], r.data());
        weights.make({}, plan.tasks);
        steps.give(of["x"], x.data());
        steps.expect(of["v5"], y.data());
        steps.prepare(weights);
        set({.25, -1, .5, 0, 3, -2}, {1, 2, 3, 4, 5, 6}, 0, batch);
    }
    void set(numbers const& to_h, numbers const& to_k, std::size_t first, std::size_t last) {
        steps.copy_in(of["v4"], to_h.data(), first, last);
        steps.copy_in(of["v6"], to_k.data(), first, last);
        for (std::size_t i = first * units; i < last * units; ++i)
            h[i] = to_h[i], k[i] = to_k[i];
    }
    /// One step, with another input, and the check of its output.
    void step(double seed, bool from_elsewhere = false) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = std::sin(seed + static_cast<double>(i));
        if (from_elsewhere) {
            numbers const elsewhere = x;
            std::ranges::fill(x, std::nan("")); // where it was given
            steps.run_from(elsewhere.data());
            std::ranges::copy(elsewhere, x.begin());
        } else
            steps.run();
        numbers next(h.size());
        for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t u = 0; u < units; ++u) {
                double sum = 0;
                for (std::size_t i = 0; i < 3; ++i)
                    sum += x[b * 3 + i] * w[i * 3 + u] + h[b * 3 + i] * r[i * 3 + u];
                next[b * 3 + u] = std::tanh(sum);
                CHECK(y[b * 3 + u] == doctest::Approx(next[b * 3 + u] + k[b * 3 + u]).epsilon(1e-13));
            }
        h = next;
        k = x;
    }
};

} // namespace

TEST_CASE("endless: each step goes on from the state that the last one left") {
    scene s;
    for (int t = 0; t < 5; ++t)
        s.step(t);
    numbers h(6), k(6);
    s.steps.copy_out(s.of["v4"], h.data());
    s.steps.copy_out(s.of["v6"], k.data());
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(h[i] == doctest::Approx(s.h[i]).epsilon(1e-13));
    CHECK(k == s.k);
}

TEST_CASE("endless: steps of sizes of run time read the first input where it lies") {
    scene s;
    REQUIRE(s.steps.reads_anywhere());
    for (int t = 0; t < 5; ++t)
        s.step(t, t % 3 != 1);
}

TEST_CASE("endless: what stands longer than a step has a place of its own each time, and is found in each") {
    scene s;
    std::vector<double> all(4 * 6);
    sluice::strided_view<double> v{.data = all.data(), .time = 6, .slot_count = 2};
    CHECK(v.repeats());
    for (std::size_t const slots : {0u, 3u, 4u}) {
        v.slot_count = slots;
        CHECK(!v.repeats());
        CHECK((v.at(0) != v.at(2) || v.at(1) != v.at(3)));
    }
    v.time = 0;
    CHECK(v.repeats());
}

TEST_CASE("endless: rows are set between steps, in even ones and in odd ones, and the others stay") {
    scene s;
    for (int t = 0; t < 4; ++t) {
        s.step(t);
        double const d = 0.1 * t;
        s.set({d, -d, 0.5, 9, 9, 9}, {-1, d, 1, 9, 9, 9}, 0, 1);
        s.step(t + 0.5);
        s.set({9, 9, 9, 0.25, d, d}, {9, 9, 9, 2, 3, d}, 1, 2);
    }
    s.step(10);
}

TEST_CASE("endless: weights that lie elsewhere are used from the next step on") {
    scene s;
    s.step(1);
    for (double& v : s.w)
        v = 0.5 - v;
    sluice::weights<double, kernels> other(s.of.g.seen(), {});
    other.values.give(s.of["W"], s.w.data());
    other.values.give(s.of["R"], s.r.data());
    other.make({}, s.plan.tasks);
    s.steps.prepare(other);
    s.step(2);
    s.step(3);
}

} // namespace endless_test
