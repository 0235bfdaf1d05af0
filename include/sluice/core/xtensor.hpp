// SPDX-License-Identifier: BSL-1.0
// Tensors, their views and arithmetic, from xtensor as it lies on disk: version 0.26 moved its headers into
// folders. The rest of the library includes xtensor through here. Tensors are converted between what numbers are
// kept in and what they are computed in (core/arithmetic.hpp).
#pragma once

#include <sluice/core/arithmetic.hpp>

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xvectorize.hpp>
#include <xtensor/generators/xbuilder.hpp>
#include <xtensor/misc/xmanipulation.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xvectorize.hpp>
#include <xtensor/xview.hpp>
#endif

namespace sluice {

/// An expression of numbers that are kept, as one to compute with.
template <class E>
decltype(auto) widened_tensor(E const& kept) {
    if constexpr (is_own_arithmetic<typename E::value_type>)
        return (kept);
    else
        return xt::cast<arithmetic_of<typename E::value_type>>(kept);
}
/// An expression of numbers of any type, as one that can be assigned where numbers are kept.
template <class Storage, class E>
decltype(auto) rounded_tensor(E const& computed) {
    if constexpr (is_own_arithmetic<Storage> || std::is_same_v<typename E::value_type, Storage>)
        return (computed);
    else
        return xt::cast<Storage>(xt::cast<arithmetic_of<Storage>>(computed));
}

} // namespace sluice
