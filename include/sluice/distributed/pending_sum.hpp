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

#include <cstdint>
#include <memory>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <span>

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

} // namespace sluice
