// SPDX-License-Identifier: BSL-1.0
// execute/apart.hpp: groups that run all steps by themselves give what all groups do step by step, to the
// bit. Rows with lengths, all of them full, are what runs step by step.
#include <sluice/execute/apart.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <sluice/cells/comba.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/delta_product.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/cells/test_time.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/threaded.hpp>
#include <support/matrix_cells.hpp>
#include <support/tensors.hpp>
#include <vector>

namespace apart_test {

namespace {

constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};

/// Outputs, final states and gradients.
template <class Cell>
std::vector<double> numbers_of(Cell const& cell, std::size_t batch, sluice::unroll_options const& options) {
    auto const xs = support::random_sequence<double>(11, batch, cell.input_size());
    auto const state = cell.zero_state(batch);
    auto const run = sluice::unroll(cell, xs, state, options);
    auto const found = sluice::backward(cell, run, 0.5 - run.outputs);
    auto const again = sluice::infer(cell, xs, state, options);
    std::vector<double> all;
    auto const add = [&](auto const& of) { all.insert(all.end(), of.begin(), of.end()); };
    add(run.outputs), add(again.outputs), add(found.inputs), add(found.parameters.values());
    for (auto const& tensor : run.state.tensors())
        add(tensor);
    for (auto const& tensor : again.state.tensors())
        add(tensor);
    return all;
}

template <class Page, class Policy = sluice::xtensor::planned>
void check(sluice::sizes const& n) {
    sluice::cell<Page, double, Policy> cell(n, sluice::seed{7});
    support::randomize(cell);
    for (std::size_t const batch : {1u, 2u, 5u}) {
        CAPTURE(batch);
        auto const expected =
            numbers_of(cell, batch, {.lengths = std::vector<std::size_t>(batch, 11), .steps_of_part = 4});
        CHECK(std::ranges::none_of(expected, [](double z) { return z != z; }));
        CHECK(numbers_of(cell, batch, {.steps_of_part = 4}) == expected);
        CHECK(numbers_of(cell, batch, {.steps_of_part = 11}) == expected);
    }
}

/// A vector of which groups have numbers together: they cannot run by themselves.
struct mixes_heads {
    static constexpr auto equations = [] {
        using namespace matrix_cells;
        return sluice::lines(k = x * W<"k">, v = x * W<"v">,
                             next(Z) = Z + outer<heads>(k, v - sum(v) * (k * Z)), output = k * next(Z));
    }();
};

} // namespace

TEST_CASE("apart: heads of gated attention and of delta rules") {
    check<matrix_cells::gated_attention>(in_heads);
    check<matrix_cells::gated_delta_net>(in_heads);
    check<sluice::gated_delta_net>({.input = 3, .units = 15, .groups = 3});
    check<sluice::delta_net>({.input = 3, .units = 7, .groups = 1});
}
TEST_CASE("apart: the last block of a step and the first of the next as one") {
    static_assert(sluice::plans<sluice::comba>::inference.about.joined.block >= 0);
    static_assert(sluice::plans<sluice::delta_product>::inference.about.joined.block >= 0);
    static_assert(sluice::plans<sluice::rwkv7>::inference.about.joined.block >= 0);
    static_assert(sluice::plans<sluice::rwkv7>::forward.about.joined.block >= 0);
    static_assert(sluice::plans<sluice::ttt_linear>::forward.about.joined.block >= 0);
    check<sluice::comba>(sluice::comba::sizes_of(3, 20));
    check<sluice::delta_product>(sluice::delta_product::sizes_of(3, 20));
    check<sluice::rwkv7>({.input = 3, .units = 15, .groups = 3, .own = {{"rank", 2}}});
    check<sluice::ttt_linear>({.input = 3, .units = 21, .groups = 3});
}
TEST_CASE("apart: sums over time of their matrices are made on the way") {
    check<matrix_cells::elementwise>(in_heads);
    check<sluice::mamba>({.input = 3, .units = 7, .own = {{"order", 5}, {"rank", 2}}});
}
TEST_CASE("apart: numbers of heads, and what repeats or folds them, are made for some heads at once") {
    check<sluice::mlstm>({.input = 3, .units = 21, .groups = 3});
    check<sluice::mlstm>({.input = 3, .units = 7, .groups = 1});
}
TEST_CASE("apart: what is no such loop runs step by step") {
    check<mixes_heads>(in_heads);
    check<matrix_cells::shared_key>({.input = 3, .own = {{"keys", 5}, {"values", 7}}});
    check<matrix_cells::mixed>({.input = 3, .units = 10, .own = {{"values", 6}, {"heads", 2}}});
    check<sluice::gru>({.input = 3, .units = 5});
}
TEST_CASE("apart: threads take some heads each") {
    std::size_t const before = sluice::xtensor::threads();
    for (std::size_t const threads : {1u, 2u, 3u}) {
        sluice::xtensor::set_threads(threads);
        check<matrix_cells::gated_attention, sluice::xtensor::threaded>(in_heads);
        check<sluice::gated_delta_net, sluice::xtensor::threaded>({.input = 3, .units = 40, .groups = 5});
        check<sluice::mlstm, sluice::xtensor::threaded>({.input = 3, .units = 35, .groups = 5});
    }
    sluice::xtensor::set_threads(before);
}

} // namespace apart_test
