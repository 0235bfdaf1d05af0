// SPDX-License-Identifier: BSL-1.0
// The rows of the table.
#pragma once

#include "peers.hpp"
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// What will be a work when it is made.
struct task {
    std::string called;
    bool is_quick = false; ///< in the table with one row of each bar
    std::function<work()> make;
};

/// All rows, in the order in which they are printed; with more than one thread, those that have them.
std::vector<task> all_tasks(int threads);

} // namespace bench
