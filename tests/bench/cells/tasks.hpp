// SPDX-License-Identifier: BSL-1.0
// The rows of the table.
#pragma once

#include "peers.hpp"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What will be a work when it is made.
struct task {
    std::string called;
    bool is_quick = false; ///< in the table with one row of each bar
    std::function<work()> make;
    /// Of a work of two threads, whose libraries have processes of their own: one of them, by its place in their list.
    std::function<std::optional<contestant>(std::size_t library)> alone{};
};

/// All rows, in the order in which they are printed; with more than one thread, those that have them.
std::vector<task> all_tasks(int threads);

} // namespace bench
