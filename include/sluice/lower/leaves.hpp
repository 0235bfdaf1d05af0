// SPDX-License-Identifier: BSL-1.0
// The leaves of a graph in the order of the lists of its equations, and what a cell gives for them.
#pragma once

#include <sluice/graph/parameters.hpp>
#include <sluice/lower/matrices.hpp>
#include <sluice/lower/memory.hpp>
#include <sluice/plan/sweep.hpp>
#include <vector>

namespace sluice {

/// Nodes: those of `graph` that are the entries of the lists.
struct plan_leaves {
    std::vector<int> inputs{}, parameters{}, settings{}, states{};
    std::vector<int> next{}; ///< of each state: the node of its next value
    int output = -1;

    plan_leaves() = default;
    /// The entries are nodes of `named`; `g` has the same names.
    plan_leaves(graph_view g, graph_view named, basic_entries<view> const& entries)
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

/// Where what a cell gives lies: the inputs as [time, batch, width], where a sweep is endless those of the step that
/// is run; the parameters and settings.
template <class S>
struct leaf_values {
    std::vector<S const*> inputs{}, parameters{}, settings{};

    void give(plan_leaves const& leaves, sweep_memory<S>& memory) const {
        auto const constant = [&](int leaf, S const* values) {
            if (leaf >= 0 && !memory.graph.is_matrix(leaf))
                memory.give(leaf, strided_view<S>::constant(const_cast<S*>(values), memory.columns(leaf)));
        };
        for (std::size_t i = 0; i < leaves.inputs.size(); ++i)
            if (int const leaf = leaves.inputs[i]; leaf >= 0)
                memory.give(leaf, strided_view<S>::dense(const_cast<S*>(inputs[i]), memory.batch,
                                                         memory.columns(leaf), !memory.endless));
        for (std::size_t i = 0; i < leaves.parameters.size(); ++i)
            constant(leaves.parameters[i], parameters[i]);
        for (std::size_t i = 0; i < leaves.settings.size(); ++i)
            constant(leaves.settings[i], settings[i]);
    }
    void give(plan_leaves const& leaves, matrix_values<S>& matrices) const {
        for (std::size_t i = 0; i < leaves.parameters.size(); ++i)
            if (leaves.parameters[i] >= 0)
                matrices.give(leaves.parameters[i], parameters[i]);
        for (std::size_t i = 0; i < leaves.settings.size(); ++i)
            if (leaves.settings[i] >= 0)
                matrices.give(leaves.settings[i], settings[i]);
    }
};

} // namespace sluice
