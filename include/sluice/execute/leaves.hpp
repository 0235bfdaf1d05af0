// SPDX-License-Identifier: BSL-1.0
// What a cell gives for the leaves of its graph, in the order of the lists of its equations.
#pragma once

#include <sluice/execute/matrices.hpp>
#include <sluice/execute/memory.hpp>
#include <sluice/execute/transfer.hpp>
#include <sluice/graph/entries.hpp>
#include <vector>

namespace sluice {

/// Those of a planned graph (graph/entries.hpp).
struct plan_leaves {
    std::vector<int> inputs{}, parameters{}, settings{}, states{};
    std::vector<int> next{}; ///< of each state: the node of its next value
    int output = -1;

    plan_leaves() = default;
    [[gnu::cold]] plan_leaves(basic_leaves<view> const& of)
        : inputs(of.inputs.begin(), of.inputs.end()), parameters(of.parameters.begin(), of.parameters.end()),
          settings(of.settings.begin(), of.settings.end()), states(of.states.begin(), of.states.end()),
          next(of.next.begin(), of.next.end()), output(of.output) {}
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
            for (std::size_t i = 0; i < values.size(); ++i) {
                int const node = nodes[i];
                if (g.is_matrix(node) && makes_matrices<Kernels, S>)
                    values[i] = sent.give(values[i], extents_of(g, g[node].shape, n).count());
                else if (!g.is_matrix(node))
                    values[i] = sent.give(values[i], g.extent(g[node].shape.columns, n));
            }
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
            for (std::size_t i = 0; i < values.size(); ++i) {
                int const node = nodes[i];
                if (memory.graph.is_matrix(node))
                    continue;
                if constexpr (std::is_same_v<T, S>)
                    memory.give(node,
                                strided_view<S>::constant(const_cast<S*>(values[i]), memory.columns(node)));
                else
                    memory.give(node, {.number = *values[i]});
            }
        };
        give_all(leaves.parameters, parameters);
        give_all(leaves.settings, settings);
    }
    /// What matrices are made of.
    template <class Numbers>
    void give(plan_leaves const& leaves, matrix_values<S, Numbers>& matrices) const {
        for (std::size_t i = 0; i < parameters.size(); ++i)
            matrices.give(leaves.parameters[i], parameters[i]);
        for (std::size_t i = 0; i < settings.size(); ++i)
            matrices.give(leaves.settings[i], settings[i]);
    }
};

} // namespace sluice
