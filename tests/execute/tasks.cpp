// SPDX-License-Identifier: BSL-1.0
// The tasks of a plan, as kernels are asked for them: all steps at once or one by one, groups at once or one
// by one, and in pieces. The kernels write down what they are asked for.
#include <sluice/execute/tasks.hpp>

#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <string>
#include <support/graph_text.hpp>
#include <vector>

namespace tasks_test {

namespace {

/// What is written down: `m x n x k`, the part of the matrix, and + where something is added.
struct writing_kernels : sluice::no_kernels {
    struct of_double {
        int mark = 0;
    };
    template <class S>
    using matrix = of_double;
    static inline std::string said{};

    template <class S>
    static S* allocate(std::size_t count) {
        return new S[count]();
    }
    template <class S>
    static void release(S* p, std::size_t) {
        delete[] p;
    }
    template <class S>
    static of_double pack(sluice::matrix_extents const&, S const*, bool) {
        return {};
    }
    static void say(std::initializer_list<sluice::sentence_part> words) { sluice::append(words, said); }
    void product(std::size_t m, std::size_t n, std::size_t k, double const*, std::size_t, of_double const&,
                 sluice::matrix_part const& part, double*, std::size_t, bool add) const {
        say({"product ", m, "x", n, "x", k, " of ", part.group, ",", part.row, ",", part.column,
             add ? " +\n" : "\n"});
    }
    void outer(std::size_t m, std::size_t n, std::size_t k, double const*, std::size_t, double const*,
               std::size_t, double*, std::size_t, bool add) const {
        say({"outer ", m, "x", n, "x", k, add ? " +\n" : "\n"});
    }
    void total(std::size_t m, std::size_t n, double const*, std::size_t, double*, bool add) const {
        say({"total ", m, "x", n, add ? " +\n" : "\n"});
    }
};
struct with_groups : writing_kernels {
    void products(std::size_t groups, std::size_t m, std::size_t n, std::size_t k, double const*, std::size_t,
                  std::size_t next_a, of_double const&, sluice::matrix_part const&, double*, std::size_t,
                  std::size_t next_c, bool) const {
        say({groups, " products ", m, "x", n, "x", k, " ", next_a, " and ", next_c, " apart\n"});
    }
    static void outers(auto...) {}
};

constexpr sluice::sizes n{.input = 3, .units = 4};

template <class Kernels>
struct scene {
    graph_text::owned_sweep of;
    sluice::plan plan;
    std::shared_ptr<sluice::memory_pool<double, Kernels>> pool =
        std::make_shared<sluice::memory_pool<double, Kernels>>();
    sluice::sweep_memory<double, Kernels> memory;
    sluice::prepared_tasks<double, Kernels> tasks;

    scene(std::string const& text, std::size_t steps, std::size_t batch)
        : of(graph_text::sweep_of(text)), plan(sluice::make_plan(of.s)),
          memory(pool, of.g.seen(), sluice::view_of(plan), n, steps, batch), tasks(memory, &run_block, pool) {
    }
    static void run_block(Kernels const& kernels, sluice::plan_view const&, int,
                          sluice::block_frame<double> const& f) {
        kernels.say({"block ", f.rows, "x", f.columns, " in pieces of ", f.piece, "\n"});
    }
    void prepare() {
        for (int i = 0; i < of.g.size(); ++i)
            if (of.g.seen()[i].kind == sluice::op::input || of.g.seen()[i].kind == sluice::op::cotangent)
                memory.give(i, sluice::strided_view<double>::dense(numbers.data(), memory.batch,
                                                                   memory.columns(i), true));
            else if (of.g.seen()[i].kind == sluice::op::parameter && !of.g.seen().is_matrix(i))
                memory.give(i, sluice::strided_view<double>::constant(numbers.data(), memory.columns(i)));
        sluice::weights<double, Kernels> weights(of.g.seen(), n);
        for (int i = 0; i < of.g.size(); ++i)
            if (of.g.seen()[i].kind == sluice::op::parameter)
                weights.values.give(i, numbers.data());
        weights.make(pool->kernels(), plan.tasks);
        tasks.prepare([&](int node) { return memory.value(node); }, weights, ~0u);
    }
    std::vector<double> numbers = std::vector<double>(1000);

    std::string run(sluice::phase phase) {
        Kernels::said.clear();
        tasks.run_all(
            phase,
            [](sluice::task const&, std::size_t t) { Kernels::said += "at " + std::to_string(t) + ": "; },
            [](sluice::task const&) {}, [](sluice::task const&) {});
        return Kernels::said;
    }
    std::string step(std::size_t t) {
        Kernels::said.clear();
        tasks.run_step(t, {});
        return Kernels::said;
    }
};

char const* const plain = R"(
    x = input [T B input]
    h = state [T B units]
    W = parameter [input x units]
    R = parameter [units x units]
    v1 = product x W [T B units]
    v2 = product h R [T B units]
    v3 = multiply v1 v2 [T B units]
    gives output v3
    gives next(h) v3
)";

} // namespace

