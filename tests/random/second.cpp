// SPDX-License-Identifier: BSL-1.0
// Second derivatives of random cells over a sequence, by the plans of their four sweeps, against differences
// of the first.
#include <doctest/doctest.h>
#include <random/faults.hpp>
#include <support/second_runs.hpp>

using namespace random_cells;

namespace {

support::graph_data data_of(random_cell const& cell, graph_view g, leaf_values const& given) {
    support::graph_data d{.steps = cell.e.steps, .batch = cell.e.batch, .lengths = cell.e.lengths};
    for (int i = 0; i < g.size(); ++i) {
        size_t const groups = g[i].shape.groups < 0 ? 1 : g.extent(g[i].shape.groups, cell.e.n);
        for (array const& a : given[at(i)])
            for (size_t r = 0; r < a.rows; ++r)
                for (size_t c = 0; c < a.columns; ++c)
                    if (!g.is_matrix(i) || in_block(a, r, c, groups))
                        d.leaves[i].push_back(a(r, c));
    }
    return d;
}

/// What is wrong with the second derivatives of a cell, or nothing.
std::string second_fault_of(random_cell const& cell, std::uint64_t seed, bool fuse) {
    graph const g = fuse ? sluice::fuse(view_of(cell.g)) : sluice::without_fusing(view_of(cell.g));
    support::second_runs<table> const runs(g, sluice::derivative_rules(table{}), cell.e.n);
    auto data = data_of(cell, view_of(g), given_again(view_of(cell.g), cell.given, view_of(g)));
    std::string const name = std::to_string(seed);
    data.given = runs.random_data(data.steps, data.batch, name).given;
    if (seed % 2 == 0)
        data.reset_rows(name);
    auto const plain = runs.reference(data), planned = runs.planned(data);
    if (!(support::worst_distance(planned.results, plain.results) < 1e-9 &&
          support::worst_distance(runs.inferred(data).results, plain.results) < 1e-9 &&
          support::worst_distance(planned.gradients, plain.gradients) < 1e-9))
        return "the plans give other results or gradients than the graph does";
    auto const weights = runs.random_weights(data, name);
    auto const found = runs.gradients(data, weights);
    sluice::random_stream random(sluice::seed{seed}, "directions");
    auto const error = [&](std::vector<double> const& gradient, std::vector<double>& moved) {
        std::vector<double> const from = moved;
        std::vector<double> direction;
        double exact = 0;
        for (double const slope : gradient)
            exact += slope * direction.emplace_back(random.uniform(-1, 1));
        auto const along = [&](double h) {
            for (size_t k = 0; k < from.size(); ++k)
                moved[k] = from[k] + h * direction.at(k);
            return runs.value(data, weights);
        };
        auto const worst = compare_with_differences(exact, along);
        moved = from;
        return worst.error < 1e-6
                   ? std::string()
                   : " is " + std::to_string(exact) + " along a direction, but differences give " +
                         std::to_string(worst.difference);
    };
    for (auto const& [leaf, gradient] : found.gradients)
        if (std::string const words = error(gradient, data.leaves.at(leaf)); !words.empty())
            return "the second gradient of " + std::string(view_of(g).name_of(leaf)) + words;
    for (auto const& [result, gradient] : found.results)
        if (std::string const words = error(gradient, data.given.at(result)); !words.empty())
            return "the second gradient of what is given of result " + std::to_string(result) + words;
    return {};
}

} // namespace

TEST_CASE("random cells: second derivatives over time") {
    check_cells(35, second_fault_of);
}
