// SPDX-License-Identifier: BSL-1.0
// Words that are made of other words: they become those, and are printed as those.
#pragma once

#include <sluice/core/name.hpp>
#include <sluice/expr/vocabulary.hpp>
#include <type_traits>
#include <utility>

namespace sluice::equation {

/// e^z / sum(e^z), without overflow: features that are positive and add up to 1.
template <width Groups = symbol::open, expression E>
constexpr auto softmax(E e) {
    auto const risen = exp(e - reduce<operation::offset, Groups>(e));
    return risen / sum<Groups>(risen);
}
/// log(softmax(z)), without overflow.
template <width Groups = symbol::open, expression E>
constexpr auto log_softmax(E e) {
    auto const lowered = e - reduce<operation::offset, Groups>(e);
    return lowered - log(sum<Groups>(exp(lowered)));
}

/// (z - mean(z)) / sqrt(variance(z) + epsilon) . gain + bias (arXiv 1607.06450); epsilon is 1e-5 unless it is
/// given.
template <width Groups = symbol::open, expression E, expression Gain, expression Bias,
          expression Epsilon = number_term<'1', 'e', '-', '5'>>
constexpr auto layer_norm(E e, Gain gain, Bias bias, Epsilon epsilon = {}) {
    return (e - mean<Groups>(e)) * rsqrt(variance<Groups>(e) + epsilon) * gain + bias;
}

/// z / sqrt(mean(z^2) + epsilon) . gain (arXiv 1910.07467); epsilon is 1e-5 unless it is given.
template <width Groups = symbol::open, expression E, expression Gain,
          expression Epsilon = number_term<'1', 'e', '-', '5'>>
constexpr auto rms_norm(E e, Gain gain, Epsilon epsilon = {}) {
    return e * rsqrt(mean<Groups>(square(e)) + epsilon) * gain;
}

/// z / sqrt(sum(z^2) + epsilon), of length 1 or a little less; epsilon is 1e-6 unless it is given, and what
/// is 0 stays 0.
template <width Groups = symbol::open, expression E, expression Epsilon = number_term<'1', 'e', '-', '6'>>
constexpr auto l2_norm(E e, Epsilon epsilon = {}) {
    return e * rsqrt(sum<Groups>(square(e)) + epsilon);
}
template <width Groups = symbol::open, expression E>
constexpr auto l2_norm(E e, plain_one) {
    return l2_norm<Groups>(e, 1_n);
}

/// Complex numbers, turned by angles (arXiv 2104.09864): the first half of z, of so many features, has their
/// real parts and the second half the imaginary ones, where the paper has the two parts of each side by side.
template <width Pairs = symbol::open, expression E, expression Angle>
constexpr auto rotate(E e, Angle angle) {
    static_assert(
        !(Pairs == width(symbol::open)) || never<E>,
        "sluice: rotate() is told how many pairs there are, as in rotate<size<\"pairs\">>(z, angle)");
    if constexpr (Pairs == width(symbol::open))
        return e;
    else {
        auto const real = slice<0, Pairs>(e);
        auto const imaginary = slice<Pairs, Pairs>(e);
        return concat(real * cos(angle) - imaginary * sin(angle), real * sin(angle) + imaginary * cos(angle));
    }
}
template <width Pairs = symbol::open, expression E>
constexpr auto rotate(E e, plain_one) {
    return rotate<Pairs>(e, 1_n);
}

namespace detail {

template <class>
inline constexpr bool is_gate = false;
template <class Key>
inline constexpr bool is_gate<gate_term<Key>> = true;
template <class>
inline constexpr bool is_called = false;
template <class Key, class Width>
inline constexpr bool is_called<input_term<Key, Width>> = true;
template <class Key, class Width>
inline constexpr bool is_called<state_term<Key, Width>> = true;
template <class Key>
inline constexpr bool is_called<gate_term<Key>> = true;

/// z so many steps ago, which may be none.
template <int Steps, width Columns, expression E>
constexpr auto earlier(E e) {
    if constexpr (Steps == 0)
        return e;
    else if constexpr (is_gate<E>)
        return delay<Steps, Columns>(e);
    else
        return delay<Steps>(e);
}

/// The taps from one on, added up.
template <int Tap, int Taps, literal Name, width Columns, expression E>
constexpr auto taps_from(E e) {
    auto const one =
        vector<numbered<sluice::detail::with_letter<Name, '_'>(), Tap>> * earlier<Tap, Columns>(e);
    if constexpr (Tap + 1 == Taps)
        return one;
    else
        return one + taps_from<Tap + 1, Taps, Name, Columns>(e);
}

} // namespace detail

/// A convolution along time, of each feature by itself: c_0 . z + c_1 . z_t-1 + ..., of so many steps. What
/// is convolved is an input, a state, or a gate of so many units, and the vectors are called so:
/// `convolution<4>(x)`, `convolution<4, "c_q", keys>(gate<"q">)`.
template <int Taps, literal Name = "c", width Columns = units, expression E>
constexpr auto convolution(E e) {
    static_assert(detail::is_called<E>,
                  "sluice: convolution() takes an input, a state or a gate by its name; "
                  "give what is convolved a gate of its own");
    static_assert(Taps > 0, "sluice: convolution<4>(x) is of one step or more");
    if constexpr (detail::is_called<E> && Taps > 0)
        return detail::taps_from<0, Taps, Name, Columns>(e);
    else
        return e;
}

/// Several updates within one step, each of what the one before gave: `repeat<3>(S, update)` is update(...,
/// 2) of update(..., 1) of update(S, 0). The number of an update is a constant, of which names can be made:
/// `W<numbered<"k", i>>` in a function of (auto T, auto i).
template <int Count, int From = 0, expression E, class Update>
constexpr auto repeat(E e, Update update) {
    static_assert(Count > 0, "sluice: repeat<2>(S, update) is of one update or more");
    constexpr bool is_update = std::is_invocable_v<Update, E, std::integral_constant<int, From>>;
    static_assert(is_update, "sluice: repeat() takes a value and a function that updates it, as in "
                             "repeat<2>(S, [](auto T, auto i) { return T + outer(k, v); })");
    if constexpr (Count <= 0 || !is_update)
        return e;
    else if constexpr (From + 1 == Count)
        return update(e, std::integral_constant<int, From>{});
    else
        return repeat<Count, From + 1>(update(e, std::integral_constant<int, From>{}), update);
}

// What lacks an operand.
template <expression E, class... Gain>
    requires(sizeof...(Gain) < 2)
constexpr E layer_norm(E e, Gain...) {
    static_assert(never<E>, "sluice: layer_norm() takes a value, a gain and a bias, as in layer_norm(z, "
                            "p<\"gain\">, b<\"shift\">)");
    return e;
}
template <expression E>
constexpr E rms_norm(E e) {
    static_assert(never<E>, "sluice: rms_norm() takes a value and a gain, as in rms_norm(z, p<\"gain\">)");
    return e;
}

template <width Pairs = symbol::open, expression E>
constexpr E rotate(E e) {
    static_assert(never<E>, "sluice: rotate() takes a value and an angle, as in rotate<4>(z, angle)");
    return e;
}
template <int Count, expression E>
constexpr E repeat(E e) {
    static_assert(never<E>, "sluice: repeat() takes a value and a function that updates it, as in "
                            "repeat<2>(S, [](auto T, auto i) { return T + outer(k, v); })");
    return e;
}

} // namespace sluice::equation
