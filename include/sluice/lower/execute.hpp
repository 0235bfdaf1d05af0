// SPDX-License-Identifier: BSL-1.0
// plan_lowering: runs the plans of a set of equations with the kernels of a backend.
//
//   forward    before: products and blocks over all time steps;  loop: t = 0 .. T-1;  after: over all time
//   steps backward   the same plan in the other direction of time
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <sluice/lower/memory.hpp>

namespace sluice {

enum class direction : unsigned char { forward, backward };

/// The graph, plan and block programs of one direction.
template <class Equations, direction Way>
struct planned;

template <class Equations>
struct planned<Equations, direction::forward> {
    static constexpr auto const& graph = passes<Equations>::graph;
    static constexpr auto const& plan = plans<Equations>::forward;
};
template <class Equations>
struct planned<Equations, direction::backward> {
    static constexpr auto const& graph = plans<Equations>::gradient.whole;
    static constexpr auto const& plan = plans<Equations>::backward;
};

/// A pointwise block, as a type for the kernels.
template <class Equations, direction Way, int K>
struct planned_block_of {
    using activations = typename passes<Equations>::activations;
    static constexpr auto program = [] {
        constexpr auto wide = compile_block(planned<Equations, Way>::graph, planned<Equations, Way>::plan, K);
        constexpr auto length = [](auto const& entries) { return static_cast<std::size_t>(entries.size()); };
        return fit<length(wide.loads), length(wide.code), length(wide.stores)>(wide);
    }();
    /// Numbers are the same for all elements: a load of one is broadcast.
    static constexpr bool is_scalar(int load) {
        return planned<Equations, Way>::graph[program.loads[load]].form == shape::scalar;
    }
};

namespace detail {

/// Weight packs: [groups, rows of a group, columns of all members in a group].
template <class Equations, class S>
struct weight_memory {
    static constexpr auto const& graph = passes<Equations>::graph;
    static constexpr auto const& packs = plans<Equations>::packs;

    std::vector<panel_layout> layouts{};
    std::vector<std::vector<S>> values{};

    static std::size_t rows(int k, sizes const& n) {
        return extent(graph[packs[k].left].columns, n) / (packs[k].grouped ? n.groups : 1);
    }
    void allocate(sizes const& n) {
        for (int k = static_cast<int>(layouts.size()); k < packs.size(); ++k) {
            layouts.push_back(lay_out(graph, packs[k].products, packs[k].grouped, n));
            values.emplace_back(rows(k, n) * layouts.back().columns());
        }
    }
    /// Calls f(parameter row, pack row, columns) for all rows of member m of pack k.
    template <class P, class W, class F>
    void for_rows(int k, int m, sizes const& n, P* parameter, W* pack, F&& f) const {
        panel_layout const& layout = layouts[static_cast<std::size_t>(k)];
        std::size_t const width = layout.widths[static_cast<std::size_t>(m)];
        for (std::size_t r = 0; r < layout.groups * rows(k, n); ++r)
            f(parameter + r * width, pack + r * layout.group_columns + layout.offset(m), width);
    }
    void pack(cell_view<Equations, S> const& cell) {
        allocate(cell.extents);
        for_each_entry(*cell.parameters, [&](int i, auto, auto const& tensor) {
            for (int k = 0; k < packs.size(); ++k)
                for (int m = 0; m < packs[k].products.size(); ++m)
                    if (graph[packs[k].products[m]].b == passes<Equations>::parameters[i].at)
                        for_rows(
                            k, m, cell.extents, tensor.data(), values[static_cast<std::size_t>(k)].data(),
                            [](S const* from, S* to, std::size_t count) { std::copy_n(from, count, to); });
        });
    }
};

/// Memory of one direction, and the slots of its nodes.
template <class Equations, class S, direction Way, class Kernels>
struct execution {
    using here = planned<Equations, Way>;
    static constexpr auto const& graph = here::graph;
    static constexpr auto const& plan = here::plan;

    std::shared_ptr<memory_pool<S>> pool{};
    sizes n{};
    std::size_t steps = 0;
    std::size_t batch = 0;
    std::vector<panel_memory<S>> panels{};
    std::vector<slot<S>> sources{};     ///< leaves and values given by the other direction
    std::vector<scratch<S>> matrices{}; ///< results of outer products, in the layout of their packs

    execution(std::shared_ptr<memory_pool<S>> memory, sizes const& extents, std::size_t time,
              std::size_t rows)
        : pool(std::move(memory)), n(extents), steps(time), batch(rows),
          sources(static_cast<std::size_t>(graph.size())) {
        for (auto const& p : plan.panels) {
            panel_memory<S>& values = panels.emplace_back();
            values.layout = lay_out(graph, p.members, p.grouped, n);
            values.allocate(pool, steps, batch, p.kept, p.single_row);
        }
        matrices.resize(static_cast<std::size_t>(plan.products.size()));
    }

    slot<S>& source(int node) { return sources[static_cast<std::size_t>(node)]; }
    slot<S> home_slot(home h) const { return panels[static_cast<std::size_t>(h.panel)].member(h.member); }
    /// Where the value of a node is read.
    slot<S> value(int node) const {
        node = plan.same_as[node];
        return plan.homes[node].empty() ? sources[static_cast<std::size_t>(node)]
                                        : home_slot(plan.homes[node][0]);
    }

