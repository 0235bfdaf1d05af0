// SPDX-License-Identifier: BSL-1.0
// resolve: from names to nodes. References become the nodes that they name; what is unknown, defined twice,
// never updated, never used, or defined through itself is refused. Then it is known which nodes are matrices:
// `*` with a matrix on the right becomes a product, and `*` of a vector and a matrix value a contraction:
// k * S = sum over the rows of column(k) . S. Leaves come first, in the order of writing.
//
// It is also known which axes a value has, if not yet how wide they are: where a next state, the output or a
// part of a concat lacks an axis, a spread gives it one.
#pragma once

#include <sluice/graph/graph.hpp>
#include <sluice/graph/operations.hpp>

namespace sluice {
namespace detail {

struct resolver {
    graph_view const& raw;
    graph g{};
    list<int> built;        ///< raw node -> node, or -1
    list<bool> begun;       ///< raw node: it is being built
    list<int> gates, nexts; ///< name -> the first definition of a gate, of a next state; or -1
    list<int> initials;     ///< name -> the first line that says where a state starts, or -1

    constexpr explicit resolver(graph_view const& source)
        : raw(source), built(source.size(), -1), begun(source.size(), false), gates(source.names.size(), -1),
          nexts(source.names.size(), -1), initials(source.names.size(), -1) {
        g.names = raw.names;
        g.widths = raw.widths;
        g.parts = raw.parts;
        g.operations = raw.operations;
        g.definitions = raw.definitions;
        g.trouble = raw.trouble;
        for (definition& d : g.definitions)
            d.at = -1;
    }

    /// A table of the definitions; the first of each name counts.
    constexpr void read_definitions() {
        int output = -1;
        for (int d = 0; d < raw.definitions.size(); ++d) {
            role const kind = raw.definitions[d].kind;
            int const called = raw.definitions[d].called;
            int& first = kind == role::gate      ? gates[called]
                         : kind == role::next    ? nexts[called]
                         : kind == role::initial ? initials[called]
                                                 : output;
            if (first >= 0)
                g.report({.why = kind == role::gate      ? reason::doubled_gate
                                 : kind == role::next    ? reason::doubled_update
                                 : kind == role::initial ? reason::doubled_initial
                                                         : reason::doubled_output,
                          .gate = raw.names[called]});
            else
                first = d;
        }
    }

    /// The definition that raw reference i names, or -1.
    constexpr int definition_of(int i) const {
        return static_cast<role>(raw[i].order) == role::gate ? gates[raw[i].index] : nexts[raw[i].index];
    }

    /// Builds a raw node and all that it needs, without recursion: a chain of gates may be long.
    constexpr void build(int root) {
        list<int> work;
        work.push_back(root);
        while (!work.empty() && !g.trouble) {
            int const i = work.back();
            if (built[i] >= 0) {
                work.resize(work.size() - 1);
                continue;
            }
            bool const first_visit = !begun[i];
            begun[i] = true;
            if (raw[i].kind == op::reference)
                visit_reference(i, work);
            else if (first_visit)
                for (int k = raw[i].count - 1; k >= 0; --k)
                    work.push_back(raw.operand(i, k));
            else
                finish(i);
        }
    }

    constexpr void visit_reference(int i, list<int>& work) {
        int const d = definition_of(i);
        name const& called = raw.names[raw[i].index];
        if (d < 0) {
            bool const gate = static_cast<role>(raw[i].order) == role::gate;
            g.report({.why = gate ? reason::unknown_gate : reason::state_without_update,
                      .gate = raw.owner(i),
                      .about = called});
            return;
        }
        g.definitions[d].used = true;
        int const to = raw.definitions[d].at;
        if (built[to] >= 0)
            built[i] = built[to];
        else if (begun[to])
            g.report({.why = reason::circular_gate, .gate = called});
        else
            work.push_back(to);
    }

    constexpr void finish(int i) {
        list<int> from;
        for (int o : raw.operands_of(i))
            from.push_back(built[o]);
        node n = raw[i];
        if (n.kind == op::pointwise && n.function == f_multiply && is_vector(from[0]) != is_vector(from[1]) &&
            is_value(from[0]) != is_value(from[1])) {
            built[i] = contract(n, from);
            return;
        }
        if (n.kind == op::derivative)
            check_derivative(i, from[0], from[1]);
        form(n, from);
        bool const twice = n.kind == op::transpose && g[from[0]].kind == op::transpose;
        built[i] = twice ? g.operand(from[0]) : g.add(n, from);
    }

