// SPDX-License-Identifier: BSL-1.0
// Gradients of a random cell against differences of plain evaluations.
#pragma once

#include <cmath>
#include <limits>
#include <random/generate.hpp>
#include <sstream>

namespace random_cells {

/// A random combination of the outputs and the final states: what is differentiated.
struct combination {
    history outputs{};
    std::vector<array> states{};

    combination(sluice::random_stream& random, random_cell const& cell) {
        graph_view const g = view_of(cell.g);
        outputs.assign(cell.e.steps,
                       array(cell.e.batch, g.extent(g[g.results[0].at].shape.columns, cell.e.n)));
        for (int k = 1; k < g.results.size(); ++k)
            states.push_back(empty_array(g, leaf_of(g, op::state, g.results[k].called), cell.e));
        for (array& a : outputs)
            generator::fill(random, a, 1, 1);
        for (array& a : states)
            generator::fill(random, a, 1, 1);
    }
    double of(results const& r) const {
        double sum = 0;
        auto const add = [&](array const& a, array const& b) {
            for (size_t k = 0; k < a.numbers.size(); ++k)
                sum += a.numbers[k] * b.numbers[k];
        };
        for (size_t t = 0; t < outputs.size(); ++t)
            add(outputs[t], r.outputs[t]);
        for (size_t k = 0; k < states.size(); ++k)
            add(states[k], r.states[k]);
        return sum;
    }
};

inline bool is_differentiable(node const& n) {
    return n.kind == op::input || n.kind == op::state || (n.kind == op::parameter && !n.fixed);
}

/// How far a derivative at 0 is from five-point differences, relative to its size.
struct five_points {
    double error = 0;
    double difference = 0; ///< that is nearest
};
inline five_points compare_with_differences(double exact, auto const& f) {
    five_points nearest{std::numeric_limits<double>::infinity()};
    // A kink between the five points spoils the differences: a smaller step rarely meets the same one.
    for (double const h : {1e-3, 2e-4, 3e-5, 4e-6, 3e-7, 2e-8}) {
        double const difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
        if (double const error = std::abs(difference - exact) / (1 + std::abs(exact)); error < nearest.error)
            nearest = {error, difference};
        if (nearest.error < 1e-8)
            break;
    }
    return nearest;
}

/// How far gradients are from five-point differences along a random direction of each leaf, relative to their
/// size; the worst leaf, with a sentence.
struct disagreement {
    double error = 0;
    std::string words{};
};

inline disagreement compare_with_differences(sluice::random_stream& random, random_cell const& cell,
                                             combination const& loss, leaf_values const& gradients) {
    graph_view const g = view_of(cell.g);
    disagreement worst;
    for (int i = 0; i < g.size(); ++i) {
        if (!is_differentiable(g[i]))
            continue;
        leaf_values moved = cell.given;
        history direction = cell.given[at(i)];
        double exact = 0;
        if (gradients[at(i)].size() != direction.size())
            return {1, "the gradient of " + std::string(g.name_of(i)) + " is missing"};
        for (size_t t = 0; t < direction.size(); ++t) {
            array& d = direction[t];
            array const& gradient = gradients[at(i)][t];
            size_t const blocks =
                g[i].shape.is_matrix() && g[i].shape.groups >= 0 ? g.extent(g[i].shape.groups, cell.e.n) : 1;
            generator::fill(random, d, blocks, 1);
            if (gradient.numbers.size() != d.numbers.size())
                return {1, "the gradient of " + std::string(g.name_of(i)) + " has another shape"};
            for (size_t k = 0; k < d.numbers.size(); ++k)
                exact += d.numbers[k] * gradient.numbers[k];
        }
        auto const loss_at = [&](double distance) {
            for (size_t t = 0; t < direction.size(); ++t)
                for (size_t k = 0; k < direction[t].numbers.size(); ++k)
                    moved[at(i)][t].numbers[k] =
                        cell.given[at(i)][t].numbers[k] + distance * direction[t].numbers[k];
            return loss.of(run_forward(g, cell.e, moved));
        };
        auto const [error, difference] = compare_with_differences(exact, loss_at);
        if (!(error <= worst.error)) {
            std::ostringstream words;
            words << "the gradient of " << g.name_of(i) << " along a direction is " << exact
                  << ", but differences give " << difference;
            worst = {error, words.str()};
        }
    }
    return worst;
}

} // namespace random_cells
