// SPDX-License-Identifier: BSL-1.0
// Operations: pointwise functions of one or more operands, reductions over features, and scans. Each is a
// struct; one of your own is as good as those here and in expr/activation.hpp, and nothing else has to know
// of it.
//
//   struct squared_difference {
//       static constexpr std::string_view name = "squared_difference";
//       template <class T>
//       static T value(T a, T b) { return (a - b) * (a - b); }
//       static constexpr auto derivative(auto a, auto b, auto) { return each(2_n * (a - b), 2_n * (b - a)); }
//   };
//   n = apply<squared_difference>(x * W<"n">, h)
//
// A pointwise function has a name, a value, and a derivative for each operand. A derivative is itself an
// equation of the operands and of y, the function's value, so that differentiating twice works. `value` is
// called with a float, a double or a SIMD batch of them: it names exp, select and their like without a
// namespace, after `using std::exp, sluice::select;`. By choice:
//
//   static constexpr std::string_view sign = "+";    // print a + b, or -a, instead of name(a, b)
//   static constexpr int strength = 1;               // of the sign: 1 binds as +, 2 as *
//   static constexpr bool cheap = true;              // rather computed again than kept in memory
//   static constexpr int conditions = 1;             // so many operands, the first ones, are conditions
//   static constexpr bool is_condition = true;       // what it gives is one (expr/comparison.hpp)
//
// A reduction makes one number of the features of each row. It has a name, the result of nothing, the result
// of two results (a feature by itself is one; a backend chooses the order), and the derivative of the result
// y with respect to each feature z. The result of nothing changes no other: combine(start(), z) and
// combine(z, start()) are z, also where start() is infinite. What combine(start(), start()) is does not
// matter:
//
//   struct times_all {
//       static constexpr std::string_view name = "times_all";
//       template <class T>
//       static T start() { return T(1); }
//       template <class T>
//       static T combine(T a, T b) { return a * b; }
//       static constexpr auto derivative(auto z, auto y) { return y / z; }
//   };
//   n = h * reduce<times_all>(h)
//
// A scan makes a number for each feature, from the first to the last, of what stands there and of the number
// in front of it:
//
//   y_k = step(y_k-1, z_k),  y_-1 = start()
//
// It has a name, start, step, and the gradient of each operand, an equation of the operands, of y and of dy,
// the gradient of y; scans can be part of it, as `of<running>(dy)`:
//
//   struct running_maximum {
//       static constexpr std::string_view name = "running_maximum";
//       template <class T>
//       static T start() { return T(-std::numeric_limits<float>::infinity()); }
//       template <class T>
//       static T step(T before, T z) { return maximum::value(before, z); }
//       static constexpr auto gradient(auto z, auto y, auto dy) {
//           return of<equal>(z, y) * of<sum_to_record>(dy, of<equal>(z, y));
//       }
//   };
//   n = h * scan<running_maximum>(h)
//
// By choice:
//
//   static constexpr bool reversed = true;     // from the last feature to the first
//   static constexpr bool associative = true;  // step(step(a, b), c) = step(a, step(b, c)), and
//                                              // step(start(), z) = z: parts of a row are made at a time
//   template <class T>
//   static T pass_on(T y, T z);                // what the next feature gets instead of y
#pragma once

#include <concepts>
#include <cstddef>
#include <sluice/expr/term.hpp>
#include <string_view>
#include <utility>

