// SPDX-License-Identifier: BSL-1.0
// Threads of a block that wait for each other: each has a stack of its own and runs until it has to wait.
#include "kernels.hpp"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace host_device {

namespace {

constexpr std::size_t stack_bytes = 64 << 10, guard_bytes = 4096, most_threads = 1024;

unsigned char* stack_of(std::size_t i) {
    static unsigned char* const all = [] {
        void* const p = ::mmap(nullptr, most_threads * stack_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (p == MAP_FAILED)
            stop({"there is no memory for the stacks of a block of threads"});
        for (std::size_t k = 0; k < most_threads; ++k)
            ::mprotect(static_cast<unsigned char*>(p) + k * stack_bytes, guard_bytes, PROT_NONE);
        return static_cast<unsigned char*>(p);
    }();
    return all + i * stack_bytes;
}

} // namespace

// Switching
// -----------------------------------------------------------------------------------------------------

#if defined(__x86_64__)

// What a function has to keep goes onto the stack, and the other stack becomes this one.
extern "C" void sluice_switch_stack(void** from, void* to);
asm(R"(
.text
.type sluice_switch_stack, @function
sluice_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size sluice_switch_stack, .-sluice_switch_stack
)");

namespace {

struct context {
    void* top = nullptr;

    void begin(unsigned char* stack, void (*start)()) {
        auto* const end = reinterpret_cast<void**>(stack + stack_bytes);
        end[-1] = nullptr; // the address that `start` would return to
        std::memcpy(end - 2, &start, sizeof start);
        for (int i = 3; i <= 8; ++i)
            end[-i] = nullptr;
        top = end - 8;
    }
    void switch_to(context& other) { sluice_switch_stack(&top, other.top); }
};

} // namespace

#else

namespace {

struct context {
    ucontext_t state{};

    void begin(unsigned char* stack, void (*start)()) {
        ::getcontext(&state);
        state.uc_stack.ss_sp = stack + guard_bytes;
        state.uc_stack.ss_size = stack_bytes - guard_bytes;
        state.uc_link = nullptr;
        ::makecontext(&state, start, 0);
    }
    void switch_to(context& other) { ::swapcontext(&state, &other.state); }
};

} // namespace

#endif

// A block
// -------------------------------------------------------------------------------------------------------

namespace {

enum class waits_for { nothing, barrier, warp, end };

struct fiber {
    context own{};
    waits_for waiting = waits_for::nothing;
    int line = 0;
    unsigned mask = 0, source = 0, bytes = 0, ballot = 0;
    bool predicate = false;
    std::array<unsigned char, 16> value{};
    void* result = nullptr;
};

struct scheduler {
    std::vector<fiber> fibers{};
    context own{};
    unsigned current = 0;
    launch* what = nullptr;
    void (*start)(unsigned) = nullptr;