    /// A derivative is of one number of each row, with respect to what it depends on.
    constexpr void check_derivative(int i, int loss, int of) {
        bool const of_groups = g[loss].kind == op::reduce_groups && g[loss].function == f_sum;
        list<bool> depends(g.size());
        depends[of] = true;
        for (int k = of + 1; k <= loss; ++k)
            for (int o : g.operands_of(k))
                depends[k] = depends[k] || (depends[o] && g[k].kind != op::features);
        reason const why = !g[of].shape.row || g.is_matrix(of)          ? reason::derivative_by_parameter
                           : g[loss].shape.has_features() && !of_groups ? reason::derivative_of_features
                           : !depends[loss]                             ? reason::derivative_of_nothing
                                                                        : reason::none;
        int const called = raw[raw.operand(i, 1)].index;
        if (why != reason::none)
            g.report({.why = why, .gate = raw.owner(i), .about = called < 0 ? name{} : raw.names[called]});
    }

    constexpr bool is_value(int i) const { return g[i].shape.is_value; }
    constexpr bool is_vector(int i) const {
        return g[i].shape.has_features() && !g.is_matrix(i) && !is_value(i);
    }
    /// k * S or S * v, which node n says.
    constexpr int contract(node n, list<int> from) {
        bool const left = is_vector(from[0]);
        int& vector = from[left ? 0 : 1];
        int const groups = g[from[left ? 1 : 0]].shape.groups;
        auto const standing = [&](op kind, equation::stands as, int of) {
            node made{.kind = kind, .order = static_cast<int>(as), .groups = groups, .owner = n.owner};
            made.value = kind == op::repeat ? -1 - g.size() : 0;
            list<int> only;
            only.push_back(of);
            form(made, only);
            return g.add(made, only);
        };
        using equation::stands;
        vector = standing(op::repeat, left ? stands::as_column : stands::as_row, vector);
        form(n, from);
        return standing(op::fold, left ? stands::as_row : stands::as_column, g.add(n, from));
    }

    /// The axes of node n, and a product where a matrix stands on the right of `*`.
    constexpr void form(node& n, list<int>& from) {
        if (is_leaf(n.kind))
            return;
        axes const left = g[from[0]].shape;
        if (n.kind == op::pointwise && n.function == f_multiply && !left.is_matrix() && !left.is_scalar() &&
            g.is_matrix(from[1])) {
            n.kind = op::product;
            n.function = -1;
        }
        switch (n.kind) {
        case op::product:
            n.shape = {.time = left.time, .row = left.row, .columns = open_axis};
            if (left.is_value) {
                n.shape.rows = open_axis;
                n.shape.groups = left.groups;
                n.shape.is_value = true;
            }
            break;
        case op::features:
            n.shape = {};
            break;
        case op::derivative:
            n.shape = g[from[1]].shape;
            n.shape.time = n.shape.time || left.time;
            for (int* axis : {&n.shape.columns, &n.shape.rows})
                *axis = *axis == no_axis ? no_axis : open_axis;
            break;
        case op::reduce:
            n.shape = {.time = left.time, .row = left.row};
            break;
        case op::repeat:
            n.shape = {.time = left.time, .row = left.row, .columns = open_axis, .rows = open_axis};
            if (n.stands(equation::stands::in_group))
                n.shape.rows = no_axis;
            else {
                n.shape.groups = n.groups;
                n.shape.is_value = true;
            }
            break;
        case op::fold:
            n.shape = {.time = left.time, .row = left.row, .columns = open_axis};
            break;
        case op::slice:
            n.shape.time = left.time;
            n.shape.row = left.row;
            break;
        case op::concat: {
            axes all{};
            for (int o : from)
                all = broadcast(all, g[o].shape);
            for (int& o : from)
                o = spread_over(o, all.time, all.row, one_feature());
            n.shape = {.time = all.time, .row = all.row, .columns = open_axis};
            break;
        }
        default: // transpose, pointwise
            for (int o : from)
                n.shape = broadcast(n.shape, g[o].shape);
            n.shape.columns = n.shape.columns == no_axis ? no_axis : open_axis;
            n.shape.rows = n.shape.rows == no_axis ? no_axis : open_axis;
        }
    }

