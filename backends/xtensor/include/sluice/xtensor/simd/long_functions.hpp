// SPDX-License-Identifier: BSL-1.0
// Functions of batches that take so long that a call of them is nothing beside: those of <cmath>, by its
// names, but for those that sluice/simd has. Their bodies are in long_functions_of_xsimd.hpp, which is
// compiled with the runtime (runtime.hpp), or with each program that has no compiled one, and which its own
// files need not see.
#pragma once

#include <cstddef>
#include <sluice/xtensor/simd/batches.hpp>

namespace sluice::xtensor {

/// The lanes are part of each name, so that a file that was compiled for another instruction set finds its
/// own or none.
template <class S, std::size_t Lanes>
struct long_functions {
    using numbers = batch<S, Lanes>;
    using z = numbers const&;

    [[gnu::noinline]] static numbers acos(z), acosh(z), asin(z), asinh(z), atan(z), atanh(z), cbrt(z), cos(z),
        cosh(z), erf(z), erfc(z), exp2(z), lgamma(z), log10(z), log2(z), sin(z), sinh(z), tan(z), tgamma(z),
        atan2(z, z), fmod(z, z), hypot(z, z), remainder(z, z);
};

} // namespace sluice::xtensor

namespace sluice::batches { // where they are found

#define SLUICE_OF_ONE(f)                                                                                     \
    template <class S, std::size_t Lanes>                                                                    \
    batch<S, Lanes> f(batch<S, Lanes> const& z) {                                                            \
        return xtensor::long_functions<S, Lanes>::f(z);                                                      \
    }
#define SLUICE_OF_TWO(f)                                                                                     \
    template <class S, std::size_t Lanes>                                                                    \
    batch<S, Lanes> f(batch<S, Lanes> const& a, batch<S, Lanes> const& b) {                                  \
        return xtensor::long_functions<S, Lanes>::f(a, b);                                                   \
    }
SLUICE_OF_ONE(acos)
SLUICE_OF_ONE(acosh)
SLUICE_OF_ONE(asin)
SLUICE_OF_ONE(asinh)
SLUICE_OF_ONE(atan)
SLUICE_OF_ONE(atanh)
SLUICE_OF_ONE(cbrt)
SLUICE_OF_ONE(cos)
SLUICE_OF_ONE(cosh)
SLUICE_OF_ONE(erf)
SLUICE_OF_ONE(erfc)
SLUICE_OF_ONE(exp2)
SLUICE_OF_ONE(lgamma)
SLUICE_OF_ONE(log10)
SLUICE_OF_ONE(log2)
SLUICE_OF_ONE(sin)
SLUICE_OF_ONE(sinh)
SLUICE_OF_ONE(tan)
SLUICE_OF_ONE(tgamma)
SLUICE_OF_TWO(atan2)
SLUICE_OF_TWO(fmod)
SLUICE_OF_TWO(hypot)
SLUICE_OF_TWO(remainder)
#undef SLUICE_OF_ONE
#undef SLUICE_OF_TWO

} // namespace sluice::batches

#ifndef SLUICE_RUNTIME // otherwise they are compiled elsewhere
#include <sluice/xtensor/simd/long_functions_of_xsimd.hpp>
#endif
