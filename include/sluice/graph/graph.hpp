// SPDX-License-Identifier: BSL-1.0
// The graph: small nodes in topological order, each there once. Every pass reads one graph and makes another,
// or a plan. The graph of the GRU begins
//
//   0  input x          [B, input]          5  product 0 1        [B, units]
//   1  parameter W_r    [input, units]      6  product 3 2        [B, units]
//   2  parameter R_r    [units, units]      7  pointwise add 5 6  [B, units]
//   3  state h          [B, units]          8  pointwise add 7 4  [B, units]
//   4  parameter b_r    [units]             9  pointwise sigmoid 8
#pragma once

#include <sluice/core/constant_of.hpp>
#include <sluice/core/list.hpp>
#include <sluice/core/refuse.hpp>
#include <sluice/expr/term.hpp>
#include <sluice/graph/widths.hpp>
#include <string_view>

namespace sluice {

/// What a node is. Pointwise functions and reductions are rows of the table in expr/operation.hpp.
enum class op : unsigned char {
    // leaves
    input,     ///< what a step is given
    state,     ///< a state before the step
    parameter, ///< a matrix, a vector or a scalar
    setting,   ///< a number known when the cell is made
    number,    ///< a number in the equations
    cotangent, ///< the gradient that comes from outside, of result number `index`
    zero,      ///< zeros: the gradient of what takes no part
    // computed
    features,      ///< how many features the operand has, or each group of them
    pointwise,     ///< a function of its operands, element by element, with broadcast
    reduce,        ///< a reduction over the features: [B, W] -> [B]
    reduce_groups, ///< a reduction over the features of each group, in the place of each of them
    scan,          ///< a number for each feature, made of it and of all in front of it, or after it
    product,       ///< a M         [B, rows] [rows, columns] -> [B, columns]; of each row of a matrix value
    outer,         ///< a^T b       [B, rows] [B, columns] -> [rows, columns], summed over time and the batch,
                   ///< and over the rows of matrix values
    total,         ///< the sum over time and the batch
    spread,        ///< the operand in every place of the axes that it lacks
    slice,         ///< columns [from, from + width) of the operand
    concat,        ///< the columns of the operands side by side
    transpose,     ///< of a matrix
    repeat,        ///< a matrix value that has the vector in each column or row
    fold,          ///< the sum of a matrix value over its columns or rows
    // only before expand
    derivative, ///< of a number of each row, with respect to a value
    // only before resolve
    reference, ///< the gate or next state called `name`
};

/// How a kind of node is computed.
enum class computed : unsigned char {
    not_at_all,   ///< a leaf
    by_a_task,    ///< work of its own, between which blocks lie
    for_elements, ///< in a block, element by element
    of_a_row,     ///< in a block, when it has passed over the row: a number for each row
    for_a_row,    ///< the same: a number for each feature, made of a whole row
    in_place,     ///< where its operands lie, or from sizes alone
};

/// A row of the table of kinds: what passes and kernels ask of a kind of node.
struct kind_row {
    std::string_view word{}; ///< in print; of a function its own name stands there
    computed how = computed::in_place;
    bool has_function = false;   ///< `function` is its row in the table of operations
    bool needs_features = false; ///< the operands have to have them
    bool is_as_wide = false;     ///< the result has the features of its operands
    bool counts = false;         ///< it asks how many features there are
    bool is_ordered = false;     ///< its operands stand for different things
};

/// The row of each kind of node, in the order of `op`.
constexpr kind_row kinds[] = {
    {"input", computed::not_at_all},
    {"state", computed::not_at_all},
    {"parameter", computed::not_at_all},
    {"setting", computed::not_at_all},
    {"number", computed::not_at_all},
    {"cotangent", computed::not_at_all},
    {"zero", computed::not_at_all},
    {.word = "features", .needs_features = true, .counts = true},
    {.word = "pointwise", .how = computed::for_elements, .has_function = true},
    {.word = "reduce", .how = computed::of_a_row, .has_function = true, .needs_features = true},
    {.word = "reduce_groups",
     .how = computed::for_a_row,
     .has_function = true,
     .needs_features = true,
     .is_as_wide = true,
     .counts = true},
    {.word = "scan",
     .how = computed::for_a_row,
     .has_function = true,
     .needs_features = true,
     .is_as_wide = true,
     .is_ordered = true},
    {.word = "product", .how = computed::by_a_task},
    {.word = "outer", .how = computed::by_a_task, .is_ordered = true},
    {"total", computed::by_a_task},
    {.word = "spread", .how = computed::for_elements, .is_as_wide = true},
    {.word = "slice", .needs_features = true},
    {.word = "concat", .is_ordered = true},
    {"transpose"},
    {.word = "repeat", .how = computed::by_a_task, .needs_features = true},
    {.word = "fold", .how = computed::by_a_task, .needs_features = true},
    {.word = "derivative", .is_ordered = true},
    {"reference"},
};
static_assert(std::size(kinds) == static_cast<std::size_t>(op::reference) + 1);

/// The row of a kind of node.
constexpr kind_row const& about(op k) {
    return kinds[static_cast<int>(k)];
}
/// Whether nodes of a kind are given, and not computed: the first kinds are.
constexpr bool is_leaf(op k) {
    return k <= op::zero;
}
static_assert([](bool all) {
    for (kind_row const& row : kinds)
        all = all && is_leaf(static_cast<op>(&row - kinds)) == (row.how == computed::not_at_all);
    return all;
}(true));
/// A value for each feature, made of a whole row.
constexpr bool is_row_function(op k) {
    return about(k).how == computed::for_a_row;
}
/// What is there when a block has passed over a row.
constexpr bool waits_for_row(op k) {
    return about(k).how == computed::of_a_row || is_row_function(k);
}
/// Computed row by row, in blocks.
constexpr bool is_in_blocks(op k) {
    return about(k).how == computed::for_elements || waits_for_row(k);
}
/// Work of its own, between which pointwise blocks lie.
constexpr bool is_product_like(op k) {
    return about(k).how == computed::by_a_task;
}

/// Between a vector and a matrix value.
constexpr bool is_standing(op k) {
    return k == op::repeat || k == op::fold;
}

/// The axes of a value. A width is an index into the widths of the graph, or one of these.
inline constexpr int no_axis = -1;
inline constexpr int open_axis = -2; ///< has features; how many is not known yet

/// The shape of a value.
struct axes {
    bool time = false;     ///< differs between time steps
    bool row = false;      ///< differs between the rows of the batch
    int columns = no_axis; ///< how many features
    int rows = no_axis;    ///< of a matrix
    int groups = no_axis;  ///< of a block-diagonal matrix [groups, rows / groups, columns / groups]
    bool is_value = false; ///< a matrix in each row, until it is laid out as a vector (graph/shape.hpp)