    constexpr axes one_feature() { return {.columns = g.intern(width(std::size_t(1)))}; }
    /// Node i with these axes; features, where it has none, are equal ones, as many as `like` has.
    constexpr int spread_over(int i, bool time, bool row, axes like) {
        axes const& have = g[i].shape;
        if (have.is_matrix() || (have.has_features() && have.time == time && have.row == row))
            return i;
        node n{.kind = op::spread, .shape = have.has_features() ? have : like, .owner = g[i].owner};
        n.shape.time = time;
        n.shape.row = row;
        return g.add(n, {i});
    }

    constexpr bool is_condition(int i) const {
        return g[i].kind == op::pointwise && g.operations[g[i].function].is_condition;
    }
    /// Conditions stand where a function takes one, and nothing else stands there.
    constexpr void check_conditions() {
        for (int i = 0; i < g.size(); ++i) {
            int const taken = g[i].kind == op::pointwise ? g.operations[g[i].function].conditions : 0;
            for (int k = 0; k < g[i].count; ++k)
                if (is_condition(g.operand(i, k)) != (k < taken))
                    g.report({.why = k < taken ? reason::no_condition : reason::condition_outside_where,
                              .gate = g.owner(i)});
        }
        for (definition const& d : g.definitions)
            if (d.kind != role::gate && is_condition(d.at))
                g.report({.why = reason::condition_outside_where, .gate = g.names[d.called]});
    }

    constexpr void list_results() {
        auto const& lines = g.definitions;
        int output = -1, h = -1, next = -1, states = 0;
        for (int d = 0; d < lines.size(); ++d) {
            if (lines[d].kind == role::output)
                output = d;
            if (lines[d].kind == role::next && !lines[d].is_delay) {
                next = d;
                ++states;
                if (g.names[lines[d].called].view() == "h")
                    h = d;
            }
        }
        output = output >= 0 ? output : h >= 0 ? h : states == 1 ? next : -1;
        if (output < 0) {
            g.report({.why = reason::missing_output});
            return;
        }
        auto const with_features = [&](int at, axes const& like) {
            return g[at].shape.row ? spread_over(at, g[at].shape.time, true, like) : at;
        };
        g.results.push_back({.kind = role::output, .called = g.intern(std::string_view("output"))});
        for (int d = 0; d < lines.size(); ++d) {
            int const called = lines[d].called;
            if (lines[d].kind == role::next) {
                axes const like = g[state_called(called)].shape;
                g.results.push_back(
                    {.kind = role::next, .called = called, .at = with_features(lines[d].at, like)});
            }
            if (d == output)
                g.results[0].at = lines[d].kind == role::next ? g.results.back().at
                                                              : with_features(lines[d].at, one_feature());
        }
    }
    constexpr int state_called(int called) const {
        int i = 0;
        while (g[i].kind != op::state || g[i].index != called)
            ++i;
        return i;
    }
};

} // namespace detail

/// The graph with every reference replaced. Its results are the output, then the next states in the order of
/// the updates.
constexpr graph resolve(graph_view const& raw) {
    detail::resolver r(raw);
    graph& g = r.g;
    r.read_definitions();
    for (int i = 0; i < raw.size(); ++i)
        if (is_leaf(raw[i].kind))
            r.build(i);
    for (int i = 0; i < raw.size(); ++i)
        if (raw[i].kind == op::state && r.nexts[raw[i].index] < 0)
            g.report({.why = reason::state_without_update,
                      .gate = raw.owner(i),
                      .about = raw.names[raw[i].index]});
    for (int d = 0; d < raw.definitions.size() && !g.trouble; ++d) {
        r.build(raw.definitions[d].at);
        g.definitions[d].at = r.built[raw.definitions[d].at];
    }
    for (definition const& d : g.definitions)
        if (d.kind == role::gate && !d.used)
            g.report({.why = reason::unused_definition, .gate = g.names[d.called]});
    if (!g.trouble)
        r.check_conditions();
    if (!g.trouble)
        r.list_results();
    return r.g;
}

} // namespace sluice
