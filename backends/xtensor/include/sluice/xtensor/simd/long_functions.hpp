// SPDX-License-Identifier: BSL-1.0
// Functions of batches that take so long that a call of them is nothing beside: those of <cmath>, by its
// names, but for the short ones in batch.hpp and those that elementary.hpp has. Here they are declared only.
// Their bodies are in long_functions_of_xsimd.hpp, which is compiled with the runtime (runtime.hpp), or with
// each program that has no compiled one, and which a program's own files need not see.
#pragma once

#include <cstddef>

namespace sluice::xtensor {

template <class S, std::size_t Lanes>
struct batch;

/// Batches call them by argument-dependent lookup. The lanes are part of each name, so that a file that was
/// compiled for another instruction set finds its own or none.
template <class S, std::size_t Lanes>
struct long_functions {
    using numbers = batch<S, Lanes>;
    using z = numbers const&;

    [[gnu::noinline]] static numbers acos(z), acosh(z), asin(z), asinh(z), atan(z), atanh(z), cbrt(z), cos(z),
        cosh(z), erf(z), erfc(z), exp2(z), lgamma(z), log10(z), log2(z), sin(z), sinh(z), tan(z), tgamma(z),
        atan2(z, z), fmod(z, z), hypot(z, z), remainder(z, z);
};

} // namespace sluice::xtensor
