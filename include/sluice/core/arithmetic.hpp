// SPDX-License-Identifier: BSL-1.0
// Storage and arithmetic: numbers are kept in one type, and computed in another that may be wider.
//
// The scalar of a cell is its storage: inputs, outputs, states, parameters and gradients are numbers of that
// type. Nothing is computed in it. What is read is widened, and what is computed is rounded once, where it is
// kept.
//
// float and double are their own arithmetic; half and bfloat16 (core/half.hpp) are computed in float. Another
// scalar says in which type it is computed; the two convert into each other explicitly, and
// the scalar needs no operator:
//
//   template <>
//   struct sluice::arithmetic<hundredth> {
//       using type = float;
//       static constexpr double largest = 1.27; // finite hundredth
//   };
//
// Who gives a cell tensors of floats need not round them; a tensor of halves of one's own takes them through
// sluice::rounded_tensor<half>(floats), and gives them back through sluice::widened_tensor(halves).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sluice {

template <class Storage>
struct arithmetic {
    using type = Storage; // not a scalar; well-formed, so that its refusal is the only error
};
template <>
struct arithmetic<float> {
    using type = float;
    static constexpr double largest = std::numeric_limits<float>::max();
};
template <>
struct arithmetic<double> {
    using type = double;
    static constexpr double largest = std::numeric_limits<double>::max();
};

/// A type in which numbers can be kept.
template <class S>
concept storage_scalar = requires {
    arithmetic<std::remove_const_t<S>>::largest;
};

/// The type in which they are computed.
template <class Storage>
using arithmetic_of = typename arithmetic<std::remove_const_t<Storage>>::type;

template <class Storage>
inline constexpr bool is_own_arithmetic = std::is_same_v<Storage, arithmetic_of<Storage>>;

/// A number that is kept, as one to compute with.
template <class Storage>
constexpr arithmetic_of<Storage> widened(Storage const& kept) {
    return static_cast<arithmetic_of<Storage>>(kept);
}
/// The same in double, for sums of many.
template <class Storage>
constexpr double in_double(Storage const& kept) {
    return static_cast<double>(widened(kept));
}
/// A number that was computed, as one to keep.
template <class Storage, class Number>
constexpr Storage rounded(Number const& computed) {
    return static_cast<Storage>(static_cast<arithmetic_of<Storage>>(computed));
}

/// to[0 .. count) = from[0 .. count): either of them is the arithmetic of the other.
template <class From, class To>
void convert_n(From const* from, std::size_t count, To* to) {
    if constexpr (std::is_same_v<From, To>)
        std::copy_n(from, count, to);
    else
        std::transform(from, from + count, to, [](From const& one) { return static_cast<To>(one); });
}

} // namespace sluice
