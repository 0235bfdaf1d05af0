// SPDX-License-Identifier: BSL-1.0
// Pages whose lines are made by a count, and pages whose exponents are far from 0.
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/mogrifier_lstm.hpp>
#include <sluice/cells/rhn.hpp>
#include <sluice/cells/rwkv4.hpp>
#include <sluice/cells/slstm.hpp>
#include <sluice/graph/print/print.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace counted_test {
namespace {

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace

TEST_CASE("counted: a recurrent highway network of one transition, and of more than nine") {
    CHECK(sluice::print<sluice::rhn_of_depth<1>>().view() == "n1 = tanh(x W_n1 + h R_n1 + b_n1)\n"
                                                             "t1 = sigmoid(x W_t1 + h R_t1 + b_t1)\n"
                                                             "next(h) = n1 . t1 + h . (1 - t1)\n");
    constexpr auto deep = sluice::print<sluice::rhn_of_depth<11>>();
    CHECK(has(deep.view(), "n10 = tanh(s9 R_n10 + b_n10)\n"));
    CHECK(has(deep.view(), "next(h) = n11 . t11 + s10 . (1 - t11)\n"));
    CHECK(!has(deep.view(), "W_n2"));
}

TEST_CASE("counted: a Mogrifier LSTM without a round is an LSTM, and the last values of both go into it") {
    CHECK(has(sluice::print<sluice::mogrifier_lstm_of_rounds<0>>().view(),
              "i = sigmoid(x W_i + h R_i + b_i)\n"));
    CHECK(has(sluice::print<sluice::mogrifier_lstm_of_rounds<1>>().view(),
              "i = sigmoid(x1 W_i + h R_i + b_i)\n"));
    CHECK(has(sluice::print<sluice::mogrifier_lstm_of_rounds<4>>().view(),
              "i = sigmoid(x3 W_i + h4 R_i + b_i)\n"));
}

/// With inputs of some thousands an exponent by itself is infinite, or 0.
TEST_CASE_TEMPLATE("counted: exponents of thousands, of either sign", Page, sluice::slstm, sluice::mlstm,
                   sluice::rwkv4) {
    sluice::cell<Page> const cell({.input = 5, .units = 12}, sluice::seed{3});
    auto xs = support::random_sequence<float>(6, 3, 5, "x");
    xs *= 5000.0f;
    auto const run = sluice::unroll(cell, xs, cell.zero_state(3));
    for (float y : run.outputs)
        CHECK(std::isfinite(y));
    auto dys = run.outputs;
    dys.fill(1.0f);
    auto const gradients = sluice::backward(cell, run, dys);
    for (float g : gradients.parameters.values())
        CHECK(std::isfinite(g));
}

} // namespace counted_test
