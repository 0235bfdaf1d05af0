// SPDX-License-Identifier: BSL-1.0
// So many threads of the team of the process, as long as an object of this class lives, all of them awake.
#pragma once

#include <chrono>
#include <sluice/xtensor/team.hpp>
#include <thread>

namespace support {

struct threads_there {
    explicit threads_there(std::size_t count) {
        using namespace std::chrono_literals;
        sluice::xtensor::set_threads(count, 60s);
        auto& all = sluice::xtensor::team::of_process();
        // Asked while this thread leads: a member that has just been counted may still hold the team.
        for (bool there = count < 2; !there; std::this_thread::yield())
            if (all.lead(1)) {
                there = all.is_whole();
                all.leave();
            }
    }
    threads_there(threads_there const&) = delete;
    threads_there& operator=(threads_there const&) = delete;
    ~threads_there() { sluice::xtensor::set_threads(1); }
};

} // namespace support
