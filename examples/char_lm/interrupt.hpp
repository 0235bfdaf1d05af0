// SPDX-License-Identifier: BSL-1.0
#pragma once

// Ctrl-C: the first one asks the program to stop at the next step, the second one kills it at once.

namespace char_lm {

void watch_interrupts();
bool interrupted();

} // namespace char_lm
