// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cmath>
#include <graph/cells.hpp>
#include <sluice/cells/test_time.hpp>
#include <sluice/plan/cost.hpp>
#include <support/both.hpp>
#include <support/derivative_cells.hpp>
#include <support/matrix_cells.hpp>

namespace cost_test {

using sluice::cost_of, sluice::flops;

namespace {

constexpr sluice::sizes small{.input = 3, .units = 5};
constexpr sluice::plan_cost of_mgu = sluice::cost_of<cells::page_of<cells::mgu>>(small);

} // namespace

TEST_CASE("cost: of the minimal gated unit, counted by hand") {
    BOTH(of_mgu.before.products == 2 * 3 * 10);
    BOTH(of_mgu.before.functions == 0);
    BOTH(of_mgu.before.weights == 3 * 10);
    BOTH(of_mgu.before.reads == 3);
    BOTH(of_mgu.before.writes == 10);
    BOTH(of_mgu.loop.products == 2 * 5 * 5 + 2 * 5 * 5);
    // sigmoid(a + b + c), f . h; tanh(a + b + c), 1 - f, two products and a sum
    BOTH(of_mgu.loop.functions == 5 * (3 + 1 + 3 + 4));
    BOTH(of_mgu.loop.weights == 2 * 5 * 5);
    BOTH(of_mgu.after.flops() == 0);
    BOTH(of_mgu.once == 0);
    BOTH(of_mgu.products() == of_mgu.before.products + of_mgu.loop.products);
    BOTH(sluice::flops<cells::page_of<cells::mgu>>(small) == of_mgu.flops());
    BOTH(of_mgu.flops(7, 2) == 14 * of_mgu.flops());
    BOTH(of_mgu.reads_of_step(4) == of_mgu.loop.weights + 4 * of_mgu.loop.reads);
}

TEST_CASE("cost: of its gradient, where a product is added to what lies there") {
    using plans = sluice::plans<cells::page_of<cells::mgu>>;
    constexpr sluice::phase_cost loop = sluice::cost_of(plans::backward, plans::gradient, small).loop;
    BOTH(loop.products == 2 * (2 * 5 * 5));
    BOTH(loop.weights == 2 * 5 * 5);
    // two blocks with 5 and 11 functions, that load 4 and 5 values, and store 2 each
    BOTH(loop.functions == 5 * (5 + 11));
    BOTH(loop.reads == 5 * (4 + 5) + 5 + (5 + 5));
    BOTH(loop.writes == 5 * (2 + 2) + 5 + 5);
}

TEST_CASE("cost: groups divide the work of a product") {
    constexpr sluice::sizes one{.input = 4, .units = 8, .groups = 1},
        two{.input = 4, .units = 8, .groups = 2};
    constexpr sluice::plan_cost whole = sluice::cost_of<cells::page_of<cells::glstm>>(one),
                                halves = sluice::cost_of<cells::page_of<cells::glstm>>(two);
    BOTH(whole.loop.products == 2 * halves.loop.products);
    BOTH(whole.loop.weights == 2 * halves.loop.weights);
    BOTH(whole.loop.functions == halves.loop.functions);
}

TEST_CASE("cost: passes over matrix values, and the numbers of these that they read and write") {
    using plans = sluice::plans<matrix_cells::gated_attention>;
    constexpr sluice::sizes n{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};
    constexpr double matrix = 3 * 5 * 7;
    constexpr sluice::phase_cost loop = sluice::cost_of<matrix_cells::gated_attention>(n).loop;
    BOTH(loop.passes == 1);
    BOTH(loop.matrices == 2 * matrix);
    BOTH(loop.reads == matrix + 3 * 15 + 21); // f, k, q and v
    BOTH(loop.writes == matrix + 21);
    BOTH(loop.functions == 5 * matrix); // of the state 3, and the output's products and sums
    constexpr sluice::phase_cost back = sluice::cost_of(plans::backward, plans::gradient, n).loop;
    BOTH(back.passes == 1);
    BOTH(back.matrices == 3 * matrix); // Z, and its gradient of two steps
    BOTH(loop.joined == 0);
    constexpr sluice::phase_cost delta = sluice::cost_of<matrix_cells::gated_delta_net>(n).loop;
    BOTH(delta.passes == 2);
    BOTH(delta.matrices == 3 * matrix);
    BOTH(delta.joined == matrix);
}

TEST_CASE("cost: a product of matrix values is one of each of their rows") {
    using page = matrix_cells::nonlinear_memory;
    using plans = sluice::plans<page>;
    constexpr sluice::sizes n{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};
    constexpr sluice::phase_cost loop = sluice::cost_of<page>(n).loop;
    BOTH(loop.products == 2 * 3 * (5 * 7 * 7));
    BOTH(loop.weights == 3 * 7 * 7);
    constexpr sluice::plan_cost back = sluice::cost_of(plans::backward, plans::gradient, n);
    BOTH(back.loop.products == 2 * loop.products); // the gradient of the matrix is added up in the loop
    BOTH(back.loop.weights == 2 * loop.weights);
}

TEST_CASE("cost: a derivative costs no more passes than one that is written out") {
    constexpr sluice::sizes n{.input = 3, .units = 21, .groups = 3};
    auto const loops = [&]<class Page>(Page) {
        using plans = sluice::plans<Page>;
        return std::array{sluice::cost_of<Page>(n).loop,
                          sluice::cost_of(plans::forward, plans::graph, n).loop,
                          sluice::cost_of(plans::backward, plans::gradient, n).loop};
    };
    auto const compare = [&](auto page, auto by_hand) {
        auto const found = loops(page), written_out = loops(by_hand);
        for (std::size_t k = 0; k < found.size(); ++k) {
            CHECK(found[k].passes == 2);
            CHECK(found[k].matrices == written_out[k].matrices);
            CHECK(found[k].functions <= written_out[k].functions);
        }
    };
    compare(sluice::ttt_linear{}, derivative_cells::ttt_linear_by_hand{});
    compare(sluice::titans{}, derivative_cells::titans_by_hand{});
}

TEST_CASE("cost: sizes that cannot be are refused, and large ones counted") {
    CHECK_THROWS_AS(sluice::cost_of<cells::page_of<cells::mgu>>({.input = 3}), std::invalid_argument);
    CHECK_THROWS_AS(sluice::cost_of<cells::page_of<cells::mgu>>({.input = 3, .units = 5, .projection = 2}),
                    std::invalid_argument);
    std::size_t const huge = std::size_t(1) << 26;
    double const count = sluice::flops<cells::page_of<cells::mgu>>({.input = huge, .units = huge});
    CHECK(count > 8 * std::ldexp(1.0, 52) * 0.99);
    CHECK(std::isfinite(count));
}

} // namespace cost_test
