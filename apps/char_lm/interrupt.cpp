// SPDX-License-Identifier: BSL-1.0
#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace char_lm {

namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void remember(int) {
    asked = 1;
}

} // namespace

void watch_interrupts() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) // by nohup, or by a shell for what runs in the background
            continue;
        action.sa_handler = remember;
        // A terminal that is closed may send SIGHUP twice, through the shell and by itself.
        action.sa_flags = SA_RESTART | (signal == SIGHUP ? 0 : static_cast<int>(SA_RESETHAND));
        sigaction(signal, &action, nullptr);
    }
}

bool interrupted() {
    return asked != 0;
}

} // namespace char_lm
