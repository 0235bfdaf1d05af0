// SPDX-License-Identifier: BSL-1.0
// How batches meet memory: numbers that are kept as an S are widened when they are loaded, and rounded when
// they are stored (core/arithmetic.hpp). float and double are what they are; of all others simd/widening.hpp
// knows.
#pragma once

#include <sluice/core/arithmetic.hpp>
#include <sluice/xtensor/simd/batches.hpp>

namespace sluice::xtensor {

template <class S>
struct stored {
    static_assert(is_own_arithmetic<S>);
    using batch = typename simd<S>::type;

    static batch load(S const* p) { return simd<S>::load(p); }
    static void store(batch const& z, S* p) { simd<S>::store(z, p); }
};
template <class S>
    requires(!is_own_arithmetic<S>)
struct stored<S>;

} // namespace sluice::xtensor
