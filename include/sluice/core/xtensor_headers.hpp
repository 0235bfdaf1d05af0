// SPDX-License-Identifier: BSL-1.0
// Tensors, their views and arithmetic, from xtensor as it lies on disk: version 0.26 moved its headers into
// folders. The rest of the library includes xtensor through here. Tensors are converted between what numbers
// are kept in and what they are computed in (core/arithmetic.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception> // which xtl uses and does not include
#include <sluice/core/arithmetic.hpp>
#include <type_traits>

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

namespace detail {

/// Where the numbers of a tensor lie, if they are of type S and side by side in row-major order; null if not,
/// and of an expression that has none.
template <class S, class E>
S const* row_major_numbers(E const& values) {
    if constexpr (xt::has_data_interface<E>::value && std::is_same_v<typename E::value_type, S>) {
        auto const& strides = values.strides();
        std::ptrdiff_t next = 1;
        for (std::size_t d = values.dimension(); d-- > 0;) {
            auto const extent = static_cast<std::ptrdiff_t>(values.shape()[d]);
            if (extent != 1 && static_cast<std::ptrdiff_t>(strides[d]) != next)
                return nullptr;
            next *= extent;
        }
        return next == 0 ? nullptr : values.data() + values.data_offset();
    } else
        return nullptr;
}

/// Whether `row_major_numbers` finds the numbers of every E that has any.
template <class E, class S>
inline constexpr bool is_always_row_major = [] {
    if constexpr (std::is_base_of_v<xt::xcontainer<E>, E>) // also adaptors
        return E::static_layout == xt::layout_type::row_major && std::is_same_v<typename E::value_type, S>;
    else
        return false;
}();

/// Writes the values of an expression of that shape to memory, row by row, in numbers of type S; the
/// expression must not read that memory. (To assign to an adaptor of it would not do: `=` between adaptors of
/// one type makes the left one refer to the memory of the right one.)
template <class S, class E, std::size_t Rank>
void copy_values(E const& values, std::array<std::size_t, Rank> const& shape, S* to) {
    std::size_t const count = xt::compute_size(shape);
    if (S const* const numbers = row_major_numbers<S>(values))
        std::copy_n(numbers, count, to);
    else if constexpr (!is_always_row_major<E, S>) { // quicker compiled without
        auto tensor = xt::adapt(to, count, xt::no_ownership(), shape);
        tensor.assign(rounded_tensor<S>(values)); // without memory of its own, as `=` would take
    }
}

} // namespace detail

} // namespace sluice
