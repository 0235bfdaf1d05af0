// SPDX-License-Identifier: BSL-1.0
// A sum over ranks that has begun, and goes on while something else is computed:
//
//   auto begun = all.start_all_reduce(tree, nodes, sum);    // transport.hpp
//   ...                                                     // begun.test() now and then
//   begun.finish();                                         // sum is there
//
//   nodes of all ranks for this rank's slice ---> added up ---> slices of all ranks
//         call k, begins at once                  in test       call k + 1, begins then
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <span>
#include <stdexcept>

namespace sluice {

class transport;

/// A sum that has begun. Until finish returns, the nodes that were given are not to be changed, and the
/// array of the sum is not to be looked at. It goes before its transport does.
template <class S>
class pending_sum {
public:
    /// Whether finish would wait for nothing that another rank sends. It moves bytes on, and adds up what has
    /// come.
    bool test();
    /// Afterwards the sum is there. Pending sums may be finished in any order, the same on all ranks.
    void finish();

private:
    friend transport;
    void add_up();

    transport* transport_ = nullptr;
    std::unique_ptr<exchange> nodes_{};  // of all ranks, of this rank's slice
    std::unique_ptr<exchange> slices_{}; // of all ranks: the second part of all_reduce, call number_ + 1
    sum_tree tree_{};
    std::span<S> slice_{};
    std::span<S> all_{};   // of all_reduce
    bool gathers_ = false; // all_reduce does
    bool is_added_ = false;
    std::uint64_t number_ = 0;
};

namespace detail {

/// A rank of so many.
struct rank_among {
    int rank;
    int size;
};

/// Throws std::invalid_argument unless the tree is of as many ranks, and so many numbers are the nodes of
/// this one, of `count` each and `stride` apart, whose bytes an address can count.
template <class S>
void check_nodes(call_kind kind, sum_tree const& tree, rank_among const& here, std::size_t numbers,
                 std::size_t count, std::size_t stride) {
    if (tree.ranks != here.size)
        fail<std::invalid_argument>({call_name(kind), " expects a sum_tree of ", here.size,
                                     " ranks, but was given one of ", tree.ranks});
    std::size_t const own = tree.count_nodes(here.rank);
    // The last node may end where its part does.
    std::size_t const most = std::numeric_limits<std::size_t>::max() / sizeof(S);
    bool const fits = count <= stride && (stride == 0 || own <= most / stride);
    std::size_t const needed = !fits || own == 0 ? 0 : (own - 1) * stride + count;
    if (!fits || (stride == count ? numbers != needed : numbers < needed))
        fail<std::invalid_argument>({call_name(kind), " expects ", own, " nodes of ", count,
                                     " numbers from rank ", here.rank, ", which has the leaves ",
                                     tree.of(here.rank).first, " to before ", tree.of(here.rank).last,
                                     ", but was given ", numbers, " numbers"});
}

} // namespace detail

} // namespace sluice
