// SPDX-License-Identifier: BSL-1.0
// A sum that is rounded before anything is computed of it, also in a file that is compiled with -ffast-math.
//
//   n = (z + 1.5 2^23) - 1.5 2^23      z, rounded to a whole number
//
// With that option a compiler may leave out what is added and subtracted again, and with it the rounding, or
// multiply what is large before it is subtracted. Without it the function does nothing.
#pragma once

namespace sluice::batches::detail {

template <class V>
[[gnu::always_inline]] inline V rounded_first(V sum) {
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__
#if defined __AVX512F__
    asm("" : "+v"(sum));
#elif defined __SSE2__
    asm("" : "+x"(sum));
#elif defined __aarch64__
    asm("" : "+w"(sum));
#else
    asm("" : "+m"(sum));
#endif
#endif
    return sum;
}

} // namespace sluice::batches::detail
