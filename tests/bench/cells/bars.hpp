// SPDX-License-Identifier: BSL-1.0
// What speed is asked for, and whether it is there.
#pragma once

#include "machine.hpp"
#include "rounds.hpp"
#include <string>
#include <vector>

namespace bench {

/// Prints each bar: its number, the work, the peer, what it must reach and what it aims for, what was
/// measured. Works that were not measured are said to be so.
void print_bars(std::vector<result> const& all, machine const& m);

/// Lines of a file with comma-separated values, and back.
std::string csv_head();
std::string csv(result const& r);
std::vector<result> read_csv(std::string const& file);

} // namespace bench
