// SPDX-License-Identifier: BSL-1.0
// Functions of batches, called for many numbers: numbers of all exponents, and how far off results are.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/simd/simd.hpp>
#include <type_traits>
#include <vector>

namespace elementary {

template <class S>
constexpr S infinity = std::numeric_limits<S>::infinity();
template <class S>
constexpr S nothing = std::numeric_limits<S>::quiet_NaN();
template <class S>
using bits_of = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;

template <class F, class S, class... More>
std::vector<S> values(std::vector<S> z, More... more) {
    using sluice::batches::simd;
    std::size_t const count = z.size(), room = count + simd<S>::lanes;
    std::vector<S> found(room);
    z.resize(room, S(1)), (more.resize(room, S(1)), ...);
    for (std::size_t i = 0; i < count; i += simd<S>::lanes)
        simd<S>::store(F::value(simd<S>::load(z.data() + i), simd<S>::load(more.data() + i)...),
                       found.data() + i);
    found.resize(count);
    return found;
}
template <class F, class S, class... More>
S value(S z, More... more) {
    return values<F>(std::vector<S>{z}, std::vector<S>{more}...)[0];
}

/// About so many positive numbers that are finite, evenly among all bits: as many of each exponent, denormal
/// ones too.
template <class S>
std::vector<S> all_exponents(std::size_t count) {
    auto const last = std::bit_cast<bits_of<S>>(std::numeric_limits<S>::max());
    std::vector<S> all;
    for (bits_of<S> bits = 1, step = static_cast<bits_of<S>>(last / count); bits < last - step; bits += step)
        all.push_back(std::bit_cast<S>(bits));
    return all;
}

/// The difference in units of the last place of what is expected.
template <class S>
double ulps(S found, long double expected) {
    if (std::isnan(found) || std::isnan(expected))
        return std::isnan(found) && std::isnan(expected) ? 0 : infinity<double>;
    S const nearest = static_cast<S>(expected);
    if (std::isinf(nearest))
        return found == nearest ? 0 : infinity<double>;
    int const exponent =
        std::max(std::ilogb(expected == 0 ? 1 : expected), std::numeric_limits<S>::min_exponent - 1);
    return static_cast<double>(std::abs(static_cast<long double>(found) - expected) /
                               std::ldexp(1.0L, exponent - std::numeric_limits<S>::digits + 1));
}

/// The difference, relative to a number; among denormal ones, to the smallest normal one.
template <class S>
double relative(S found, long double expected, long double to) {
    auto const least = static_cast<long double>(std::numeric_limits<S>::min());
    double const off = static_cast<double>(std::abs(static_cast<long double>(found) - expected) /
                                           std::max(std::abs(to), least));
    return std::isnan(off) ? infinity<double> : off;
}
/// The largest difference of y[i] from exact(z[i]), relative to that.
template <class S, class F>
double worst_of(std::vector<S> const& z, std::vector<S> const& y, F const& exact) {
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        long double const expected = exact(static_cast<long double>(z[i]));
        worst = std::max(worst, relative(y[i], expected, expected));
    }
    return worst;
}

} // namespace elementary
