// SPDX-License-Identifier: BSL-1.0
// The graph: a constexpr array of small nodes in topological order, each node there once. Every pass reads
// one graph and makes another, or a plan.
#pragma once

#include <array>
#include <sluice/core/fixed_vector.hpp>
#include <sluice/core/refuse.hpp>

namespace sluice {

/// What a node computes from its operands a and b. B is the batch.
enum class op : unsigned char {
    // leaves
    input,   ///< x [B, width]
    state,   ///< a state before the step [B, width]
    seed,    ///< the gradient that comes from outside, of result number `index` [shape of the result]
    matrix,  ///< a parameter [rows, width]; grouped: block-diagonal
    vector,  ///< a parameter [width]
    setting, ///< a number known when the cell is made
    number,  ///< a number in the equations
    zero,    ///< zeros of the shape of node a: the gradient of what takes no part
    // elementwise, with broadcast of vectors and numbers
    add,
    subtract,
    multiply,
    negate,
    apply, ///< activation number `index` of a
    // products
    product,            ///< a * b          [B, rows of b] x [rows, width] -> [B, width]
    product_transposed, ///< a * b^T        [B, width of b] x [rows, width]^T -> [B, rows of b]
    outer,              ///< a^T * b        [B, rows] , [B, width] -> [rows, width], summed over the batch
    column_sum,         ///< sum of a over the batch [B, width] -> [width]
    spread,             ///< a in every row of the batch [width] -> [B, width]
    // only before resolve
    reference, ///< the gate or next state called `name`
};

enum class shape : unsigned char { scalar, vector, matrix, batch };

struct node {
    op kind = op::number;
    shape form = shape::batch;
    int a = -1;
    int b = -1;
    int index = -1; ///< of the name (leaves), the activation (apply), the result (seed)
    int order = 0;  ///< seed: how many times the graph had been differentiated
    int owner = -1; ///< the definition in which the node was first met
    bool grouped = false;
    bool is_bias = false;
    bool has_default = false; ///< setting
    double value = 0;         ///< number, and the default of a setting
    width columns{};          ///< the width
    width rows{};             ///< matrices only

    constexpr std::array<int, 2> operands() const { return {a, b}; }

    friend constexpr bool operator==(node const& p, node const& q) {
        return p.kind == q.kind && p.a == q.a && p.b == q.b && p.index == q.index && p.order == q.order &&
               p.grouped == q.grouped && p.has_default == q.has_default && p.value == q.value &&
               p.is_bias == q.is_bias;
    }
};

/// What a line of the equations defines.
enum class role : unsigned char { gate, next, output, gradient };

/// A named node: a gate, the next value of a state, the output; in a differentiated graph the gradient with
/// respect to the leaf `of`.
struct definition {
    role kind = role::gate;
    int called = -1; ///< index into names
    int at = -1;     ///< node
    int of = -1;     ///< gradient: the leaf
    bool used = false;
};

/// Of each list at most N entries: N terms give no more nodes, names or lines.
template <std::size_t N>
struct graph {
    static constexpr std::size_t capacity = N;

    fixed_vector<node, N> nodes{};
    fixed_vector<name, N> names{};
    fixed_vector<definition, N> definitions{}; ///< every line, in the order in which it was written
    fixed_vector<definition, N> results{};     ///< what the graph computes: the output, then the next states
    problem trouble{};

    constexpr node const& operator[](int i) const { return nodes[i]; }
    constexpr int size() const { return nodes.size(); }

    /// The index of the node, which is appended if it is new.
    constexpr int add(node const& n) {
        int const there = nodes.find(n);
        return there >= 0 ? there : nodes.push_back(n);
    }
    constexpr int intern(name const& n) {
        int const there = names.find(n);
        return there >= 0 ? there : names.push_back(n);
    }
    /// Keeps the first problem only: later ones are often its echo.
    constexpr void report(problem const& p) {
        if (!trouble)
            trouble = p;
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

constexpr bool is_parameter(op k) {
    return k == op::matrix || k == op::vector;
}
constexpr bool is_leaf(op k) {
    return k <= op::zero;
}
constexpr bool is_pointwise(op k) {
    return k >= op::add && k <= op::apply;
}
constexpr bool is_any_product(op k) {
    return k >= op::product && k <= op::column_sum;
}

/// The larger of two shapes under broadcast.
constexpr shape broadcast(shape p, shape q) {
    return p < q ? q : p;
}

/// The same graph with room for N entries of each list.
template <std::size_t N, std::size_t M>
constexpr graph<N> resize(graph<M> const& g) {
    graph<N> result;
    for (node const& n : g.nodes)
        result.nodes.push_back(n);
    for (name const& n : g.names)
        result.names.push_back(n);
    for (definition const& d : g.definitions)
        result.definitions.push_back(d);
    for (definition const& d : g.results)
        result.results.push_back(d);
    result.trouble = g.trouble;
    return result;
}

/// The length of its longest list.
template <std::size_t N>
constexpr std::size_t size_of(graph<N> const& g) {
    int most = 1;
    for (int length : {g.nodes.size(), g.names.size(), g.definitions.size(), g.results.size()})
        most = length > most ? length : most;
    return static_cast<std::size_t>(most);
}

/// How many of the nodes are products or sums over the batch.
template <std::size_t N>
constexpr std::size_t count_products(graph<N> const& g) {
    std::size_t count = 0;
    for (node const& n : g.nodes)
        count += is_any_product(n.kind);
    return count;
}

} // namespace sluice
