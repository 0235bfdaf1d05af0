// SPDX-License-Identifier: BSL-1.0
#pragma once

// The files that the program writes, --checkpoint and --log: neither may cost the user a file that is there.

#include "corpus.hpp"
#include "options.hpp"

#include <string>

namespace char_lm {

// Refuses what must not be written: a text, a log in a folder of texts (the next run would learn it), a log
// that is the checkpoint or would be in its way, what is no regular file, and where standard output goes.
// Nothing is written.
void require_harmless(const options& o, const corpus& text);

// Before a new training: a file that is there already is kept as PATH.old, or PATH.old2 when that is taken,
// and so on. That is said; `what` is "checkpoint" or "log".
void set_aside(const std::string& what, const std::string& path);

} // namespace char_lm
