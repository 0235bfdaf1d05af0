// SPDX-License-Identifier: BSL-1.0
// Activations: pointwise functions of one operand, as expr/operation.hpp says what a function is.
//
//   struct swish {                                                      // arXiv 1710.05941
//       static constexpr std::string_view name = "swish";
//       template <class T>
//       static T value(T z) { using std::exp; return z / (T(1) + exp(-z)); }
//       static constexpr auto derivative(auto z, auto y) { return y + sigmoid(z) * (1 - y); }
//   };
//   n = apply<swish>(x * W<"n"> + b<"n">)
#pragma once

#include <cmath>
#include <sluice/expr/operation.hpp>
#include <sluice/expr/operators.hpp>
#include <string_view>

namespace sluice {
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
    static constexpr auto derivative(auto z, auto) { return equation::function_term<step, decltype(z)>{}; }
};

/// log(1 + e^z), without overflow.
struct softplus {
    static constexpr std::string_view name = "softplus";
    template <class T>
    static T value(T z) {
        using std::abs, std::exp, std::log1p;
        return select(z > T(0), z, T(0)) + log1p(exp(-abs(z)));
    }
    static constexpr auto derivative(auto z, auto) { return equation::function_term<sigmoid, decltype(z)>{}; }
};

/// 1/5 where |z| < 5/2, else 0: the slope of the hard sigmoid.
struct hard_sigmoid_slope {
    static constexpr std::string_view name = "hard_sigmoid_slope";
    template <class T>
    static T value(T z) {
        using std::abs;
        return select(abs(z) < T(2.5), T(1) / T(5), T(0));
    }
    static constexpr auto derivative(auto, auto) { return number_term<'0'>{}; }
};

/// max(0, min(1, z / 5 + 1/2)): Keras's hard_sigmoid before version 3.
struct hard_sigmoid {
    static constexpr std::string_view name = "hard_sigmoid";
    template <class T>
    static T value(T z) {
        T const line = T(1) / T(5) * z + T(0.5);
        T const low = select(line > T(0), line, T(0));
        return select(low < T(1), low, T(1));
    }
    static constexpr auto derivative(auto z, auto) {
        return equation::function_term<hard_sigmoid_slope, decltype(z)>{};
    }
};

} // namespace activation

namespace equation {

// clang-format off
template <expression E> constexpr function_term<activation::sigmoid, E> sigmoid(E) { return {}; }
template <expression E> constexpr function_term<activation::tanh, E> tanh(E) { return {}; }
template <expression E> constexpr function_term<activation::relu, E> relu(E) { return {}; }
template <expression E> constexpr function_term<activation::identity, E> identity(E) { return {}; }
template <expression E> constexpr function_term<activation::softplus, E> softplus(E) { return {}; }
template <expression E> constexpr function_term<activation::exp, E> exp(E) { return {}; }
template <expression E> constexpr function_term<activation::hard_sigmoid, E> hard_sigmoid(E) { return {}; }
// clang-format on

} // namespace equation
} // namespace sluice
