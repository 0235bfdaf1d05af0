// SPDX-License-Identifier: BSL-1.0
// The order of work in two queues of one device, such as those of two threads.
#pragma once

#include <sluice/cudnn/runtime/handle.hpp>
#include <sluice/cudnn/runtime/queue.hpp>

namespace sluice::cudnn::detail {

/// What `later` is asked for from now on is done after all that `earlier` was asked for.
inline void follow(queue& later, queue& earlier) {
    if (&later == &earlier)
        return;
    unique_event done;
    {
        queue::lock const mine(earlier);
        done = unique_event("an event");
        require(cudaEventRecord(done.get(), earlier.stream()), {"record an event"});
    }
    queue::lock const mine(later);
    require(cudaStreamWaitEvent(later.stream(), done.get(), 0), {"wait for the work of another thread"});
}

} // namespace sluice::cudnn::detail