    /// Of weights, and no value.
    constexpr bool is_matrix() const { return rows != no_axis && !is_value; }
    constexpr bool has_features() const { return columns != no_axis; }
    constexpr bool is_scalar() const { return !time && !row && columns == no_axis; }
    friend constexpr bool operator==(axes const&, axes const&) = default;
};

/// A matrix value as a vector of its rows, group by group; anything else as it is.
constexpr axes laid_out(basic_widths<list>& table, axes const& a) {
    if (!a.is_value)
        return a;
    return {.time = a.time, .row = a.row, .columns = intern_matrix(table, a.rows, a.columns, a.groups)};
}

/// The axes of an elementwise function of both: the union.
constexpr axes broadcast(axes a, axes const& b) {
    a.time = a.time || b.time;
    a.row = a.row || b.row;
    if (a.columns == no_axis || (a.columns == open_axis && b.columns != no_axis))
        a.columns = b.columns;
    if (a.rows == no_axis || (a.rows == open_axis && b.rows != no_axis))
        a.rows = b.rows;
    a.groups = a.groups == no_axis ? b.groups : a.groups;
    a.is_value = a.is_value || b.is_value;
    return a;
}

/// A value of a graph: its operation and its operands.
struct node {
    op kind = op::number;
    int first = 0; ///< operands, in the graph's `operands`
    int count = 0;
    axes shape{};
    int function = -1; ///< pointwise, reduce, reduce_groups, scan: its row in the table of operations
    int index = -1;    ///< of the name (leaves, references), of the result (cotangent)
    int order = 0;     ///< cotangent: how many times the graph had been differentiated; reference: its role;
                       ///< repeat, fold: how the vector stands in the matrix
    int from = -1;     ///< slice: the width of what lies before it, or -1 for nothing
    int groups = no_axis; ///< slice, concat: the columns lie side by side within each of so many groups; of
                          ///< reduce_groups, repeat and fold, and of features that are those of a
                          ///< group: how many there are
    int owner = -1;       ///< the definition in which the node was first met
    int next = -1;        ///< the next node with the same hash
    bool is_bias = false;
    bool fixed = false;       ///< parameter: never trained
    bool has_default = false; ///< setting
    double value = 0; ///< number, and the default of a setting; of a repeat, until shapes are known, its
                      ///< place: what tells it from its like

