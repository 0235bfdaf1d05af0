// SPDX-License-Identifier: BSL-1.0
// Whether a match says the truth: the equations with random parameters, and the target with what the match
// makes of them, give the same outputs, states and gradients; all in plain loops over time, without any
// backend.
#pragma once

#include <cmath>
#include <random/evaluate.hpp>
#include <sluice/algebra/match.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/parameter/random.hpp>
#include <string>

namespace match_check {

using namespace random_cells;
using sluice::match_term, sluice::matching, sluice::normal_form, sluice::sizes;

/// A graph at run time, its functions by their places in random_cells::table.
template <class... F>
graph renumbered(graph_view g, sluice::operation_list<F...>) {
    constexpr int places[] = {table::find<F>()...};
    graph result(g);
    result.operations = sluice::rows_of(table{});
    for (node& n : result.nodes)
        if (n.kind == op::pointwise || n.kind == op::reduce)
            n.function = places[n.function];
    return graph(result.seen()); // with hashes that know of it
}
template <class Page>
graph graph_of() {
    using passes = sluice::passes<Page>;
    return renumbered(passes::graph, typename passes::operations{});
}

inline normal_form normal(graph_view g) {
    return sluice::normalise(g, sluice::meanings_of(table{}));
}
inline matching match(graph_view target, normal_form const& target_form, graph_view given,
                      normal_form const& given_form) {
    sluice::list<int> places;
    for (int k = 0; k < table::size; ++k)
        places.push_back(k);
    auto const t = sluice::view_of(target_form), u = sluice::view_of(given_form);
    return sluice::match({target, t}, {given, u}, places);
}
inline matching match(graph_view target, graph_view given) {
    return match(target, normal(target), given, normal(given));
}

/// The leaves of a kind, in order.
inline std::vector<int> leaves(graph_view g, op kind) {
    std::vector<int> all;
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == kind)
            all.push_back(i);
    return all;
}
inline std::vector<int> states_of(graph_view g) {
    std::vector<int> all;
    for (int k = 1; k < g.results.size(); ++k)
        all.push_back(leaf_of(g, op::state, g.results[k].called));
    return all;
}

inline array random_array(sluice::random_stream& random, array a) {
    for (double& v : a.numbers)
        v = random.uniform(-1, 1);
    return a;
}

struct checker {
    graph_view target, given;
    normal_form const& form; ///< of what is given
    matching const& found;
    extents of_target, of_given;

    /// f(target's number, number of the equations' parameter) for a term.
    void for_each_pair(match_term const& t, array& to, array const& from, auto const& f) const {
        size_t const row = form.offset(t.rows.from, of_given.n),
                     column = form.offset(t.columns.from, of_given.n);
        for (size_t r = 0; r < to.rows; ++r)
            for (size_t c = 0; c < to.columns; ++c) {
                if (t.from < 0 || t.everywhere)
                    f(to(r, c), size_t(0));
                else {
                    size_t const i = row + (t.transposed ? c : r), k = column + (t.transposed ? r : c);
                    if (i >= from.rows || k >= from.columns)
                        throw std::logic_error("a term reads beyond its parameter");
                    f(to(r, c), i * from.columns + k);
                }
            }
    }
    double factor(match_term const& t, leaf_values const& values) const {
        double all = t.factor;
        auto const settings = leaves(given, op::setting);
        for (int k = 0; k < t.count; ++k) {
            int const n = t.of[k] < 0 ? -1 - t.of[k] : t.of[k];
            double const s = values[at(settings[at(n)])][0](0, 0);
            all *= t.of[k] < 0 ? 1 / s : s;
        }
        return all;
    }

