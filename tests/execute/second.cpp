// SPDX-License-Identifier: BSL-1.0
// Second derivatives over a sequence, in the planned lowering: gradients of a random combination of the
// results and of their gradients, against differences of that combination.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/graph/passes.hpp>
#include <support/matrix_cells.hpp>
#include <support/second_runs.hpp>

namespace second_test {

namespace {

/// How far a gradient is from five-point differences along a random direction of what it belongs to, a part
/// of the data.
template <class Runs>
double error(Runs const& runs, support::graph_data const& data, support::graph_results const& weights,
             std::vector<double> const& gradient, std::vector<double>& moved) {
    REQUIRE(gradient.size() == moved.size());
    std::vector<double> const from = moved;
    sluice::random_stream random(sluice::seed{3}, "direction");
    std::vector<double> direction;
    double exact = 0;
    for (double const slope : gradient)
        exact += slope * direction.emplace_back(random.uniform(-1, 1));
    auto const along = [&](double h) {
        for (std::size_t k = 0; k < from.size(); ++k)
            moved[k] = from[k] + h * direction[k];
        return runs.value(data, weights);
    };
    double const h = 1e-3;
    double const difference = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
    moved = from;
    return std::abs(difference - exact) / (1 + std::abs(exact));
}

using namespace sluice::equation;
using namespace sluice::literals;

/// The gradient divides by a value of the forward sweep, which is zero after the end of a row.
struct directions {
    static constexpr auto s = state<"s">;
    static constexpr auto equations =
        sluice::lines(next(h) = x * W<"h">, next(s) = h / (0.1_n + sum(h * h)), output = s * R<"y">);
};

template <class Page>
void check(sluice::sizes const& n) {
    using passes = sluice::passes<Page>;
    using operations = typename passes::operations;
    support::second_runs<operations> const runs(sluice::fuse(passes::graph),
                                                sluice::derivative_rules(operations{}), n);
    for (std::size_t const steps : {1u, 2u, 5u})
        for (bool const ragged : {false, true}) {
            auto data = runs.random_data(steps, 3, "data");
            if (ragged)
                data.lengths = {steps, 0, (steps + 1) / 2};
            if (steps == 5)
                data.reset_rows(ragged ? "some" : "others");
            CAPTURE(steps);
            CAPTURE(ragged);
            auto const weights = runs.random_weights(data, "data");
            auto const found = runs.gradients(data, weights);
            support::graph_data moved = data;
            CHECK(found.gradients.size() == weights.gradients.size());
            CHECK(found.results.size() == data.given.size());
            for (auto const& [leaf, gradient] : found.gradients) {
                std::string_view const name = runs.first.seen().name_of(leaf);
                CAPTURE(name);
                double const off = error(runs, moved, weights, gradient, moved.leaves.at(leaf));
                CHECK(off < 1e-8);
            }
            for (auto const& [result, gradient] : found.results) {
                int const number = result;
                CAPTURE(number);
                double const off = error(runs, moved, weights, gradient, moved.given.at(result));
                CHECK(off < 1e-8);
            }
        }
}

} // namespace

TEST_CASE("second derivatives over time: GRUs and the MGU") {
    check<sluice::gru>({.input = 3, .units = 5});
    check<sluice::cudnn_gru>({.input = 3, .units = 5});
    check<mgu>({.input = 3, .units = 5});
}

TEST_CASE("second derivatives over time: LSTMs, with peepholes, projection and groups") {
    check<sluice::lstm>({.input = 3, .units = 5});
    check<sluice::lstm_with<sluice::activation::tanh, true, true>>({.input = 3, .units = 5, .projection = 2});
    check<sluice::glstm>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("second derivatives over time: rows that compute no numbers after their end") {
    check<directions>({.input = 3, .units = 5});
}

TEST_CASE("second derivatives over time: states that are matrices") {
    check<matrix_cells::gated_attention>({.input = 3, .own = {{"keys", 4}, {"values", 6}, {"heads", 2}}});
    check<matrix_cells::linear_attention>({.input = 3, .own = {{"keys", 3}, {"values", 5}}});
    check<matrix_cells::nonlinear_memory>({.input = 3, .own = {{"keys", 4}, {"values", 6}, {"heads", 2}}});
}

} // namespace second_test
