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
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM})
        sigaction(signal, &action, nullptr);
}

bool interrupted() {
    return asked != 0;
}

} // namespace char_lm
