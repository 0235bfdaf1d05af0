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

template <class S, std::size_t Lanes>
batch<S, Lanes> acos(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::acos(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> acosh(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::acosh(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> asin(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::asin(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> asinh(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::asinh(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> atan(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::atan(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> atanh(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::atanh(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> cbrt(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::cbrt(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> cos(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::cos(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> cosh(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::cosh(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> erf(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::erf(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> erfc(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::erfc(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> exp2(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::exp2(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> lgamma(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::lgamma(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> log10(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::log10(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> log2(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::log2(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> sin(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::sin(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> sinh(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::sinh(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> tan(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::tan(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> tgamma(batch<S, Lanes> const& z) {
    return xtensor::long_functions<S, Lanes>::tgamma(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> atan2(batch<S, Lanes> const& a, batch<S, Lanes> const& b) {
    return xtensor::long_functions<S, Lanes>::atan2(a, b);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> fmod(batch<S, Lanes> const& a, batch<S, Lanes> const& b) {
    return xtensor::long_functions<S, Lanes>::fmod(a, b);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> hypot(batch<S, Lanes> const& a, batch<S, Lanes> const& b) {
    return xtensor::long_functions<S, Lanes>::hypot(a, b);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> remainder(batch<S, Lanes> const& a, batch<S, Lanes> const& b) {
    return xtensor::long_functions<S, Lanes>::remainder(a, b);
}

} // namespace sluice::batches

#ifndef SLUICE_RUNTIME // otherwise they are compiled elsewhere
#include <sluice/xtensor/simd/long_functions_of_xsimd.hpp>
#endif