namespace sluice {

/// `condition ? a : b`, lane by lane; a SIMD library's own overload is found by argument-dependent lookup.
template <std::floating_point T>
constexpr T select(bool condition, T a, T b) {
    return condition ? a : b;
}

/// A number as a T, which is a scalar, a batch of them, or any type that is made from a number.
template <class T>
constexpr T constant(double number) {
    if constexpr (std::floating_point<T>)
        return static_cast<T>(number);
    else if constexpr (requires { typename T::value_type; })
        return T(static_cast<typename T::value_type>(number));
    else
        return T(number);
}

namespace equation {

/// The derivatives of a function of several operands, one for each.
template <expression... E>
constexpr each_term<E...> each(E...) {
    return {};
}

} // namespace equation

namespace operation {

using equation::function_term, equation::number_term, equation::each_term, equation::each;
/// The number 0, for derivatives.
using zero = number_term<'0'>;
using one = number_term<'1'>;

/// F of operands, in a derivative.
template <class F, class... E>
constexpr function_term<F, E...> of(E...) {
    return {};
}

/// a + b
struct add {
    static constexpr std::string_view name = "add", sign = "+";
    static constexpr int strength = 1;
    static constexpr bool cheap = true;
    template <class T>
    static T value(T a, T b) {
        return a + b;
    }
    static constexpr auto derivative(auto, auto, auto) { return each_term<one, one>{}; }
};

/// -z
struct negate {
    static constexpr std::string_view name = "negate", sign = "-";
    static constexpr int strength = 1;
    static constexpr bool cheap = true;
    template <class T>
    static T value(T z) {
        return -z;
    }
    static constexpr auto derivative(auto, auto) { return function_term<negate, one>{}; }
};

/// a - b
struct subtract {
    static constexpr std::string_view name = "subtract", sign = "-";
    static constexpr int strength = 1;
    static constexpr bool cheap = true;
    template <class T>
    static T value(T a, T b) {
        return a - b;
    }
    static constexpr auto derivative(auto, auto, auto) {
        return each_term<one, function_term<negate, one>>{};
    }
};

/// a b, element by element; with a matrix on the right it is the product with it
struct multiply {
    static constexpr std::string_view name = "multiply", sign = ".";
    static constexpr int strength = 2;
    static constexpr bool cheap = true;
    template <class T>
    static T value(T a, T b) {
        return a * b;
    }
    static constexpr auto derivative(auto a, auto b, auto) { return each(b, a); }
};

/// a / b
struct divide {
    static constexpr std::string_view name = "divide", sign = "/";
    static constexpr int strength = 2;
    template <class T>
    static T value(T a, T b) {
        return a / b;
    }
    static constexpr auto derivative(auto, auto b, auto y) { return each(1 / b, -(y / b)); }
};

/// z: a value in one more place
struct copy {
    static constexpr std::string_view name = "copy";
    static constexpr bool cheap = true;
    template <class T>
    static T value(T z) {
        return z;
    }
    static constexpr auto derivative(auto, auto) { return one{}; }
};

} // namespace operation

namespace equation {

template <class F>
concept has_name = requires {
    { F::name } -> std::convertible_to<std::string_view>;
};

template <class F>
concept reduction = requires(double z) {
    { F::template start<double>() } -> std::convertible_to<double>;
    { F::combine(z, z) } -> std::convertible_to<double>;
};

namespace detail {
template <std::size_t>
using a_double = double;

template <class F, std::size_t... Operand>
constexpr bool has_step(std::index_sequence<Operand...>) {
    return requires(double before, a_double<Operand>... z) {
        { F::template start<double>() } -> std::convertible_to<double>;
        { F::step(before, z...) } -> std::convertible_to<double>;
    };
}
template <class F, std::size_t Most = 8>
constexpr std::size_t operands_of_scan() {
    if constexpr (Most == 0 || has_step<F>(std::make_index_sequence<Most>{}))
        return Most;
    else
        return operands_of_scan<F, Most - 1>();
}
} // namespace detail

/// A scan of one or more operands.
template <class F>
concept scanning = detail::operands_of_scan<F>()
> 0;

template <class F>
inline constexpr bool is_reversed = [] {
    if constexpr (requires { F::reversed; })
        return F::reversed;
    else
        return false;
}();
/// Whether parts of a row can be made at a time.
template <class F>
inline constexpr bool is_associative = [] {
    if constexpr (requires { F::associative; })
        return F::associative;
    else
        return false;
}();

/// What the next feature of a scan gets, where it has the value y.
template <class F, class T, class... Z>
constexpr T passed_on(T y, Z... z) {
    if constexpr (requires { F::pass_on(y, z...); })
        return F::pass_on(y, z...);
    else
        return y;
}

namespace detail {
template <class E>
inline constexpr std::size_t derivatives = expression<E> ? 1 : 0;
template <class... E>
inline constexpr std::size_t derivatives<each_term<E...>> = sizeof...(E);

template <class F, std::size_t... Operand>
constexpr bool has_value(std::index_sequence<Operand...>) {
    return requires(a_double<Operand>... z) {
        { F::value(z...) } -> std::convertible_to<double>;
    };
}
template <class F, std::size_t... Operand>
constexpr bool has_derivative(std::index_sequence<Operand...>) {
    constexpr int y = sizeof...(Operand);
    if constexpr (requires {
                      F::derivative(operand_term<static_cast<int>(Operand)>{}..., operand_term<y>{});
                  })
        return derivatives<decltype(F::derivative(operand_term<static_cast<int>(Operand)>{}...,
                                                  operand_term<y>{}))> == sizeof...(Operand);
    else
        return false;
}
template <class F, std::size_t... Operand>
constexpr bool has_gradient(std::index_sequence<Operand...>) {
    constexpr int y = sizeof...(Operand);
    if constexpr (requires {
                      F::gradient(operand_term<static_cast<int>(Operand)>{}..., operand_term<y>{},
                                  operand_term<y + 1>{});
                  })
        return derivatives<decltype(F::gradient(operand_term<static_cast<int>(Operand)>{}...,
                                                operand_term<y>{}, operand_term<y + 1>{}))> ==
               sizeof...(Operand);
    else
        return false;
}
} // namespace detail

/// Whether F has a value, and a derivative, for so many operands.
template <class F, std::size_t Operands>
concept has_value = detail::has_value<F>(std::make_index_sequence<Operands>{});
template <class F, std::size_t Operands>
concept has_derivative = detail::has_derivative<F>(std::make_index_sequence<Operands>{});
template <class F, std::size_t Operands>
concept has_gradient = detail::has_gradient<F>(std::make_index_sequence<Operands>{});

/// A pointwise function of one or more operands.
template <class F, expression First, expression... More>
constexpr auto apply(First first, More...) {
    static_assert(has_name<F>,
                  "sluice: a function needs a name: static constexpr std::string_view name = ...");
    static_assert(has_value<F, 1 + sizeof...(More)>,
                  "sluice: a function needs a value of as many operands as it is given: template <class T> "
                  "static T value(T a), or value(T a, T b) and so on");
    static_assert(has_derivative<F, 1 + sizeof...(More)>,
                  "sluice: a function needs derivatives that are equations: static constexpr auto "
                  "derivative(auto a, auto y), and of several operands, derivative(auto a, auto b, auto y) "
                  "that gives each(..., ...)");
    if constexpr (has_name<F> && has_value<F, 1 + sizeof...(More)> && has_derivative<F, 1 + sizeof...(More)>)
        return function_term<F, First, More...>{};
    else
        return first;
}

/// A reduction over the features, or those of each of so many groups: `reduce<times_all, 4>(h)`.
template <class F, width Groups = symbol::open, expression E>
constexpr auto reduce(E e) {
    static_assert(has_name<F>,
                  "sluice: a reduction needs a name: static constexpr std::string_view name = ...");
    static_assert(reduction<F>, "sluice: a reduction needs template <class T> static T start(), and "
                                "template <class T> static T combine(T a, T b)");
    static_assert(has_derivative<F, 1>, "sluice: a reduction needs a derivative that is an equation: "
                                        "static constexpr auto derivative(auto z, auto y)");
    if constexpr (has_name<F> && reduction<F> && has_derivative<F, 1> && Groups.kind == symbol::open)
        return function_term<F, E>{};
    else if constexpr (has_name<F> && reduction<F> && has_derivative<F, 1>)
        return grouped_reduction_term<F, key_of_width<Groups>, E>{};
    else
        return e;
}

/// A scan over the features, which its operands have all of: `scan<running_maximum>(h)`.
template <class F, expression First, expression... More>
constexpr auto scan(First first, More...) {
    static_assert(has_name<F>, "sluice: a scan needs a name: static constexpr std::string_view name = ...");
    static_assert(detail::operands_of_scan<F>() == 1 + sizeof...(More),
                  "sluice: a scan needs template <class T> static T start(), and template <class T> static "
                  "T step(T before, T z) with as many operands after the first one as it is given");
    static_assert(has_gradient<F, 1 + sizeof...(More)>,
                  "sluice: a scan needs gradients that are equations: static constexpr auto gradient(auto "
                  "z, auto y, auto dy), and of several operands, gradient(auto a, auto b, auto y, auto dy) "
                  "that gives each(..., ...)");
    if constexpr (has_name<F> && detail::operands_of_scan<F>() == 1 + sizeof...(More) &&
                  has_gradient<F, 1 + sizeof...(More)>)
        return function_term<F, First, More...>{};
    else
        return first;
}

} // namespace equation
} // namespace sluice
