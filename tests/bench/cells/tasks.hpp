// SPDX-License-Identifier: BSL-1.0
// The rows of the table.
#pragma once

#include "peers.hpp"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A library beside this one.
struct peer {
    char const* called;
    maker make;
    bool in_groups = false; ///< it makes cells in groups of its own
    int most_threads = 2;
    std::string (*version)() = nullptr; ///< none: its name says it
};
/// Those that this program was built with.
std::vector<peer> const& built_peers();
/// Tries a peer on a small cell, here: a library that does not suit the processor may end the process.
void try_peer(peer const& p);
/// Those of `built_peers` that a process of their own could try, which is done once. Of the others it says
/// why.
std::vector<peer> const& working_peers();

/// What will be a work when it is made.
struct task {
    std::string called;
    bool is_quick = false; ///< in the table with one row of each bar
    std::function<work()> make;
    /// Of a work of two threads, where each library has a process of its own: one of them, by its name.
    std::function<std::optional<contestant>(std::string const& library)> alone{};
};

/// All rows, in the order in which they are printed; with more than one thread, those that have them.
std::vector<task> all_tasks(int threads);

} // namespace bench
