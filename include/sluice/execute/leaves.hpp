// SPDX-License-Identifier: BSL-1.0
// The leaves of a graph in the order of the lists of its equations, and what a cell gives for them.
#pragma once

#include <sluice/execute/matrices.hpp>
#include <sluice/execute/memory.hpp>
#include <sluice/execute/transfer.hpp>
#include <sluice/graph/entries.hpp>
#include <sluice/graph/sweep.hpp>
#include <vector>

namespace sluice {

/// The nodes of a graph that the entries of the lists are, and what the results are.
struct plan_leaves {
    std::vector<int> inputs{}, parameters{}, settings{}, states{};
    std::vector<int> next{}; ///< of each state: the node of its next value
    int output = -1;

    plan_leaves() = default;
    /// The entries are nodes of `named`; `g` has the same names.
    [[gnu::cold]] plan_leaves(graph_view g, graph_view named, basic_entries<view> const& entries)
        : output(g.results[0].at) {
        auto const find = [&](op kind, auto const& entry) {
            return detail::find_leaf(g, kind, named[entry.at].index);
        };
        for (input_entry const& e : entries.inputs)
            inputs.push_back(find(op::input, e));
        for (parameter_entry const& e : entries.parameters)
            parameters.push_back(find(op::parameter, e));
        for (setting_entry const& e : entries.settings)
            settings.push_back(find(op::setting, e));
        for (state_entry const& e : entries.states) {
            states.push_back(find(op::state, e));
            for (definition const& d : g.results)
                if (d.kind == role::next && d.called == named[e.at].index)
                    next.push_back(d.at);
        }
    }
};

/// Where the parameters and settings of a cell lie.
template <class S>
struct leaf_values {
    std::vector<S const*> parameters{};
    std::vector<arithmetic_of<S> const*> settings{};

    /// The same where the kernels read it, as long as `sent` lives; matrices are sent to kernels that make
    /// others of them.
    template <class Kernels>
    leaf_values send(plan_leaves const& leaves, graph_view g, sizes const& n,
                     transfers<S, Kernels>& sent) const {
        leaf_values there = *this;
        auto const send_all = [&](std::vector<int> const& nodes, auto& values) {
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (nodes[i] >= 0 && g.is_matrix(nodes[i]) && makes_matrices<Kernels, S>)
                    values[i] = sent.give(values[i], extents_of(g, g[nodes[i]].shape, n).count());
                else if (nodes[i] >= 0 && !g.is_matrix(nodes[i]))
                    values[i] = sent.give(values[i], g.extent(g[nodes[i]].shape.columns, n));
        };
        send_all(leaves.parameters, there.parameters);
        if constexpr (is_own_arithmetic<S>)
            send_all(leaves.settings, there.settings);
        return there;
    }
    /// Where the kernels read what is no matrix.
    template <class Kernels>
    void give(plan_leaves const& leaves, sweep_memory<S, Kernels>& memory) const {
        auto const give_all = [&]<class T>(std::vector<int> const& nodes,
                                           std::vector<T const*> const& values) {
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (nodes[i] < 0 || memory.graph.is_matrix(nodes[i]))
                    continue;
                else if constexpr (std::is_same_v<T, S>)
                    memory.give(nodes[i], strided_view<S>::constant(const_cast<S*>(values[i]),
                                                                    memory.columns(nodes[i])));
                else
                    memory.give(nodes[i], {.number = *values[i]});
        };
        give_all(leaves.parameters, parameters);
        give_all(leaves.settings, settings);
    }
    /// What matrices are made of.
    template <class Numbers>
    void give(plan_leaves const& leaves, matrix_values<S, Numbers>& matrices) const {
        for (std::size_t i = 0; i < leaves.parameters.size(); ++i)
            if (leaves.parameters[i] >= 0)
                matrices.give(leaves.parameters[i], parameters[i]);
        for (std::size_t i = 0; i < leaves.settings.size(); ++i)
            if (leaves.settings[i] >= 0)
                matrices.give(leaves.settings[i], settings[i]);
    }
};

} // namespace sluice