    /// Of a repeat or a fold: whether the vector stands so.
    constexpr bool stands(equation::stands as) const { return order == static_cast<int>(as); }
    /// A vector in the columns or rows of a matrix value, or a sum over them: blocks read and make it.
    constexpr bool is_of_matrix() const { return is_standing(kind) && !stands(equation::stands::in_group); }
};

constexpr bool is_in_blocks(node const& n) {
    return is_in_blocks(n.kind) || n.is_of_matrix();
}
constexpr bool is_product_like(node const& n) {
    return is_product_like(n.kind) && !n.is_of_matrix();
}

/// What a line of the equations defines.
enum class role : unsigned char { gate, next, initial, output, gradient };

/// A named node: a gate, the next value of a state, the parameter at which a state starts, the output; in a
/// differentiated graph the gradient with respect to the leaf `of`.
struct definition {
    role kind = role::gate;
    int called = -1; ///< index into names
    int at = -1;     ///< node
    int of = -1;     ///< gradient: the leaf
    bool used = false;
    bool is_delay = false; ///< the update of a state that delay() made
};

/// A row of the table of operations, as far as the passes know it.
struct operation_row {
    name called{};
    int arity = 1;
    bool cheap = false;      ///< an addition or so: rather computed again than kept
    op kind = op::pointwise; ///< or reduce, or scan
    int conditions = 0;      ///< so many operands, the first ones, are conditions
    bool is_condition = false;
    bool of_word = false; ///< stands only in what a word of the vocabulary is made of
    int strength = 3;     ///< of its sign in print: 1 as +, 2 as *, 3 for a function
    name sign{};          ///< infix in text, or empty
};

/// A graph over its lists.
template <template <class> class List>
struct basic_graph : basic_widths<List> {
    using view_type = basic_graph<view>;
    using basic_widths<List>::widths, basic_widths<List>::parts;

    List<node> nodes{};
    List<int> operands{};
    List<name> names{};
    List<definition> definitions{}; ///< every line, in the order in which it was written
    List<definition> results{};     ///< what the graph computes: the output, then the next states
    List<operation_row> operations{};
    problem trouble{};

    constexpr basic_graph() = default;
    constexpr explicit basic_graph(problem const& p) : trouble(p) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(nodes, operands, widths, parts, names, definitions, results, operations);
    }
    constexpr problem facts() const { return trouble; }

    constexpr node const& operator[](int i) const {
        if constexpr (requires { nodes.items; }) // of a view: a call less
            return nodes.items[i];
        return nodes[i];
    }
    constexpr int size() const { return nodes.size(); }
    constexpr view<int> operands_of(int i) const {
        node const& n = (*this)[i];
        return operands.part(n.first, n.count);
    }
    constexpr int operand(int i, int k = 0) const { return operands[(*this)[i].first + k]; }
    constexpr bool is(int i, int function) const {
        node const& n = (*this)[i];
        return n.kind == op::pointwise && n.function == function;
    }
    constexpr bool is_number(int i, double value) const {
        node const& n = (*this)[i];
        return n.kind == op::number && n.value == value;
    }
    constexpr bool is_matrix(int i) const { return (*this)[i].shape.is_matrix(); }
    /// A matrix in each row that is laid out as a vector.
    constexpr bool is_matrix_value(int i) const {
        int const columns = (*this)[i].shape.columns;
        return columns >= 0 && widths[columns].is_product();
    }
    constexpr bool is_cheap(int i) const {
        node const& n = (*this)[i];
        return n.kind == op::pointwise && operations[n.function].cheap;
    }
    /// A leaf that is what a sweep computed in the step before: a state; the gradient of a next state, or of
    /// the gradient of such a leaf.
    constexpr bool is_carried(int leaf) const {
        if (nodes[leaf].kind != op::cotangent)
            return nodes[leaf].kind == op::state;
        definition const& d = results[nodes[leaf].index];
        return d.kind == role::next || (d.kind == role::gradient && is_carried(d.of));
    }
    constexpr std::string_view name_of(int i) const {
        return nodes[i].index < 0 ? std::string_view{} : names[nodes[i].index].view();
    }
    /// The name of the definition in which node i was first met.
    constexpr name owner(int i) const {
        int const d = nodes[i].owner;
        return d < 0 ? name{} : names[definitions[d].called];
    }
};