    void run(phase now, std::size_t first, std::size_t count, weight_memory<Equations, S> const& weights,
             bool want_inputs) {
        for (scheduled const& s : plan.schedule) {
            if (s.when != now)
                continue;
            if (s.what == task::product) {
                auto const& p = plan.products[s.index];
                if (want_inputs || !p.for_input_only)
                    run_product(s.index, first, count, weights);
            } else if (s.what == task::block) {
                if (want_inputs || !plan.blocks[s.index].for_input_only)
                    for (std::size_t t = first; t < first + (plan.blocks[s.index].single_row ? 1 : count);
                         ++t)
                        run_block(s.index, t);
            } else
                for (std::size_t t = first; t < first + count; ++t)
                    run_copy(plan.copies[s.index], t);
        }
    }

    void run_product(int index, std::size_t first, std::size_t count,
                     weight_memory<Equations, S> const& weights) {
        auto const& p = plan.products[index];
        std::size_t const m = count * batch;
        if (p.kind == op::column_sum) {
            slot<S> const a = value(p.left), s = home_slot(p.result);
            std::size_t const segments = a.group != 0 ? n.groups : 1;
            std::size_t const width = extent(graph[p.left].columns, n) / segments;
            for (std::size_t g = 0; g < segments; ++g)
                Kernels::column_sum(m, width, a.data + first * a.time + g * a.group, a.row,
                                    s.data + g * width);
            return;
        }
        auto const k = static_cast<std::size_t>(p.pack);
        panel_layout const& pack = weights.layouts[k];
        std::size_t const rows = weights.rows(p.pack, n), columns = pack.span(p.first, p.count);
        std::size_t const ldw = pack.group_columns;
        S const* const w = weights.values[k].data() + pack.offset(p.first);
        if (p.kind == op::outer)
            matrices[static_cast<std::size_t>(index)] = scratch<S>(pool, weights.values[k].size());
        slot<S> const a = p.left >= 0 ? value(p.left) : slot<S>{};
        slot<S> const d = p.operand.panel >= 0 ? home_slot(p.operand) : slot<S>{};
        slot<S> const c = p.result.panel >= 0 ? home_slot(p.result) : slot<S>{};
        for (std::size_t g = 0; g < pack.groups; ++g) {
            S const* const wg = w + g * rows * ldw;
            S* const ag =
                a.data == nullptr ? nullptr : a.data + first * a.time + g * (a.group != 0 ? a.group : rows);
            S* const dg = d.data == nullptr ? nullptr : d.data + first * d.time + g * d.group;
            S* const cg = c.data == nullptr ? nullptr : c.data + first * c.time;
            if (p.kind == op::product)
                Kernels::product(m, columns, rows, ag, a.row, wg, ldw, cg + g * c.group, c.row);
            else if (p.kind == op::product_transposed)
                Kernels::product_transposed(m, rows, columns, dg, d.row, wg, ldw, cg + g * rows, c.row);
            else
                Kernels::outer(rows, columns, m, ag, a.row, dg, d.row,
                               matrices[static_cast<std::size_t>(index)].data() + pack.offset(p.first) +
                                   g * rows * ldw,
                               ldw);
        }
    }

    template <int K>
    void run_block_of(std::size_t t) const {
        using block = planned_block_of<Equations, Way, K>;
        constexpr auto& program = block::program;
        std::array<slot<S>, static_cast<std::size_t>(program.loads.size()) + 1> loads{};
        std::array<slot<S>, static_cast<std::size_t>(program.stores.size()) + 1> stores{};
        std::size_t segments = 1;
        for (int i = 0; i < program.loads.size(); ++i) {
            loads[static_cast<std::size_t>(i)] = value(program.loads[i]);
            segments = loads[static_cast<std::size_t>(i)].group != 0 ? n.groups : segments;
        }
        for (int i = 0; i < program.stores.size(); ++i) {
            stores[static_cast<std::size_t>(i)] = home_slot(program.stores[i].to);
            segments = stores[static_cast<std::size_t>(i)].group != 0 ? n.groups : segments;
        }
        std::size_t const rows = plan.blocks[K].single_row ? 1 : batch;
        Kernels::template pointwise<block>(loads.data(), stores.data(), t, rows, segments,
                                           extent(plan.blocks[K].columns, n) / segments);
    }
    void run_block(int k, std::size_t t) const {
        [&]<int... K>(std::integer_sequence<int, K...>) {
            (void)((K == k ? (run_block_of<K>(t), true) : false) || ...);
        }
        (std::make_integer_sequence<int, plan.blocks.size()>{});
    }

    void run_copy(planned_copy const& copy, std::size_t t) const {
        copy_rows(plan.homes[copy.from].empty() ? sources[static_cast<std::size_t>(copy.from)]
                                                : value(copy.from),
                  t, home_slot(copy.to), t, extent(graph[copy.from].columns, n), {});
    }

    /// to[t'] = from[t], for the rows of the batch where `wanted` says so (all when it is empty).
    void copy_rows(slot<S> from, std::size_t t_from, slot<S> to, std::size_t t_to, std::size_t columns,
                   std::vector<bool> const& wanted) const {
        std::size_t const segments = from.group != 0 || to.group != 0 ? n.groups : 1;
        std::size_t const width = columns / segments;
        for (std::size_t r = 0; r < batch; ++r)
            for (std::size_t g = 0; g < segments && (wanted.empty() || wanted[r]); ++g)
                std::copy_n(from.data + t_from * from.time + r * from.row +
                                g * (from.group ? from.group : width),
                            width, to.data + t_to * to.time + r * to.row + g * (to.group ? to.group : width));
    }
};

} // namespace detail
} // namespace sluice
