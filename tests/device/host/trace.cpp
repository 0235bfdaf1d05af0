// SPDX-License-Identifier: BSL-1.0
// Each access of a kernel: to memory of a block that is alive, at a multiple of its size, and never to what
// another thread writes without a barrier between them. What is neither the device's, nor shared, nor of the
// thread's stack, nor a constant of the text, is the host's.
#include "kernels.hpp"
#include <array>
#include <unordered_map>

namespace host_device {

namespace {

constexpr unsigned grain = 2; ///< bytes that are looked after together

struct moment {
    long thread = -1; ///< of all threads of the launch
    unsigned barriers = 0, meetings = 0;
};
struct history {
    moment write{}, read{}, other_read{};
};

using histories = std::unordered_map<std::uintptr_t, history>;

struct tracer {
    image const* from = nullptr;
    std::uintptr_t stack = 0, dynamic_first = 0, dynamic_last = 0;
    std::uintptr_t arguments_first = 0, arguments_last = 0;
    long blocks = 0;
    unsigned thread = 0, barriers = 0;
    std::array<unsigned, 32> meetings{};
    histories global{}, shared{};

    moment now() const {
        return {blocks * 1024 + static_cast<long>(thread), barriers, meetings[thread / 32]};
    }
    bool is_before(moment const& then) const {
        moment const here = now();
        if (then.thread < 0 || then.thread == here.thread)
            return true;
        if (then.thread / 1024 != here.thread / 1024)
            return false;
        bool const same_warp = then.thread / 32 == here.thread / 32;
        return then.barriers != here.barriers || (same_warp && then.meetings != here.meetings);
    }
};
tracer& trace() {
    static tracer& it = *new tracer;
    return it;
}

[[noreturn]] void stop_at(char const* what, void const* p, unsigned bytes, int writes) {
    stop({what, ": ", running_thread(), writes != 0 ? " writes " : " reads ", bytes, " bytes at ", where(p)});
}

void check_race(histories& words, void const* p, unsigned bytes, int writes, char const* what) {
    tracer& t = trace();
    auto const first = reinterpret_cast<std::uintptr_t>(p) / grain;
    for (std::uintptr_t word = first; word * grain < reinterpret_cast<std::uintptr_t>(p) + bytes; ++word) {
        history& h = words[word];
        if (!t.is_before(h.write) || (writes != 0 && (!t.is_before(h.read) || !t.is_before(h.other_read))))
            stop_at(what, p, bytes, writes);
        if (writes != 0) {
            h.write = t.now();
        } else {
            if (h.read.thread >= 0 && h.read.thread != t.now().thread)
                h.other_read = h.read;
            h.read = t.now();
        }
    }
}

} // namespace

void begin_trace(launch const& of, void const* stack) {
    tracer& t = trace();
    t.from = of.from;
    t.arguments_first = reinterpret_cast<std::uintptr_t>(of.arguments.data());
    t.arguments_last = t.arguments_first + of.arguments.size();
    t.stack = reinterpret_cast<std::uintptr_t>(stack);
    t.blocks = -1;
    t.global = histories(); // clear() passes over the buckets of the largest launch so far
}
void begin_traced_block(void const* dynamic_shared, std::size_t bytes) {
    tracer& t = trace();
    t.dynamic_first = reinterpret_cast<std::uintptr_t>(dynamic_shared);
    t.dynamic_last = t.dynamic_first + bytes;
    ++t.blocks;
    t.barriers = 0;
    t.meetings.fill(0);
    t.shared = histories();
}
void set_traced_thread(unsigned thread) {
    trace().thread = thread;
}
void trace_barrier() {
    ++trace().barriers;
}
void trace_meeting(unsigned warp) {
    ++trace().meetings[warp];
}

void trace_access(void const* p, unsigned bytes, int writes) {
    tracer& t = trace();
    auto const at = reinterpret_cast<std::uintptr_t>(p);
    if (is_device_address(p)) {
        if (device_bytes(p) < bytes)
            stop_at("outside of every allocation", p, bytes, writes);
        if (bytes <= 16 && (bytes & (bytes - 1)) == 0 && at % bytes != 0)
            stop_at("not at a multiple of its size", p, bytes, writes);
        check_race(t.global, p, bytes, writes, "two threads use the same memory, and one of them writes");
        return;
    }
    auto const shared_first = reinterpret_cast<std::uintptr_t>(t.from->table->shared_first);
    auto const shared_last = reinterpret_cast<std::uintptr_t>(t.from->table->shared_last);
    if ((at >= shared_first && at < shared_last) || (at >= t.dynamic_first && at < t.dynamic_last)) {
        check_race(t.shared, p, bytes, writes, "shared memory without a barrier between two threads");
        return;
    }
    bool const is_constant = at >= t.from->first && at < t.from->last;
    bool const is_stack = at <= t.stack && at >= reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    bool const is_argument = at >= t.arguments_first && at < t.arguments_last && writes == 0;
    if (!is_constant && !is_stack && !is_argument && !is_fiber_stack(p))
        stop_at("memory of the host", p, bytes, writes);
}

} // namespace host_device