    /// The largest difference of anything.
    double run(std::uint64_t seed) const {
        sluice::random_stream random(sluice::seed{seed}, "match");
        leaf_values values(at(given.size()));
        for (int i = 0; i < given.size(); ++i) {
            node const& n = given[i];
            if (n.kind == op::input)
                for (size_t t = 0; t < of_given.steps; ++t)
                    values[at(i)].push_back(random_array(random, empty_array(given, i, of_given)));
            else if (n.kind == op::state || n.kind == op::parameter)
                values[at(i)] = {random_array(random, empty_array(given, i, of_given))};
            else if (n.kind == op::setting)
                values[at(i)] = {array(1, 1, 0.75)};
        }
        auto const parameters = leaves(given, op::parameter), canonical = leaves(target, op::parameter);
        leaf_values as_target(at(target.size()));
        array const one(1, 1, 1);
        for (size_t p = 0; p < canonical.size(); ++p) {
            array sum = empty_array(target, canonical[p], of_target);
            for (match_term const& t : found.terms)
                if (t.to == static_cast<int>(p)) {
                    array const& from = t.from < 0 ? one : values[at(parameters[at(t.from)])][0];
                    double const times = factor(t, values);
                    for_each_pair(t, sum, from, [&](double& to, size_t k) { to += times * from.numbers[k]; });
                }
            as_target[at(canonical[p])] = {sum};
        }
        auto const states = states_of(given), canonical_states = states_of(target);
        int const x = leaves(given, op::input)[0], canonical_x = leaves(target, op::input)[0];
        as_target[at(canonical_x)] = values[at(x)];
        for (size_t k = 0; k < canonical_states.size(); ++k)
            as_target[at(canonical_states[k])] = values[at(states[at(found.states[static_cast<int>(k)])])];

        results const a = run_forward(given, of_given, values);
        results const b = run_forward(target, of_target, as_target);
        double worst = 0;
        auto const compare = [&](history const& p, history const& q) {
            if (p.size() != q.size())
                throw std::logic_error("other steps");
            for (size_t t = 0; t < p.size(); ++t) {
                if (p[t].numbers.size() != q[t].numbers.size())
                    throw std::logic_error("other widths");
                for (size_t k = 0; k < p[t].numbers.size(); ++k) {
                    double const off =
                        std::abs(p[t].numbers[k] - q[t].numbers[k]) / (1 + std::abs(p[t].numbers[k]));
                    worst = off <= worst ? worst : off; // NaN too
                }
            }
        };
        compare(a.outputs, b.outputs);
        history d_outputs;
        for (array const& y : a.outputs)
            d_outputs.push_back(random_array(random, y));
        std::vector<array> d_states, d_canonical(states.size());
        for (array const& s : a.states)
            d_states.push_back(random_array(random, s));
        for (size_t k = 0; k < states.size(); ++k) {
            size_t const mine = at(found.states[static_cast<int>(k)]);
            compare({a.states[mine]}, {b.states[k]});
            d_canonical[k] = d_states[mine];
        }

        auto const backward = [&](graph_view g, extents const& e, results const& r,
                                  std::vector<array> const& d) {
            sluice::gradient const gradient = sluice::differentiate(g, sluice::derivative_rules(table{}));
            return run_backward(g, view_of(gradient.whole), e, r.values, d_outputs, d);
        };
        leaf_values const da = backward(given, of_given, a, d_states);
        leaf_values const db = backward(target, of_target, b, d_canonical);
        compare(da[at(x)], db[at(canonical_x)]);
        for (size_t k = 0; k < states.size(); ++k)
            compare(da[at(states[at(found.states[static_cast<int>(k)])])], db[at(canonical_states[k])]);
        for (size_t p = 0; p < parameters.size(); ++p) {
            if (given[parameters[p]].fixed)
                continue;
            array sum = empty_array(given, parameters[p], of_given);
            for (match_term const& t : found.terms)
                if (t.from == static_cast<int>(p)) {
                    array from = db[at(canonical[at(t.to)])][0];
                    double const times = factor(t, values);
                    for_each_pair(t, from, sum, [&](double& d, size_t k) { sum.numbers[k] += times * d; });
                }
            compare(da[at(parameters[p])], {sum});
        }
        return worst;
    }
};

/// The sizes that the target has, where the equations have these.
inline sizes sizes_of_target(graph_view target, graph_view given, matching const& found, sizes const& n) {
    sizes of_target{.input = 0, .units = 0};
    auto const give = [&](int to, int from) {
        sluice::width const w = target.width_of(target[to].shape.columns);
        size_t const e = given.extent(given[from].shape.columns, n);
        (w.kind == sluice::symbol::input   ? of_target.input
         : w.kind == sluice::symbol::units ? of_target.units
                                           : of_target.projection) = e;
    };
    give(leaves(target, op::input)[0], leaves(given, op::input)[0]);
    auto const states = states_of(given), canonical = states_of(target);
    for (size_t k = 0; k < canonical.size(); ++k)
        give(canonical[k], states[at(found.states[static_cast<int>(k)])]);
    return of_target;
}

/// The largest difference, or infinity where the equations are not the target's.
inline double difference(graph_view target, graph_view given, sizes const& n, std::uint64_t seed = 1) {
    normal_form const form = normal(given);
    matching const found = match(target, normal(target), given, form);
    if (!found.matched)
        return std::numeric_limits<double>::infinity();
    extents const of_given{.n = n, .steps = 3, .batch = 2};
    extents const of_target{.n = sizes_of_target(target, given, found, n), .steps = 3, .batch = 2};
    return checker{target, given, form, found, of_target, of_given}.run(seed);
}

} // namespace match_check
