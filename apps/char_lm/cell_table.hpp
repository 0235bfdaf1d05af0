// SPDX-License-Identifier: BSL-1.0
#pragma once

// One table of every cell that is built in: its size, its work, and what it learns and how fast on one small
// budget.

#include "exit_code.hpp"
#include "options.hpp"

namespace char_lm {

// On standard output, row by row as they are measured; progress goes to standard error. A cell that fails
// says why in its row. Throws bad_call for a text that cannot be used.
exit_code print_cell_table(const options& o);

} // namespace char_lm
