// SPDX-License-Identifier: BSL-1.0
// Cells as users write them from papers; x is the input, h the state, . a product element by element. What the
// catalogue has is timed from its page.
#pragma once

#include <cmath>
#include <sluice/xtensor.hpp>
#include <support/gru_and_dense.hpp>

namespace users {

using namespace sluice::equation;

constexpr auto f = gate<"f">;
constexpr auto g = gate<"g">;
constexpr auto i = gate<"i">;
constexpr auto j = gate<"j">;
constexpr auto m = gate<"m">;
constexpr auto n = gate<"n">;
constexpr auto o = gate<"o">;
constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto z = gate<"z">;
constexpr auto c = state<"c">;

// clang-format off

/// minGRU (arXiv 2410.01201): gates of the input alone.
struct min_gru {
    static constexpr auto equations = sluice::lines(
        z       = sigmoid(x * W<"z"> + b<"z">),
        n       = x * W<"n"> + b<"n">,
        next(h) = (1 - z) * h + z * n);
};

/// Recurrent highway network of depth 3 (arXiv 1607.03474): three transitions s, transform gates t.
struct rhn {
    static constexpr auto equations = [] {
        constexpr auto s1 = gate<"s1">;
        constexpr auto s2 = gate<"s2">;
        constexpr auto t1 = gate<"t1">;
        constexpr auto t2 = gate<"t2">;
        constexpr auto t3 = gate<"t3">;
        return sluice::lines(
            t1      = sigmoid(x * W<"t"> + h * R<"t1"> + b<"t1">),
            s1      = tanh(x * W<"s"> + h * R<"s1"> + b<"s1">) * t1 + h * (1 - t1),
            t2      = sigmoid(s1 * R<"t2"> + b<"t2">),
            s2      = tanh(s1 * R<"s2"> + b<"s2">) * t2 + s1 * (1 - t2),
            t3      = sigmoid(s2 * R<"t3"> + b<"t3">),
            next(h) = tanh(s2 * R<"s3"> + b<"s3">) * t3 + s2 * (1 - t3));
    }();
};

/// The cell of neural architecture search (arXiv 1611.01578, figure 8), as TensorFlow's NASCell combines it.
struct nas {
    static constexpr auto equations = [] {
        constexpr auto a1 = gate<"a1">;
        constexpr auto a2 = gate<"a2">;
        constexpr auto a3 = gate<"a3">;
        constexpr auto a4 = gate<"a4">;
        return sluice::lines(
            a1      = tanh(sigmoid(x * W<"1"> + h * R<"1">) * relu(x * W<"2"> + h * R<"2">)),
            a2      = tanh(sigmoid(x * W<"3"> + h * R<"3">) + relu((x * W<"4">) * (h * R<"4">))),
            a3      = tanh(tanh(x * W<"5"> + h * R<"5">) * sigmoid(x * W<"6"> + h * R<"6">)),
            a4      = sigmoid(tanh(x * W<"7"> + h * R<"7">) + sigmoid(x * W<"8"> + h * R<"8">)),
            next(c) = tanh(a1 + c) * a2,
            next(h) = tanh(next(c) * tanh(a3 + a4)));
    }();
};

/// 1 / sqrt(z)
struct inverse_root {
    static constexpr std::string_view name = "inverse_root";
    template <class T>
    static T value(T v) {
        using std::sqrt;
        return T(1) / sqrt(v);
    }
    static constexpr auto derivative(auto, auto y) { return -0.5_n * y * y * y; }
};

/// A GRU in cuDNN's form whose products are layer-normalised (arXiv 1607.06450).
struct normalised_gru {
    static constexpr auto equations = [] {
        constexpr auto normalised = [](auto v) {
            auto const centred = v - mean(v);
            return centred * apply<inverse_root>(mean(centred * centred) + 0.00001_n);
        };
        return sluice::lines(
            r       = sigmoid(p<"xr"> * normalised(x * W<"r">) + p<"hr"> * normalised(h * R<"r">) + b<"r">),
            u       = sigmoid(p<"xu"> * normalised(x * W<"u">) + p<"hu"> * normalised(h * R<"u">) + b<"u">),
            n       = tanh(p<"xn"> * normalised(x * W<"n">) + b<"n"> + r * (p<"hn"> * normalised(h * R<"n">))),
            next(h) = u * h + (1 - u) * n);
    }();
};

/// Long expressive memory (arXiv 2110.04744): two states, each with a time step that is learned.
struct lem {
    static constexpr auto s = state<"z">;
    static constexpr auto equations = sluice::lines(
        f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
        g       = sigmoid(x * W<"g"> + h * R<"g"> + b<"g">),
        next(s) = (1 - f) * s + f * tanh(x * W<"z"> + h * R<"z"> + b<"z">),
        next(h) = (1 - g) * h + g * tanh(x * W<"h"> + next(s) * R<"h"> + b<"h">));
};

/// Multiplicative LSTM (arXiv 1609.07959): the input chooses what of the state the gates see.
struct multiplicative_lstm {
    static constexpr auto equations = sluice::lines(
        m       = (x * W<"m">) * (h * R<"m">),
        i       = sigmoid(x * W<"i"> + m * R<"i"> + b<"i">),
        j       = tanh(x * W<"j"> + m * R<"j"> + b<"j">),
        f       = sigmoid(x * W<"f"> + m * R<"f"> + b<"f">),
        o       = sigmoid(x * W<"o"> + m * R<"o"> + b<"o">),
        next(c) = f * c + i * j,
        next(h) = o * tanh(next(c)));
};

// clang-format on

} // namespace users
