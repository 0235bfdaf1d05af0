// SPDX-License-Identifier: BSL-1.0
// A cell with what is hard for kernels that run rows side by side: reductions that wait for each other, a
// number of a row that all its features read, a reduction of a user's, several inputs, a matrix that is used
// twice, once transposed, and features in groups beside those in one piece.
//
//   e  = x W_e + context W_k + h R_e + b_e
//   a  = exp(e - max(e))                                softmax: a / sum(a)
//   q  = longest(h) + mean(e)                           a number for each row
//   n  = tanh(x W_n + h R_e^T + (a . h) (x) R_n - q p_n)
//   h' = n . a / sum(a) + hard_sigmoid(e - q) . h
//
// And one whose reduction starts at -infinity, and gives a NaN of two starts.
#pragma once

#include <limits>
#include <sluice/sluice.hpp>

namespace reducing_cells {

using namespace sluice::equation;

/// The largest absolute value.
struct longest {
    static constexpr std::string_view name = "longest";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T combine(T a, T b) {
        using std::abs, sluice::select;
        return select(abs(a) > abs(b), abs(a), abs(b));
    }
    static constexpr auto derivative(auto z, auto y) {
        return apply<sluice::operation::equal>(y, z) - apply<sluice::operation::equal>(y, -z);
    }
};

/// log(e^z1 + e^z2 + ...), without overflow.
struct log_of_sum {
    static constexpr std::string_view name = "log_of_sum";
    template <class T>
    static T start() {
        return T(-std::numeric_limits<float>::infinity());
    }
    template <class T>
    static T combine(T a, T b) {
        using std::exp, std::abs, std::log1p, sluice::select;
        return select(a > b, a, b) + log1p(exp(-abs(a - b)));
    }
    static constexpr auto derivative(auto z, auto y) { return exp(z - y); }
};

constexpr auto e = gate<"e">;
constexpr auto a = gate<"a">;
constexpr auto q = gate<"q">;
constexpr auto n = gate<"n">;

// clang-format off
struct attentive {
    static constexpr auto equations = sluice::lines(
        e       = x * W<"e"> + input<"context"> * W<"k"> + h * R<"e"> + b<"e">,
        a       = exp(e - max(e)),
        q       = reduce<longest>(h) + mean(e),
        n       = tanh(x * W<"n"> + h * transposed(R<"e">) + (a * h) * grouped(R<"n">) - q * p<"n">),
        next(h) = n * a / sum(a) + hard_sigmoid(e - q) * h);
};
struct gathering {
    static constexpr auto equations = sluice::lines(
        e       = x * W<"e"> + input<"context"> * W<"k"> + h * R<"e"> + b<"e">,
        next(h) = tanh(e - reduce<log_of_sum>(e)) + h - reduce<log_of_sum, groups>(h));
};
// clang-format on

} // namespace reducing_cells
