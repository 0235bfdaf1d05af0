// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cells/lem.hpp>
#include <sluice/cells/multiplicative_lstm.hpp>
#include <vector>

namespace bench {

namespace {

/// A GRU in cuDNN's form whose products are layer-normalised (arXiv 1607.06450) one by one; `layer_norm_gru`
/// normalises those of the two gates together, as the paper does.
struct normalised_gru {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto r = gate<"r">;
        constexpr auto u = gate<"u">;
        constexpr auto n = gate<"n">;
        constexpr auto normalised = [](auto z) { return (z - mean(z)) * rsqrt(variance(z) + 0.00001_n); };
        // clang-format off
        return sluice::lines(
            r       = sigmoid(p<"xr"> * normalised(x * W<"r">) + p<"hr"> * normalised(h * R<"r">) + b<"r">),
            u       = sigmoid(p<"xu"> * normalised(x * W<"u">) + p<"hu"> * normalised(h * R<"u">) + b<"u">),
            n       = tanh(p<"xn"> * normalised(x * W<"n">) + b<"n"> + r * (p<"hn"> * normalised(h * R<"n">))),
            next(h) = u * h + (1 - u) * n);
        // clang-format on
    }();
};

} // namespace

std::vector<named_page> pages_3() {
    return {
        {"normalised GRU", work_of_page<normalised_gru>},
        {"LEM", work_of_page<sluice::lem>},
        {"multiplicative LSTM", work_of_page<sluice::multiplicative_lstm>},
    };
}

} // namespace bench