/// A graph that is read.
using graph_view = basic_graph<view>;

/// A graph that grows.
struct graph : basic_graph<list> {
    static constexpr int buckets = 256;
    int heads[buckets]{}; ///< one more than the last node of each hash

    constexpr graph() = default;
    constexpr explicit graph(graph_view const& g) {
        trouble = g.trouble;
        operands = g.operands;
        widths = g.widths;
        parts = g.parts;
        names = g.names;
        definitions = g.definitions;
        results = g.results;
        operations = g.operations;
        nodes = g.nodes;
        for (int i = 0; i < nodes.size(); ++i)
            chain(i);
    }

    constexpr graph_view seen() const { return view_of<basic_graph<list>>(*this); }

    /// The node with these operands, which is appended if it is new.
    constexpr int add(node n, view<int> from) {
        for (int i = heads[hash(n, from)] - 1; i >= 0; i = nodes[i].next)
            if (same(nodes[i], operands_of(i), n, from))
                return i;
        n.first = operands.size();
        n.count = from.size();
        for (int o : from)
            operands.push_back(o);
        int const i = nodes.push_back(n);
        chain(i);
        return i;
    }
    constexpr int add(node const& n, std::initializer_list<int> from = {}) {
        list<int> const operands_of_n(from);
        return add(n, view<int>(operands_of_n));
    }
    constexpr int intern(name const& n) {
        int const there = names.find(n);
        return there >= 0 ? there : names.push_back(n);
    }
    constexpr int intern(width const& w) { return intern_width(*this, w); }
    constexpr int sum_of_widths(list<int> const& summands) { return sluice::sum_of_widths(*this, summands); }
    /// Keeps the first problem only: later ones are often its echo.
    constexpr void report(problem const& p) {
        if (!trouble)
            trouble = p;
    }

private:
    static constexpr int hash(node const& n, view<int> from) {
        unsigned h = static_cast<unsigned>(n.kind) * 31u + static_cast<unsigned>(n.function + 7) * 17u +
                     static_cast<unsigned>(n.index + 3) * 5u + static_cast<unsigned>(n.from + 1) * 3u;
        for (int o : from)
            h = h * 37u + static_cast<unsigned>(o);
        return static_cast<int>(h % buckets);
    }
    static constexpr bool same(node const& p, view<int> p_from, node const& q, view<int> q_from) {
        bool equal = p.kind == q.kind && p.function == q.function && p.index == q.index &&
                     p.order == q.order && p.from == q.from && p.groups == q.groups && p.value == q.value &&
                     p.is_bias == q.is_bias && p.fixed == q.fixed && p.has_default == q.has_default &&
                     p_from.size() == q_from.size();
        for (int k = 0; equal && k < p_from.size(); ++k)
            equal = p_from[k] == q_from[k];
        // The axes of these follow from nothing else. A width is open until the shapes are known.
        if (p.kind == op::zero || p.kind == op::total || p.kind == op::spread || p.kind == op::slice ||
            p.kind == op::concat || p.kind == op::outer || is_standing(p.kind))
            equal = equal && p.shape == q.shape;
        return equal;
    }
    constexpr void chain(int i) {
        int& head = heads[hash(nodes[i], operands_of(i))];
        nodes[i].next = head - 1;
        head = i + 1;
    }
};

} // namespace sluice
