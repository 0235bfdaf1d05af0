// SPDX-License-Identifier: BSL-1.0
#pragma once

// How the program can end. --help lists these.

#include <array>

namespace char_lm {

struct exit_code {
    int number;
    const char* meaning;
};

namespace exit_codes {

inline constexpr exit_code finished{
    0, "the training is finished, --minutes are over, or --stop-after is reached"};
inline constexpr exit_code failed{
    1, "something failed: a file, the memory, a thread, standard output, or a loss that is no number"};
inline constexpr exit_code refused{2, "the call, the text or the checkpoint cannot be used"};
inline constexpr exit_code stopped{
    130, "stopped by Ctrl-C (SIGINT), SIGTERM or SIGHUP; the checkpoint has it all. A second Ctrl-C or "
         "SIGTERM kills, and what was trained since the last line about a saved validation is lost"};

inline constexpr std::array all{finished, failed, refused, stopped};

} // namespace exit_codes

} // namespace char_lm