    fiber& here() { return fibers[current]; }
    void wait(waits_for what_for, int line) {
        here().waiting = what_for;
        here().line = line;
        here().own.switch_to(own);
    }
    std::string text_of(unsigned t) const {
        auto const& b = what->block;
        return sentence({"thread (", t % b.x, ", ", t / b.x % b.y, ", ", t / b.x / b.y, ")"});
    }
    /// Threads that all wait in the same call of a warp go on.
    bool release_warp(unsigned first) {
        unsigned const end = std::min<unsigned>(first + 32, static_cast<unsigned>(fibers.size()));
        bool any = false;
        for (unsigned t = first; t < end; ++t) {
            if (fibers[t].waiting != waits_for::warp)
                continue;
            unsigned const mask = fibers[t].mask;
            unsigned here_now = 0;
            bool all = true;
            for (unsigned i = first; i < end; ++i) {
                if ((mask >> (i - first) & 1) == 0)
                    continue;
                fiber const& f = fibers[i];
                if (f.waiting == waits_for::warp && f.mask == mask && f.line == fibers[t].line)
                    here_now |= 1u << (i - first);
                else
                    all = all && f.waiting == waits_for::end;
            }
            if (!all)
                continue;
            if ((mask >> (t - first) & 1) == 0)
                stop({text_of(t), ": is not in the mask of its own call in line ", fibers[t].line});
            unsigned ballot = 0;
            for (unsigned i = first; i < end; ++i)
                if ((here_now >> (i - first) & 1) != 0 && fibers[i].predicate)
                    ballot |= 1u << (i - first);
            for (unsigned i = first; i < end; ++i) {
                if ((here_now >> (i - first) & 1) == 0)
                    continue;
                fiber& f = fibers[i];
                bool const known = f.source < 32 && (here_now >> f.source & 1) != 0;
                if (f.result != nullptr && known)
                    std::memcpy(f.result, fibers[first + f.source].value.data(), f.bytes);
                else if (f.result != nullptr)
                    std::memset(f.result, 0xFF, f.bytes); // undefined
                f.ballot = ballot;
                f.waiting = waits_for::nothing;
            }
            if (what->from->trace)
                trace_meeting(first / 32);
            any = true;
        }
        return any;
    }
    bool release_barrier() {
        int line = 0;
        for (unsigned t = 0; t < fibers.size(); ++t) {
            if (fibers[t].waiting == waits_for::end)
                continue;
            if (fibers[t].waiting != waits_for::barrier)
                return false;
            if (line != 0 && line != fibers[t].line)
                stop({text_of(t), ": waits at the barrier in line ", fibers[t].line, ", and others in line ",
                      line});
            line = fibers[t].line;
        }
        if (line == 0)
            return false;
        for (fiber& f : fibers)
            if (f.waiting == waits_for::barrier)
                f.waiting = waits_for::nothing;
        if (what->from->trace)
            trace_barrier();
        return true;
    }
    /// Each warp goes as far as it can before the next begins.
    void run(bool backwards) {
        auto const count = static_cast<unsigned>(fibers.size()), warps = (count + 31) / 32;
        for (done_ = 0; done_ < count;) {
            bool any = false;
            for (unsigned w = 0; w < warps; ++w) {
                unsigned const first = 32 * (backwards ? warps - 1 - w : w);
                while (run_warp(first, std::min(first + 32, count), backwards))
                    any = true;
            }
            any = release_barrier() || any;
            if (!any && done_ < count)
                stop_at_deadlock();
        }
    }
    bool run_warp(unsigned first, unsigned end, bool backwards) {
        bool any = false;
        for (unsigned i = first; i < end; ++i) {
            current = backwards ? end - 1 - (i - first) : i;
            if (here().waiting != waits_for::nothing)
                continue;
            any = true;
            auto const& b = what->block;
            *what->from->table->thread = {current % b.x, current / b.x % b.y, current / b.x / b.y};
            if (what->from->trace)
                set_traced_thread(current);
            own.switch_to(here().own);
            done_ += here().waiting == waits_for::end ? 1 : 0;
        }
        return release_warp(first) || any;
    }
    [[noreturn]] void stop_at_deadlock() const {
        for (unsigned t = 0; t < fibers.size(); ++t)
            if (fibers[t].waiting == waits_for::warp || fibers[t].waiting == waits_for::barrier)
                stop({"threads wait for each other: ", text_of(t), " in line ", fibers[t].line,
                      fibers[t].waiting == waits_for::warp ? " for its warp" : " at a barrier"});
        stop({"no thread can run"});
    }

private:
    unsigned done_ = 0;
};
scheduler& block_now() {
    static scheduler& it = *new scheduler;
    return it;
}

void begin_fiber() {
    scheduler& s = block_now();
    s.start(s.current);
    s.wait(waits_for::end, 0);
}

} // namespace

void run_block_of_fibers(launch& what, bool backwards, void (*start)(unsigned)) {
    scheduler& s = block_now();
    s.what = &what;
    s.start = start;
    s.fibers.assign(what.threads(), fiber());
    for (std::size_t i = 0; i < s.fibers.size(); ++i)
        s.fibers[i].own.begin(stack_of(i), begin_fiber);
    s.run(backwards);
}

bool is_fiber_stack(void const* p) {
    auto const* const at = static_cast<unsigned char const*>(p);
    return at >= stack_of(0) && at < stack_of(most_threads);
}

void meet_at_barrier(int line) {
    block_now().wait(waits_for::barrier, line);
}

void exchange_in_warp(unsigned mask, void const* value, void* result, unsigned bytes, unsigned source,
                      int line) {
    fiber& f = block_now().here();
    std::memcpy(f.value.data(), value, bytes);
    f.mask = mask;
    f.result = result;
    f.bytes = bytes;
    f.source = source;
    f.predicate = false;
    block_now().wait(waits_for::warp, line);
}

unsigned vote_in_warp(unsigned mask, int predicate, int line) {
    fiber& f = block_now().here();
    f.mask = mask;
    f.result = nullptr;
    f.predicate = predicate != 0;
    block_now().wait(waits_for::warp, line);
    return f.ballot;
}

} // namespace host_device
