// SPDX-License-Identifier: BSL-1.0
// Denormal numbers are zeros as long as the object lives, and the processor's setting is afterwards what it
// was before.
#include <sluice/xtensor/denormals.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <type_traits>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace denormals_test {

namespace {

using sluice::xtensor::flushed_denormals;
using mode = sluice::xtensor::detail::floating_mode;

static_assert(!std::is_copy_constructible_v<flushed_denormals> &&
              !std::is_copy_assignable_v<flushed_denormals>);

/// Whether a result that is denormal, and an operand that is, become zeros: 1 and 2.
template <class S>
int zeros() {
    S volatile const small = std::numeric_limits<S>::min(), denormal = std::numeric_limits<S>::denorm_min();
    S volatile const half = small / 2, grown = denormal * S(0x1p30);
    return (half == 0 ? 1 : 0) + (grown == 0 ? 2 : 0);
}

} // namespace

#if defined(__x86_64__) || defined(__aarch64__)
TEST_CASE_TEMPLATE("denormals: they are zeros, read and written, while the object lives and no longer", S,
                   float, double) {
    REQUIRE(zeros<S>() == 0);
    {
        flushed_denormals const session;
        CHECK(zeros<S>() == 3);
        {
            flushed_denormals const inner;
            CHECK(zeros<S>() == 3);
        }
        CHECK(zeros<S>() == 3); // the inner one found it so
    }
    CHECK(zeros<S>() == 0);
    {
        flushed_denormals const not_needed(false);
        CHECK(zeros<S>() == 0);
    }
    try {
        flushed_denormals const session;
        throw 1;
    } catch (int) {
    }
    CHECK(zeros<S>() == 0);
}
#endif

#ifdef __x86_64__
TEST_CASE(
    "denormals: rounding, masks, flags and what was set before stay; flags raised within are forgotten") {
    unsigned const before = _mm_getcsr();
    for (unsigned const set : {0u, 0x4000u, 0x8000u, 0x0040u, 0x8040u, 0x6000u}) {
        unsigned const wanted = (before & ~0x3fu & ~0xe040u) | set | 0x04, raised = 0x20; // division, inexact
        _mm_setcsr(wanted);
        unsigned within = 0;
        {
            flushed_denormals const session;
            within = _mm_getcsr();
            _mm_setcsr(within | raised);
        }
        unsigned const after = _mm_getcsr();
        _mm_setcsr(before);
        CHECK(within == (wanted | 0x8040u));
        CHECK((after & ~raised) == wanted);
        if ((set & 0x8040u) != 0x8040u)
            CHECK(after == wanted);
    }
}

TEST_CASE("denormals: what says how numbers are computed is without what has happened so far") {
    unsigned const before = _mm_getcsr();
    _mm_setcsr(before | 0x3f);
    mode::word const with_flags = mode::get();
    mode::set(with_flags);
    unsigned const kept = _mm_getcsr() & 0x3fu;
    _mm_setcsr(before & ~0x3fu);
    mode::word const without = mode::get();
    _mm_setcsr(before);
    CHECK(with_flags == without);
    CHECK(kept == 0x3f);
}
#endif

} // namespace denormals_test
