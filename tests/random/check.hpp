// SPDX-License-Identifier: BSL-1.0
// Everything that can be said about a random cell: the passes keep its meaning, its gradient is one, and its
// plans do what the graphs say.
#pragma once

#include <random/differences.hpp>
#include <random/interpret.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/fuse.hpp>
#include <sluice/graph/print/print.hpp>
#include <sluice/plan/make_plan.hpp>

namespace random_cells {

/// The largest difference of numbers, relative to 1 and to themselves; infinite where something is missing.
class difference {
public:
    void operator()(array const& a, array const& b) {
        if (a.numbers.size() != b.numbers.size())
            largest_ = std::numeric_limits<double>::infinity();
        for (size_t k = 0; k < std::min(a.numbers.size(), b.numbers.size()); ++k) {
            double const d = std::abs(a.numbers[k] - b.numbers[k]) / (1 + std::abs(b.numbers[k]));
            largest_ = d <= largest_ ? largest_ : std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
        }
    }
    void operator()(history const& a, history const& b) {
        if (a.size() != b.size())
            largest_ = std::numeric_limits<double>::infinity();
        for (size_t t = 0; t < std::min(a.size(), b.size()); ++t)
            (*this)(a[t], b[t]);
    }
    double largest() const { return largest_; }

private:
    double largest_ = 0;
};

/// Outputs, as they leave a sequence: zeros after the end of a row.
inline history outputs_of(graph_view g, extents const& e, int node, auto const& read) {
    history all;
    for (size_t t = 0; t < e.steps; ++t) {
        array const value = read(node, t);
        all.emplace_back(e.batch, g.extent(g[node].shape.columns, e.n));
        for (size_t r = 0; r < e.batch; ++r)
            for (size_t c = 0; c < all[t].columns && t < e.length(r); ++c)
                all[t](r, c) = value.spread(r, c);
    }
    return all;
}

struct planned {
    sluice::plan forward{};
    sluice::plan backward{};
};
inline planned plan_both(graph_view g, graph_view whole) {
    planned p;
    p.backward = sluice::make_plan(sluice::backward_sweep(whole, g.size()));
    p.forward = sluice::make_plan(sluice::keeping(sluice::forward_sweep(g), p.backward.saved));
    return p;
}

/// What is wrong with a cell, or nothing.
inline std::string fault_of(random_cell cell, std::uint64_t seed, bool fuse) {
    sluice::random_stream random(sluice::seed{seed}, "differences");
    combination const loss(random, cell);
    results const as_written = run_forward(view_of(cell.g), cell.e, cell.given);

    graph const original = cell.g;
    cell.g = fuse ? sluice::fuse(view_of(original)) : sluice::without_fusing(view_of(original));
    graph_view const g = view_of(cell.g);
    cell.given = given_again(view_of(original), cell.given, g);
    results const plain = run_forward(g, cell.e, cell.given);
    auto const compare = [](auto const&... pairs) {
        difference d;
        (d(pairs.first, pairs.second), ...);
        return d.largest() > 1e-10;
    };
    auto const states = [&](std::vector<array> const& a, std::vector<array> const& b) {
        return std::pair<history, history>(a, b);
    };
    if (compare(std::pair(plain.outputs, as_written.outputs), states(plain.states, as_written.states)))
        return "fusing changes the results";

    sluice::gradient const gradient = sluice::differentiate(g, sluice::derivative_rules(table{}));
    graph_view const whole = view_of(gradient.whole);
    leaf_values const gradients = run_backward(g, whole, cell.e, plain.values, loss.outputs, loss.states);
    if (disagreement const d = compare_with_differences(random, cell, loss, gradients); !(d.error < 1e-6))
        return d.words;

    sluice::plan const inference = sluice::make_plan(sluice::forward_sweep(g));
    interpreter inferring(view_of(inference), g, cell.e, cell.given);
    inferring.run();
    if (compare(std::pair(
            outputs_of(g, cell.e, g.results[0].at, [&](int i, size_t t) { return inferring.read(i, t); }),
            plain.outputs)))
        return "the plan that keeps nothing gives other outputs";

    planned const plans = plan_both(g, whole);
    interpreter forward(view_of(plans.forward), g, cell.e, cell.given);
    for (int k = 1; k < g.results.size(); ++k)
        forward.keep_last(g.results[k].at, cell.given[at(leaf_of(g, op::state, g.results[k].called))][0]);
    forward.run();
    std::vector<array> last;
    for (size_t k = 0; k < plain.states.size(); ++k)
        last.push_back(forward.last(k));
    history const outputs =
        outputs_of(g, cell.e, g.results[0].at, [&](int i, size_t t) { return forward.read(i, t); });
    if (compare(std::pair(outputs, plain.outputs)))
        return "the plan gives other outputs";
    if (compare(states(last, plain.states)))
        return "the plan gives other final states";

    // Cotangents after the end of a row are zeros.
    history d_outputs = loss.outputs;
    for (size_t t = 0; t < cell.e.steps; ++t)
        for (size_t r = 0; r < cell.e.batch; ++r)
            for (size_t c = 0; c < d_outputs[t].columns && t >= cell.e.length(r); ++c)
                d_outputs[t](r, c) = 0;
    leaf_values given(at(whole.size()));
    for (int i = 0; i < whole.size(); ++i)
        if (i < g.size() && g[i].kind != op::state)
            given[at(i)] = cell.given[at(i)];
        else if (whole[i].kind == op::cotangent)
            given[at(i)] = whole[i].index == 0 ? d_outputs : history{loss.states[at(whole[i].index) - 1]};
    interpreter backward(view_of(plans.backward), whole, cell.e, given, &forward);
    std::vector<int> leaves, kept;
    for (sluice::definition const& d : whole.results)
        if (d.kind == sluice::role::gradient && whole[d.of].kind == op::state)
            for (int k = 1; k < g.results.size(); ++k)
                if (g.results[k].called == whole[d.of].index) {
                    backward.keep_last(d.at, loss.states[at(k) - 1]);
                    kept.push_back(d.of);
                }
    backward.run();
    for (sluice::definition const& d : whole.results) {
        if (d.kind != sluice::role::gradient || whole[d.of].kind == op::cotangent)
            continue;
        history got;
        if (whole[d.of].kind == op::input)
            got = outputs_of(whole, cell.e, d.at, [&](int i, size_t t) { return backward.read(i, t); });
        else if (whole[d.of].kind == op::state)
            got = {
                backward.last(static_cast<size_t>(std::find(kept.begin(), kept.end(), d.of) - kept.begin()))};
        else
            got = {backward.read(d.at, 0)};
        if (compare(std::pair(got, gradients[at(d.of)])))
            return "the plan gives another gradient of " + std::string(whole.name_of(d.of));
    }
    return {};
}

} // namespace random_cells
