// SPDX-License-Identifier: BSL-1.0
// Activations: a name, a value, and a derivative that is itself an equation, so that differentiating twice
// works; in it, y stands for value(z).
//
//   struct swish {                                                      // arXiv 1710.05941
//       static constexpr std::string_view name = "swish";
//       template <class T>
//       static T value(T z) { using std::exp; return z / (T(1) + exp(-z)); }
//       static constexpr auto derivative(auto z, auto y) { return y + sigmoid(z) * (1 - y); }
//   };
//   n = apply<swish>(x * W<"n"> + b<"n">)
//
// `value` is called with a float, a double or a SIMD batch of them, so it names exp, select and their like
// without a namespace, after `using std::exp, sluice::select;`.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <sluice/expr/operators.hpp>
#include <string_view>

namespace sluice {

/// `condition ? a : b`, lane by lane; a SIMD library's own overload is found by argument-dependent lookup.
template <std::floating_point T>
constexpr T select(bool condition, T a, T b) {
    return condition ? a : b;
}

namespace activation {

using equation::number_term;

/// 1 where z > 0, else 0.
struct step {
    static constexpr std::string_view name = "step";
    template <class T>
    static T value(T z) {
        return select(z > T(0), T(1), T(0));
    }
    static constexpr auto derivative(auto, auto) { return number_term<'0'>{}; }
};

/// z
struct identity {
    static constexpr std::string_view name = "identity";
    template <class T>
    static T value(T z) {
        return z;
    }
    static constexpr auto derivative(auto, auto) { return number_term<'1'>{}; }
};

/// 1 / (1 + e^-z)
struct sigmoid {
    static constexpr std::string_view name = "sigmoid";
    template <class T>
    static T value(T z) {
        using std::exp;
        return T(1) / (T(1) + exp(-z));
    }
    static constexpr auto derivative(auto, auto y) { return y * (1 - y); }
};

/// (e^z - e^-z) / (e^z + e^-z)
struct tanh {
    static constexpr std::string_view name = "tanh";
    template <class T>
    static T value(T z) {
        using std::tanh;
        return tanh(z);
    }
    static constexpr auto derivative(auto, auto y) { return 1 - y * y; }
};

/// e^z
struct exp {
    static constexpr std::string_view name = "exp";
    template <class T>
    static T value(T z) {
        using std::exp;
        return exp(z);
    }
    static constexpr auto derivative(auto, auto y) { return y; }
};

/// max(z, 0); its derivative at 0 is 0.
struct relu {
    static constexpr std::string_view name = "relu";
    template <class T>
    static T value(T z) {
        return select(z > T(0), z, T(0));
    }
    static constexpr auto derivative(auto z, auto) { return equation::applied_term<step, decltype(z)>{}; }
};

/// log(1 + e^z), without overflow.
struct softplus {
    static constexpr std::string_view name = "softplus";
    template <class T>
    static T value(T z) {
        using std::abs, std::exp, std::log1p;
        return select(z > T(0), z, T(0)) + log1p(exp(-abs(z)));
    }
    static constexpr auto derivative(auto z, auto) { return equation::applied_term<sigmoid, decltype(z)>{}; }
};

/// 1/5 where |z| < 5/2, else 0: the slope of the hard sigmoid.
struct hard_sigmoid_slope {
    static constexpr std::string_view name = "hard_sigmoid_slope";
    template <class T>
    static T value(T z) {
        using std::abs;
        return select(abs(z) < T(2.5), T(0.2), T(0));
    }
    static constexpr auto derivative(auto, auto) { return number_term<'0'>{}; }
};

/// max(0, min(1, z / 5 + 1/2)): Keras's hard_sigmoid before version 3.
struct hard_sigmoid {
    static constexpr std::string_view name = "hard_sigmoid";
    template <class T>
    static T value(T z) {
        T const line = T(0.2) * z + T(0.5);
        T const low = select(line > T(0), line, T(0));
        return select(low < T(1), low, T(1));
    }
    static constexpr auto derivative(auto z, auto) {
        return equation::applied_term<hard_sigmoid_slope, decltype(z)>{};
    }
};

} // namespace activation

namespace equation {

template <class F>
concept has_name = requires {
    { F::name } -> std::convertible_to<std::string_view>;
};
template <class F>
concept has_value = requires(double z) {
    { F::value(z) } -> std::convertible_to<double>;
};
template <class F>
concept has_derivative = requires(input_term<symbol::units> e) {
    { F::derivative(e, e) } -> expression;
};
template <class F>
concept activation_function = has_name<F> && has_value<F> && has_derivative<F>;

/// f(z) for any activation.
template <class F, expression E>
constexpr auto apply(E e) {
    static_assert(has_name<F>,
                  "sluice: an activation needs a name: static constexpr std::string_view name = ...");
    static_assert(has_value<F>,
                  "sluice: an activation needs a value: template <class T> static T value(T z)");
    static_assert(has_derivative<F>, "sluice: an activation needs a derivative that is an equation: "
                                     "static constexpr auto derivative(auto z, auto y)");
    if constexpr (activation_function<F>)
        return applied_term<F, E>{};
    else
        return e;
}

// clang-format off
template <expression E> constexpr applied_term<activation::sigmoid, E> sigmoid(E) { return {}; }
template <expression E> constexpr applied_term<activation::tanh, E> tanh(E) { return {}; }
template <expression E> constexpr applied_term<activation::relu, E> relu(E) { return {}; }
template <expression E> constexpr applied_term<activation::identity, E> identity(E) { return {}; }
template <expression E> constexpr applied_term<activation::softplus, E> softplus(E) { return {}; }
template <expression E> constexpr applied_term<activation::exp, E> exp(E) { return {}; }
template <expression E> constexpr applied_term<activation::hard_sigmoid, E> hard_sigmoid(E) { return {}; }
// clang-format on

} // namespace equation
} // namespace sluice
