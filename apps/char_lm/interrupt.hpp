// SPDX-License-Identifier: BSL-1.0
#pragma once

// Ctrl-C (SIGINT), SIGTERM and SIGHUP ask the program to stop at the next step. A second SIGINT or SIGTERM
// kills it at once.

namespace char_lm {

void watch_interrupts();
bool interrupted();

} // namespace char_lm
