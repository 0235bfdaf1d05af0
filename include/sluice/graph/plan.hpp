// SPDX-License-Identifier: BSL-1.0
// plan: what a lowering has to do, in which order, and what it has to keep.
//
// The same pass serves both directions. The recurrent leaves are the states of a forward graph, and the seeds
// of the next states of a backward graph; the recurrent results are the next states, and the gradients of the
// states.
//
//   before   depends on no recurrent leaf: hoisted out of the time loop, one product over all time steps
//   loop     depends on one, and a recurrent result depends on it
//   after    depends on one, but no recurrent result on it: postponed, one product over all time steps;
//            the gradients of the parameters are all here
//
// Products with one left operand in one phase become one product over adjacent columns of a *panel*; in the
// backward direction their transposes become one product whose sum runs over the same columns. What lies
// between products is one pointwise *block* for each level and width.
#pragma once

#include <sluice/graph/graph.hpp>

namespace sluice {

enum class phase : unsigned char { before, loop, after };

/// Weight matrices side by side: the right side of one merged product. P, here and below, is the number of
/// products in the graph.
template <std::size_t P>
struct weight_pack {
    int left = -1; ///< the node on the left of the products
    bool grouped = false;
    fixed_vector<int, P> products{}; ///< forward nodes, in the order of the columns
};

/// A matrix in memory with the values of several nodes side by side: [batch, columns of all members], and
/// where it is kept over time [time, batch, columns]; grouped: within each group the members are side by
/// side.
template <std::size_t P>
struct panel {
    fixed_vector<int, P + 1> members{};
    bool grouped = false;
    bool kept = false; ///< over all time steps
    bool single_row = false;
    bool of_gradients = false; ///< the left side of merged transposes and outer products
    bool placed = false;       ///< its members know of it
};

/// Where a node's value is: the place of a member in a panel.
struct home {
    int panel = -1;
    int member = -1;
};

/// One product over the columns [first, first + count) of a pack.
template <std::size_t P>
struct planned_product {
    op kind = op::product; ///< product, product_transposed, outer or column_sum
    fixed_vector<int, P>
        computes{}; ///< the nodes whose values it gives; for a merged transpose the whole sum
    int left = -1;  ///< node on the left; product_transposed: none, its left side is `operand`
    home operand{}; ///< outer and product_transposed: the first of the gradients, side by side
    home result{};  ///< all but outer, whose result has the shape of its pack
    int pack = -1;
    int first = 0;
    int count = 0;
    phase when = phase::before;
    int level = 0;
    bool for_input_only = false; ///< nothing but the gradient of the input wants it
};

/// Elementwise work on rows of one width, in one pass.
struct planned_block {
    phase when = phase::before;
    int level = 0;
    width columns{};
    bool single_row = false;
    bool for_input_only = false;

    friend constexpr bool operator==(planned_block const&, planned_block const&) = default;
};

/// A value that no block computes, and that has to stand in a panel too.
struct planned_copy {
    int from = -1;
    home to{};
    phase when = phase::before;
    int level = 0;
};

/// Where the gradient of a weight matrix is: a member of the pack-shaped result of a planned outer product.
struct matrix_home {
    int product = -1;
    int member = -1;
};

enum class task : unsigned char { product, block, copy };

struct scheduled {
    task what = task::product;
    int index = -1;
    phase when = phase::before;
};

/// Of a graph with N nodes, P of them products. A value has a panel of its own or stands in those of products.
template <std::size_t N, std::size_t P>
struct plan {
    fixed_vector<weight_pack<P>, P> packs{};
    fixed_vector<panel<P>, N + P> panels{};
    fixed_vector<planned_product<P>, P> products{};
    fixed_vector<planned_block, N> blocks{};
    fixed_vector<planned_copy, P> copies{};
    fixed_vector<scheduled, N + 2 * P> schedule{};

    int same_as[N]{};                     ///< node -> the node that holds its value
    bool absorbed[N]{};                   ///< its value is part of another node's, in the same sum
    bool live[N]{};                       ///< some result depends on it
    bool in_place[N]{};                   ///< cheap: computed anew in every block that wants it
    int block_of[N]{};                    ///< node -> block, or -1
    fixed_vector<home, P + 1> homes[N]{}; ///< node -> every place that holds its value; read from the first
    matrix_home matrix_homes[N]{};        ///< outer nodes
    bool saved[N]{};                      ///< given (forward) node that the backward pass reads
};

} // namespace sluice
