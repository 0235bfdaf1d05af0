// SPDX-License-Identifier: BSL-1.0
// The weights of a plan: what is packed, once each, and what a product multiplies with.
#include <sluice/execute/weights.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <span>
#include <stdexcept>
#include <support/graph_text.hpp>
#include <vector>

namespace weights_test {

namespace {

/// Kernels of which only the packing is looked at: a matrix remembers of which numbers it is made.
template <bool Packs>
struct packing : sluice::no_kernels {
    static constexpr bool packs = Packs;
    template <class S>
    struct matrix {
        std::vector<S> numbers{};
        bool transposed = false;
    };
    int* packed;

    template <class S>
    matrix<S> pack(sluice::matrix_extents const& e, S const* from, bool transposed) const {
        ++*packed;
        return {{from, from + e.count()}, transposed};
    }
};

/// The same, which pack again.
struct packing_again : packing<true> {
    int* packed_again;

    using packing::pack;
    template <class S>
    matrix<S> pack(sluice::matrix_extents const& e, std::span<sluice::matrix_columns<S> const> parts,
                   bool transposed) const {
        REQUIRE(parts.size() == 1);
        return pack(e, parts[0].values, transposed);
    }
    template <class S>
    void pack_again(matrix<S>& to, std::span<sluice::matrix_columns<S> const> parts, bool transposed) const {
        ++*packed_again;
        REQUIRE(to.transposed == transposed);
        std::copy_n(parts[0].values, to.numbers.size(), to.numbers.begin());
    }
};
static_assert(sluice::packs_again<packing_again, double>);
static_assert(!sluice::packs_again<packing<true>, double>);

using numbers = std::vector<double>;

/// A plan with the matrix R in two products, and with one that is made of it.
graph_text::owned_sweep sweep() {
    return graph_text::sweep_of(R"(
        x = input [T B units]
        h = state [T B units]
        R = parameter [units x units]
        v1 = product h R [T B units]
        v2 = tanh v1 [T B units]
        v3 = product v2 R [T B units]
        v4 = transpose R [units x units]
        v5 = tanh v3 [T B units]
        v6 = product v5 v4 [T B units]
        v7 = add v6 x [T B units]
        gives output v7
        gives next(h) v7
    )");
}
constexpr sluice::sizes n{.units = 2};

template <bool Packs>
struct scene {
    using kernels = packing<Packs>;
    int packed = 0;
    kernels with{{}, &packed};
    graph_text::owned_sweep of = sweep();
    sluice::plan plan = sluice::make_plan(of.s);
    sluice::weights<double, kernels> weights{of.g.seen(), n};

    /// What each product multiplies with, in the order of the plan.
    template <class Weights>
    std::vector<typename kernels::template matrix<double>> all(Weights const& from) const {
        std::vector<typename kernels::template matrix<double>> found;
        for (sluice::task const& t : plan.tasks)
            if (t.kind == sluice::task_kind::product)
                found.push_back(from.of(with, t));
        return found;
    }
};

numbers const r{1, 2, 3, 4};

} // namespace

TEST_CASE("weights: each matrix is packed once, in each of the ways in which products take it") {
    scene<true> s;
    s.weights.values.give(s.of["R"], r.data());
    s.weights.make(s.with, s.plan.tasks);
    int const once = s.packed;
    auto const all = s.all(s.weights);
    REQUIRE(all.size() == 3);
    CHECK(once == 2); // R, and its transpose
    CHECK((all[0].numbers == r && all[1].numbers == r && !all[0].transposed));
    // either R that is packed as its transpose, or the transpose that was made
    CHECK(all[2].numbers == (all[2].transposed ? r : numbers{1, 3, 2, 4}));
    s.weights.make(s.with, s.plan.tasks);
    CHECK(s.packed == once);
}

TEST_CASE("weights: what another plan has packed is used, and not packed again") {
    scene<true> s;
    s.weights.values.give(s.of["R"], r.data());
    s.weights.make(s.with, s.plan.tasks);
    int const before = s.packed;
    sluice::weights<double, packing<true>> later(s.of.g.seen(), n, &s.weights);
    later.make(s.with, s.plan.tasks);
    CHECK(s.packed == before);
    CHECK(s.all(later)[0].numbers == r);
}

TEST_CASE("weights: what begins again is packed of the new numbers, in its memory where kernels can") {
    int packed = 0, packed_again = 0;
    packing_again const with{{{}, &packed}, &packed_again};
    auto const of = sweep();
    sluice::plan const plan = sluice::make_plan(of.s);
    sluice::weights<double, packing_again> weights(of.g.seen(), n);
    numbers const later{9, 8, 7, 6};
    sluice::task const* first = nullptr;
    for (sluice::task const& t : plan.tasks)
        if (first == nullptr && t.kind == sluice::task_kind::product)
            first = &t;
    weights.values.give(of["R"], r.data());
    weights.make(with, plan.tasks);
    auto const made = packed;
    weights.begin_again();
    CHECK_THROWS_AS(weights.of(with, *first), std::logic_error); // what was made is gone
    weights.values.give(of["R"], later.data());
    weights.make(with, plan.tasks);
    CHECK(packed == made);
    CHECK(packed_again == made);
    CHECK(weights.of(with, *first).numbers == later);

    scene<true> s; // kernels that cannot
    s.weights.values.give(s.of["R"], r.data());
    s.weights.make(s.with, s.plan.tasks);
    s.weights.begin_again();
    s.weights.values.give(s.of["R"], later.data());
    s.weights.make(s.with, s.plan.tasks);
    CHECK(s.packed == 2 * made);
    CHECK(s.all(s.weights)[0].numbers == later);

    scene<false> none; // and those that make no matrices of their own
    none.weights.values.give(none.of["R"], r.data());
    none.weights.make(none.with, none.plan.tasks);
    none.weights.begin_again();
    none.weights.values.give(none.of["R"], later.data());
    none.weights.make(none.with, none.plan.tasks);
    CHECK(none.all(none.weights)[0].numbers == later);
    CHECK(none.all(none.weights)[2].numbers ==
          (none.all(none.weights)[2].transposed ? later : numbers{9, 7, 8, 6}));
}

TEST_CASE("weights: kernels that pack nothing are given the numbers where they lie") {
    scene<false> s;
    s.weights.values.give(s.of["R"], r.data());
    s.weights.make(s.with, s.plan.tasks);
    CHECK(s.packed == 0);
    auto const all = s.all(s.weights);
    CHECK((all[0].numbers == r && s.packed == 3));
}

TEST_CASE("weights: a product of what was not made is a fault of the planner") {
    scene<true> s;
    CHECK_THROWS_WITH_AS(
        s.all(s.weights),
        "sluice: a product of the plan multiplies with a matrix that was not made; this is a "
        "fault of the planner",
        std::logic_error);
}

} // namespace weights_test
