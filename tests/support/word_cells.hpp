// SPDX-License-Identifier: BSL-1.0
// Cells that have all the words of the language between them.
#pragma once

#include <sluice/sluice.hpp>
#include <support/own_functions.hpp>

namespace word_cells {

using namespace sluice::equation;

constexpr double dt = 0.375;

using sluice::symbol;

constexpr auto a = gate<"a">;
constexpr auto g = gate<"g">;
constexpr auto open = gate<"open">;

struct activations {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a"> + b<"a">,
                      g = log_sigmoid(a) - tanh_shrink(h) + softsign(a) * gelu_tanh(h),
                      next(h) = tanh(g) + gelu(h) * mish(a) - silu(h) * swish(a) + gaussian(h));
};

struct with_kinks {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a"> + b<"a">,
                      g = elu(a) - selu(h) + leaky_relu(a) * leaky_relu(h, scalar<"slope">),
                      next(h) = hard_tanh(g) + 0.5_n * relu6(4_n * h) - sign(a) * abs(h));
};

struct elementary {
    static constexpr auto equations = sluice::lines(
        a = x * W<"a"> + h * R<"a"> + b<"a">,
        g = sqrt(1 + square(a)) - rsqrt(1 + square(h)) * reciprocal(2_n + sin(a)) + log(2_n + cos(h)),
        next(h) = tanh(number<dt> * (g + erf(a) * log1p(square(h)) + expm1(-square(h)) +
                                     pow(1 + square(h), -1.25_n) * pow(h, 3_n) - pow(h, 2_n))));
};

struct comparing {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a"> + b<"a">, open = (a > 0.1_n && h <= a) || !(x * W<"o"> < h),
                      next(h) = where(open, tanh(a), 0.5_n * h) +
                                where(sum(h) >= mean(a), min(a, 1), max(h, a)) * clip(h, -0.7_n, 0.9_n));
};

struct reducing {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a"> + b<"a">,
                      g = layer_norm(a, p<"gain">, b<"shift">) + rms_norm(h, p<"root">) * softmax(a),
                      next(h) = tanh(g) - log_softmax(h) * (min(a) / norm(1 + h)) + variance(a) * p<"v">);
};

/// The master gates of the ON-LSTM (arXiv 1810.09536), and sums in each direction of each other's.
struct cumulating {
    static constexpr auto forget = gate<"forget">;
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a"> + b<"a">, forget = cumsum(softmax(a)),
                      g = 1 - cumsum(softmax(x * W<"g"> + h * R<"g">)),
                      next(h) = forget * h + g * tanh(a) +
                                0.5_n * tanh(reverse_cumsum(softmax(h * p<"late">)) -
                                             mean(cumsum(softmax(h))) * cumsum(0.02_n * p<"early">)));
};

/// A user's scan: the largest of each feature and all in front of it.
struct scanning {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a"> + b<"a">, g = scan<support::running_maximum>(a * p<"g">),
                      next(h) = tanh(a) * 0.5_n + 0.3_n * tanh(g - scan<support::running_maximum>(h)) +
                                0.1_n * scan<support::running_maximum>(p<"early">));
};

/// Over each group of features; of numbers of groups that no matrix has.
struct reducing_groups {
    static constexpr auto equations = sluice::lines(
        a = x * W<"a"> + h * R<"a"> + b<"a">,
        g = layer_norm<3>(a, p<"gain">, b<"shift">) + rms_norm<groups>(h, p<"root">) * softmax<3>(a),
        next(h) = tanh(g) - 0.2_n * log_softmax<groups>(h) / norm<groups>(1 + h) +
                  tanh(0.1_n * variance<3>(a) * p<"v"> + cumsum(mean<3>(h))));
};
struct extremes_of_groups {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a"> + h * R<"a">, next(h) = tanh(max<groups>(a) - h * min<3>(a * p<"v">)));
};

struct delaying {
    static constexpr auto equations = sluice::lines(
        a = tanh(x * W<"a"> + delay<3>(x) * W<"late"> + h * R<"a">),
        next(h) = a + sigmoid(delay<2>(a) + delay<1>(x) * W<"g">) * delay<1>(h) - 0.5_n * delay<1>(a));
};

/// The same, with its states by hand.
struct delaying_by_hand {
    static constexpr auto x1 = state<"x1", symbol::input>;
    static constexpr auto x2 = state<"x2", symbol::input>;
    static constexpr auto x3 = state<"x3", symbol::input>;
    static constexpr auto a1 = state<"a1">;
    static constexpr auto a2 = state<"a2">;
    static constexpr auto h2 = state<"h2">;
    static constexpr auto equations =
        sluice::lines(a = tanh(x * W<"a"> + x3 * W<"late"> + h * R<"a">),
                      next(h) = a + sigmoid(a2 + x1 * W<"g">) * h2 - 0.5_n * a1, next(x1) = x, next(x2) = x1,
                      next(x3) = x2, next(a1) = a, next(a2) = a1, next(h2) = h);
};

/// Words that are made of others: a rotation, a convolution along time, lengths, and repeated updates.
struct composing {
    static constexpr auto turned = gate<"turned">;
    static constexpr auto equations = sluice::lines(
        a = x * W<"a"> + b<"a">, turned = rotate<4>(concat(x * W<"r", 4>, h* R<"i", 4>), 0.3_n + x * W<"t">),
        g = l2_norm<groups>(a, 0.1_n) + l2_norm(h) + convolution<3>(a) + convolution<2, "k">(x) * W<"k">,
        next(h) =
            repeat<2>(h,
                      [](auto z, auto i) {
                          return tanh(0.5_n * z + g * vector<sluice::numbered<"u", i>> + turned * W<"u">);
                      }) /
            features<groups>(h));
};

/// Gates and a state of one feature, numbers of a row that meet any width.
struct narrow {
    static constexpr auto f = gate<"f">;
    static constexpr auto c = state<"c", 1>;
    static constexpr auto equations = sluice::lines(
        f = sigmoid(x * W<"f", 1> + h * R<"f", 1> + b<"f">), next(c) = f * c + (1 - f) * tanh(x * W<"c">),
        a = tanh(x * W<"a"> + h * R<"a", units> - next(c)) / (2_n + c),
        next(h) = f * h + (1 - f) * a - 0.1_n * (c * (x * W<"n">)) * f,
        output = concat(next(h), c* next(h), f));
};

/// What has steps: its derivative is 0.
struct stepping {
    static constexpr auto equations =
        sluice::lines(a = x * W<"a">, next(h) = 0.5_n * h + floor(3_n * a) * tanh(a) - floor(2_n * h));
};

} // namespace word_cells
