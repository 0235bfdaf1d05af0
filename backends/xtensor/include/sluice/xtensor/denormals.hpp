// SPDX-License-Identifier: BSL-1.0
// Numbers too small to be normal, which processors compute with up to a hundred times more slowly: a state
// that decays ends among them. As long as an object of this class lives, its thread reads them as zeros and
// writes zeros in their place.
//
// It sets two bits of the control word, one on AArch64, and puts back the word as it was; rounding, exception
// masks and flags that were raised before stay as they are. Flags that are raised within are forgotten: to
// read them would wait for all that was computed, which takes longer than a small step. Other processors are
// left alone.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice::xtensor {

namespace detail {

/// What of the processor's control word says how numbers are computed: rounding, denormals. Nothing on
/// machines that this header does not know.
struct floating_mode {
#if defined(__x86_64__)
    using word = unsigned;
    static constexpr word flushes = 0x8040; ///< flush to zero, denormals are zeros
    static word get() {
        return all() & ~0x3fu; // without what has happened so far
    }
    static void set(word w) {
        set_all((all() & 0x3fu) | w);
    }
    static word all() {
        return __builtin_ia32_stmxcsr();
    }
    static void set_all(word w) {
        __builtin_ia32_ldmxcsr(w);
    }
#elif defined(__aarch64__)
    using word = std::uint64_t;
    static constexpr word flushes = word(1) << 24; ///< FZ
    static word get() {
        word w = 0;
        asm volatile("mrs %0, fpcr" : "=r"(w));
        return w;
    }
    static void set(word w) {
        asm volatile("msr fpcr, %0" : : "r"(w));
    }
    static word all() {
        return get();
    }
    static void set_all(word w) {
        set(w);
    }
#else
    using word = unsigned;
    static constexpr word flushes = 0;
    static word get() {
        return 0;
    }
    static void set(word) {}
    static word all() {
        return 0;
    }
    static void set_all(word) {}
#endif
};

} // namespace detail

class flushed_denormals {
    using mode = detail::floating_mode;

public:
    flushed_denormals() : flushed_denormals(true) {}
    /// Does nothing unless `needed`: to write the control word takes longer than some steps.
    explicit flushed_denormals(bool needed) : before_(needed ? mode::all() : mode::flushes) {
        if (is_set_here())
            mode::set_all(before_ | mode::flushes);
        keep_order();
    }
    flushed_denormals(flushed_denormals const&) = delete;
    flushed_denormals& operator=(flushed_denormals const&) = delete;
    ~flushed_denormals() {
        keep_order();
        if (is_set_here())
            mode::set_all(before_);
    }

private:
    mode::word before_;

    bool is_set_here() const { return (before_ & mode::flushes) != mode::flushes; }
    /// The compiler moves no access to memory, and so nothing that is computed in between, over it.
    static void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }
};

} // namespace sluice::xtensor
