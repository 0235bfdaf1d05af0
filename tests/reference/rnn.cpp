// SPDX-License-Identifier: BSL-1.0
// h' = activation(x W_h + h R_h + b_h)
#include <reference/agreement.hpp>

using namespace reference;

namespace {

template <class Activation>
struct simple {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = apply<Activation>(x * W<"h"> + h * R<"h"> + b<"h">));
    }();
};

} // namespace

TEST_CASE_TEMPLATE("recorded: RNN with tanh", How, in_double, in_float, interpreted_in_double) {
    using page = simple<sluice::activation::tanh>;
    reproduces_all<page, How>("pytorch", "rnn_tanh", 2);
    reproduces_all<page, How>("onnx", "rnn_tanh", 4);
}

TEST_CASE_TEMPLATE("recorded: RNN with relu", How, in_double, in_float, interpreted_in_double) {
    using page = simple<sluice::activation::relu>;
    reproduces_all<page, How>("pytorch", "rnn_relu", 2);
    reproduces_all<page, How>("onnx", "rnn_relu", 4);
}
