// SPDX-License-Identifier: BSL-1.0
// The bodies of long_functions: xsimd's. Those that xsimd 8 cannot compile for AVX-512, which are
// logarithms and what is made of them, and those of factorials, which it has wrong there where numbers of
// several sizes meet, are the C library's, lane by lane. The error function has a relative
// error of at most 4e-7 (double: 2e-14).
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <sluice/xtensor/simd/long_functions.hpp>
#include <xsimd/xsimd.hpp>

namespace sluice::xtensor {
namespace detail {

/// f of xsimd's batches of as many lanes, or of its scalars where it knows no registers of the machine.
template <class S, std::size_t Lanes, class F, class... T>
batch<S, Lanes> by_xsimd(F f, T const&... z) {
#ifdef XSIMD_NO_SUPPORTED_ARCHITECTURE
    return lane_by_lane<S, Lanes>([&](std::same_as<S> auto... x) { return f(x...); }, z...);
#else
    using type = std::conditional_t<Lanes == widest<S>, xsimd::batch<S>, xsimd::make_sized_batch_t<S, Lanes>>;
    using vector = typename type::register_type;
    static_assert(type::size == Lanes && sizeof(vector) == sizeof(typename batch<S, Lanes>::vector));
    return std::bit_cast<typename batch<S, Lanes>::vector>(
        static_cast<vector>(f(type(std::bit_cast<vector>(z.v))...)));
#endif
}

} // namespace detail

// Of one number.
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::acos(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::acos(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::acosh(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::acosh(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::asin(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::asin(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::atan(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::atan(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::atanh(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::atanh(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::cos(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::cos(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::cosh(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::cosh(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::erf(z a) {
    // Beyond 7 it is 1, and numbers would overflow; of one and a NaN, min and max give the second.
    numbers const most(S(7)), inside = min(most, max(-most, a));
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::erf(x); }, inside);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::erfc(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::erfc(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::exp2(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::exp2(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::sin(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::sin(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::sinh(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::sinh(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::tan(z a) {
    return detail::by_xsimd<S, Lanes>([](auto const& x) { return xsimd::tan(x); }, a);
}

// Of two.
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::atan2(z a, z b) {
    return detail::by_xsimd<S, Lanes>([](auto const& x, auto const& y) { return xsimd::atan2(x, y); }, a, b);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::fmod(z a, z b) {
    return detail::by_xsimd<S, Lanes>([](auto const& x, auto const& y) { return xsimd::fmod(x, y); }, a, b);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::hypot(z a, z b) {
    return detail::by_xsimd<S, Lanes>([](auto const& x, auto const& y) { return xsimd::hypot(x, y); }, a, b);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::remainder(z a, z b) {
    return detail::by_xsimd<S, Lanes>([](auto const& x, auto const& y) { return xsimd::remainder(x, y); }, a,
                                      b);
}

// Lane by lane.
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::asinh(z a) {
    return lane_by_lane<S, Lanes>([](std::same_as<S> auto x) { return std::asinh(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::cbrt(z a) {
    return lane_by_lane<S, Lanes>([](std::same_as<S> auto x) { return std::cbrt(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::log10(z a) {
    return lane_by_lane<S, Lanes>([](std::same_as<S> auto x) { return std::log10(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::log2(z a) {
    return lane_by_lane<S, Lanes>([](std::same_as<S> auto x) { return std::log2(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::tgamma(z a) {
    return lane_by_lane<S, Lanes>([](std::same_as<S> auto x) { return std::tgamma(x); }, a);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> long_functions<S, Lanes>::lgamma(z a) {
    return lane_by_lane<S, Lanes>([](std::same_as<S> auto x) { return std::lgamma(x); }, a);
}

} // namespace sluice::xtensor