TEST_CASE("tasks: what stands before the loop is one call for all steps, the loop a call for each") {
    scene<writing_kernels> s(plain, 5, 2);
    s.prepare();
    CHECK(s.run(sluice::phase::before) == "product 10x4x3 of 0,0,0\n");
    CHECK(s.step(3) == "product 2x4x4 of 0,0,0\nblock 2x4 in pieces of 4\n");
    CHECK((s.tasks.has(sluice::phase::before) && s.tasks.has(sluice::phase::loop)));
    CHECK(!s.tasks.has(sluice::phase::after));
    scene<writing_kernels> none(plain, 0, 2);
    none.prepare();
    CHECK(none.run(sluice::phase::before) == "product 0x4x3 of 0,0,0\n");
}

TEST_CASE("tasks: a block of all steps is one call, also where it reads what was made of parameters once") {
    scene<writing_kernels> s(R"(
        x = input [T B units]
        h = state [T B units]
        A = parameter bias [units]
        v1 = exp A [units]
        v2 = multiply x v1 [T B units]
        v3 = tanh v2 [T B units]
        v4 = add h v3 [T B units]
        gives output v4
        gives next(h) v4
    )",
                             5, 2);
    s.prepare();
    CHECK(s.run(sluice::phase::before) == "block 1x4 in pieces of 4\nblock 10x4 in pieces of 4\n");
    CHECK(s.step(3) == "block 2x4 in pieces of 4\n");
}

TEST_CASE("tasks: groups are one call where kernels have one for them") {
    char const* const grouped = R"(
        h = state [T B units]
        R = parameter [2: units x units]
        v1 = product h R [T B units]
        v2 = tanh v1 [T B units]
        gives output v2
        gives next(h) v2
    )";
    scene<writing_kernels> s(grouped, 3, 5);
    s.prepare();
    CHECK(s.step(0) == "product 5x2x2 of 0,0,0\nproduct 5x2x2 of 1,0,0\nblock 5x4 in pieces of 4\n");
    scene<with_groups> g(grouped, 3, 5);
    g.prepare();
    CHECK(g.step(0) == "2 products 5x2x2 2 and 2 apart\nblock 5x4 in pieces of 4\n");
    scene<writing_kernels> one(grouped, 1, 1);
    one.prepare();
    CHECK(!one.tasks.is_fixed_step());
}

TEST_CASE("tasks: a step has constant sizes only of one row, and of products without groups") {
    scene<writing_kernels> one(plain, 1, 1), two(plain, 1, 2);
    one.prepare(), two.prepare();
    CHECK(one.tasks.is_fixed_step());
    CHECK(!two.tasks.is_fixed_step());
    CHECK(one.tasks.places_at(0).size() ==
          2 * 2 + 3); // of each product two, of the block two loads and a store
    std::vector<std::size_t> stored;
    for (auto const& place : one.tasks.places_at(0))
        stored.push_back(place.stored);
    CHECK(stored == std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 4}); // products may stay in registers
    CHECK(one.tasks.weights_of_products().size() == 2);
}

TEST_CASE("tasks: a loop is one piece of work only where all of it is blocks of every row") {
    static int runs;
    runs = 0;
    auto const loop = [](writing_kernels const&, sluice::loop_frame<double> const& f) {
        ++runs;
        CHECK((f.rows == 2 && f.columns == 4 && f.steps == 5 && !f.backward && f.piece == 4));
        CHECK(f.operands.size() == f.are_stored.size());
        return true;
    };
    scene<writing_kernels> with_product(plain, 5, 2);
    with_product.prepare();
    CHECK(!with_product.tasks.run_loop(loop));
    char const* const blocks = R"(
        x = input [T B units]
        h = state [T B units]
        v1 = multiply x h [T B units]
        gives output v1
        gives next(h) v1
    )";
    scene<writing_kernels> s(blocks, 5, 2);
    s.prepare();
    CHECK(s.tasks.run_loop(loop));
    CHECK(runs == 1);
    for (auto const& [steps, batch] : {std::array<std::size_t, 2>{0, 2}, {5, 0}}) {
        scene<writing_kernels> empty(blocks, steps, batch);
        empty.prepare();
        CHECK(!empty.tasks.run_loop(loop));
    }
    CHECK(runs == 1);
}

} // namespace tasks_test
