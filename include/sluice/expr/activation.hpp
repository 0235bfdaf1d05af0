// SPDX-License-Identifier: BSL-1.0
// Activations: pointwise functions of one operand, as expr/operation.hpp says what a function is.
//
//   struct hat {
//       static constexpr std::string_view name = "hat";
//       template <class T>
//       static T value(T z) { return T(1) / (T(1) + z * z); }
//       static constexpr auto derivative(auto z, auto y) { return -2_n * z * y * y; }
//   };
//   n = apply<hat>(x * W<"n"> + b<"n">)
//
// One that is made of words is as good: `constexpr auto hat = [](auto z) { return 1 / (1 + square(z)); };`.
// Where an activation has a kink, its derivative there is the one on the left, unless something else is said.
#pragma once

#include <cmath>
#include <sluice/expr/elementary.hpp>
#include <sluice/expr/operation.hpp>
#include <sluice/expr/operators.hpp>
#include <string_view>

namespace sluice::activation {

using equation::operator""_n, operation::of;

/// 1 where z > 0, else 0.
struct step {
    static constexpr std::string_view name = "step";
    template <class T>
    static T value(T z) {
        return select(z > T(0), T(1), T(0));
    }
    static constexpr auto derivative(auto, auto) { return 0_n; }
};

/// z
struct identity {
    static constexpr std::string_view name = "identity";
    template <class T>
    static T value(T z) {
        return z;
    }
    static constexpr auto derivative(auto, auto) { return 1_n; }
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

/// max(z, 0)
struct relu {
    static constexpr std::string_view name = "relu";
    template <class T>
    static T value(T z) {
        return select(z > T(0), z, T(0));
    }
    static constexpr auto derivative(auto z, auto) { return of<step>(z); }
};

/// z where z > 0, else a z (arXiv 1502.01852); a is a number, or trained.
struct leaky_relu {
    static constexpr std::string_view name = "leaky_relu";
    template <class T>
    static T value(T z, T a) {
        return select(z > T(0), z, a * z);
    }
    static constexpr auto derivative(auto z, auto a, auto) {
        return each(of<operation::choose>(z > 0_n, 1_n, a), of<operation::choose>(z > 0_n, 0_n, z));
    }
};

/// min(max(z, 0), 6); its derivative at 0 and 6 is 0.
struct relu6 {
    static constexpr std::string_view name = "relu6";
    template <class T>
    static T value(T z) {
        return select(z > T(0), select(z < T(6), z, T(6)), T(0));
    }
    static constexpr auto derivative(auto, auto y) { return of<step>(y) * of<step>(6_n - y); }
};

/// z where z > 0, else e^z - 1 (arXiv 1511.07289).
struct elu {
    static constexpr std::string_view name = "elu";
    template <class T>
    static T value(T z) {
        using std::expm1;
        return select(z > T(0), z, expm1(z));
    }
    static constexpr auto derivative(auto z, auto y) { return of<operation::choose>(z > 0_n, 1_n, y + 1); }
};

/// 1.0507 z where z > 0, else 1.0507 1.6733 (e^z - 1), the numbers to 16 figures (arXiv 1706.02515).
struct selu {
    static constexpr std::string_view name = "selu";
    template <class T>
    static T value(T z) {
        using std::expm1;
        return select(z > T(0), constant<T>(1.0507009873554805) * z,
                      constant<T>(1.7580993408473766) * expm1(z));
    }
    static constexpr auto derivative(auto z, auto y) {
        return of<operation::choose>(z > 0_n, 1.0507009873554805_n, y + 1.7580993408473766_n);
    }
};

/// log(1 + e^z), without overflow.
struct softplus {
    static constexpr std::string_view name = "softplus";
    template <class T>
    static T value(T z) {
        using std::abs, std::exp, std::log1p;
        return select(z > T(0), z, T(0)) + log1p(exp(-abs(z)));
    }
    static constexpr auto derivative(auto z, auto) { return of<sigmoid>(z); }
};

/// log(sigmoid(z)) = -softplus(-z)
struct log_sigmoid {
    static constexpr std::string_view name = "log_sigmoid";
    template <class T>
    static T value(T z) {
        return -softplus::value(-z);
    }
    static constexpr auto derivative(auto z, auto) { return of<sigmoid>(-z); }
};

/// z / (1 + |z|)
struct softsign {
    static constexpr std::string_view name = "softsign";
    template <class T>
    static T value(T z) {
        using std::abs;
        return z / (T(1) + abs(z));
    }
    static constexpr auto derivative(auto z, auto) {
        return 1 / of<operation::square>(1 + of<operation::abs>(z));
    }
};

/// z sigmoid(z), also called swish (arXiv 1702.03118, 1710.05941).
struct silu {
    static constexpr std::string_view name = "silu";
    template <class T>
    static T value(T z) {
        return z * sigmoid::value(z);
    }
    static constexpr auto derivative(auto z, auto y) { return y + of<sigmoid>(z) * (1 - y); }
};

/// z (1 + erf(z / sqrt(2))) / 2 (arXiv 1606.08415).
struct gelu {
    static constexpr std::string_view name = "gelu";
    template <class T>
    static T value(T z) {
        using std::erf;
        return constant<T>(0.5) * z * (T(1) + erf(constant<T>(0.7071067811865476) * z));
    }
    static constexpr auto derivative(auto z, auto) {
        return 0.5_n * (1 + of<operation::erf>(0.7071067811865476_n * z)) +
               0.3989422804014327_n * z * of<operation::exp>(-0.5_n * z * z);
    }
};

/// z (1 + tanh(sqrt(2 / pi) (z + 0.044715 z^3))) / 2, nearly gelu (arXiv 1606.08415).
struct gelu_tanh {
    static constexpr std::string_view name = "gelu_tanh";
    template <class T>
    static T value(T z) {
        return constant<T>(0.5) * z * (T(1) + tanh::value(inner(z)));
    }
    template <class Z>
    static constexpr auto derivative(Z z, auto) {
        auto const t = of<tanh>(z * (0.7978845608028654_n + 0.035677408136300125_n * z * z));
        return 0.5_n * (1 + t) +
               0.5_n * z * (1 - t * t) * (0.7978845608028654_n + 0.10703222440890037_n * z * z);
    }

private:
    template <class T>
    static T inner(T z) {
        return z * (constant<T>(0.7978845608028654) + constant<T>(0.035677408136300125) * z * z);
    }
};

/// z tanh(softplus(z)) (arXiv 1908.08681).
struct mish {
    static constexpr std::string_view name = "mish";
    template <class T>
    static T value(T z) {
        return z * tanh::value(softplus::value(z));
    }
    static constexpr auto derivative(auto z, auto) {
        auto const t = of<tanh>(of<softplus>(z));
        return t + z * of<sigmoid>(z) * (1 - t * t);
    }
};

/// max(-1, min(1, z)); its derivative at -1 and 1 is 0.
struct hard_tanh {
    static constexpr std::string_view name = "hard_tanh";
    template <class T>
    static T value(T z) {
        return select(z > T(-1), select(z < T(1), z, T(1)), T(-1));
    }
    static constexpr auto derivative(auto, auto y) { return of<step>(1 - y * y); }
};

/// 1/5 where |z| < 5/2, else 0: the slope of the hard sigmoid.
struct hard_sigmoid_slope {
    static constexpr std::string_view name = "hard_sigmoid_slope";
    template <class T>
    static T value(T z) {
        using std::abs;
        return select(abs(z) < constant<T>(2.5), constant<T>(0.2), T(0));
    }
    static constexpr auto derivative(auto, auto) { return 0_n; }
};

/// max(0, min(1, z / 5 + 1/2)): Keras's hard_sigmoid before version 3.
struct hard_sigmoid {
    static constexpr std::string_view name = "hard_sigmoid";
    template <class T>
    static T value(T z) {
        T const line = constant<T>(0.2) * z + constant<T>(0.5);
        T const low = select(line > T(0), line, T(0));
        return select(low < T(1), low, T(1));
    }
    static constexpr auto derivative(auto z, auto) { return of<hard_sigmoid_slope>(z); }
};

/// z - tanh(z)
struct tanh_shrink {
    static constexpr std::string_view name = "tanh_shrink";
    template <class T>
    static T value(T z) {
        return z - tanh::value(z);
    }
    static constexpr auto derivative(auto z, auto) { return of<operation::square>(of<tanh>(z)); }
};

/// e^(-z^2)
struct gaussian {
    static constexpr std::string_view name = "gaussian";
    template <class T>
    static T value(T z) {
        using std::exp;
        return exp(-(z * z));
    }
    static constexpr auto derivative(auto z, auto y) { return -2_n * z * y; }
};

} // namespace sluice::activation
