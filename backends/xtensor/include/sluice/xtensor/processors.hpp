// SPDX-License-Identifier: BSL-1.0
// On which processors a thread may run. Elsewhere than on Linux nothing is known of them, and nothing is
// asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace sluice::xtensor {

/// The processors that the thread which made this might use then.
class processors {
public:
#ifdef __linux__
    processors() {
        if (sched_getaffinity(0, sizeof(usable_), &usable_) != 0)
            CPU_ZERO(&usable_);
    }

    /// The processor on which the calling thread runs, or -1.
    static int current() {
        return sched_getcpu();
    }

    /// How many there are; what a container allows of their time is not among what it can ask.
    std::size_t count() const {
        int const counted = CPU_COUNT(&usable_);
        return counted > 0 ? static_cast<std::size_t>(counted) : of_machine();
    }
    /// Lets a thread use all of them but one, if there are others.
    void keep_off(std::thread::native_handle_type thread, int processor) const {
        if (cpu_set_t others = usable_; remove(processor, others))
            pthread_setaffinity_np(thread, sizeof(others), &others);
    }
    /// Moves the calling thread, where it runs on this one, to another.
    static void leave(int processor) {
        if (current() != processor)
            return;
        processors const all;
        all.keep_off(pthread_self(), processor);
        all.restore();
    }
    /// Lets the calling thread use all of them.
    void restore() const {
        sched_setaffinity(0, sizeof(usable_), &usable_);
    }

private:
    cpu_set_t usable_;

    static bool remove(int processor, cpu_set_t& from) {
        if (processor < 0 || processor >= CPU_SETSIZE || CPU_COUNT(&from) < 2)
            return false;
        CPU_CLR(static_cast<unsigned>(processor), &from);
        return true;
    }
#else
    static int current() {
        return -1;
    }
    std::size_t count() const {
        return of_machine();
    }
    void keep_off(std::thread::native_handle_type, int) const {}
    static void leave(int) {}
    void restore() const {}

private:
#endif
    static std::size_t of_machine() {
        return std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
    }
};

} // namespace sluice::xtensor
