// SPDX-License-Identifier: BSL-1.0
// Backward calls against differences of forward calls.
#include "host_cudnn.hpp"
#include <cmath>

using namespace cudnn_host;

namespace {

/// The sum whose gradients the backward calls give: every output times the gradient that is handed to it.
double total(spec const& of, operands const& from) {
    auto const out = infer(of, from);
    double sum = 0;
    for (int t = 0; t < of.steps; ++t)
        for (int b = 0; b < of.batch(); ++b)
            for (std::size_t i = 0; of.alive(t, b) && i < std::size_t(of.width_out()); ++i) {
                auto const at = of.at(t, b, of.width_out()) + i;
                sum += out.y[at] * from.dy[at];
            }
    for (std::size_t i = 0; i < out.hy.size(); ++i)
        sum += out.hy[i] * from.dhy[i];
    for (std::size_t i = 0; i < out.cy.size(); ++i)
        sum += out.cy[i] * from.dcy[i];
    return sum;
}

/// Along random directions of an operand: the slope of the sum, and what the gradient says.
void check(spec const& of, operands const& from, numbers operands::*operand, numbers const& gradient,
           char const* name) {
    CAPTURE(name);
    REQUIRE(gradient.size() == (from.*operand).size());
    double const h = 1e-5;
    for (unsigned direction = 10; direction < 13; ++direction) {
        auto const along = random_operands(of, direction).*operand;
        auto above = from, below = from;
        double expected = 0;
        for (std::size_t i = 0; i < along.size(); ++i) {
            (above.*operand)[i] += h * along[i];
            (below.*operand)[i] -= h * along[i];
            expected += gradient[i] * along[i];
        }
        double const slope = (total(of, above) - total(of, below)) / (2 * h);
        CHECK(std::abs(slope - expected) < 1e-7 * (1 + std::abs(slope)));
    }
}

void check(spec const& of) {
    auto const from = random_operands(of);
    auto const found = train(of, from);
    if (of.rows() == std::size_t(of.steps * of.batch())) {
        auto dx = found.dx; // of padding nothing is said, and no output depends on it
        for (int t = 0; t < of.steps; ++t)
            for (int b = 0; b < of.batch(); ++b)
                for (std::size_t i = 0; !of.alive(t, b) && i < std::size_t(of.inputs); ++i) {
                    auto& padding = dx[of.at(t, b, of.inputs) + i];
                    CHECK(std::isnan(padding));
                    padding = 0;
                }
        check(of, from, &operands::x, dx, "dx");
    } else {
        check(of, from, &operands::x, found.dx, "dx");
    }
    check(of, from, &operands::weights, found.dw, "dw");
    check(of, from, &operands::hx, found.dhx, "dhx");
    check(of, from, &operands::cx, found.dcx, "dcx");
}

} // namespace

TEST_CASE("cuDNN on the host: gradients of each cell") {
    for (auto const cell : {CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU}) {
        CAPTURE(cell);
        check({.cell = cell, .inputs = 2, .units = 3, .outputs = 3});
        check({.cell = cell,
               .layers = 2,
               .both = true,
               .inputs = 2,
               .units = 3,
               .outputs = 3,
               .lengths = {2, 3},
               .steps = 3});
    }
}

TEST_CASE("cuDNN on the host: gradients with a projection, without a first matrix, with one bias, in other "
          "layouts") {
    check({.cell = CUDNN_LSTM,
           .layers = 2,
           .both = true,
           .units = 4,
           .outputs = 2,
           .lengths = {3, 1},
           .steps = 3});
    for (auto const cell : {CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU})
        check({.cell = cell,
               .layers = 2,
               .skip = true,
               .inputs = 3,
               .units = 3,
               .outputs = 3,
               .lengths = {2, 3}});
    for (auto const bias : {CUDNN_RNN_NO_BIAS, CUDNN_RNN_SINGLE_INP_BIAS, CUDNN_RNN_SINGLE_REC_BIAS})
        check({.bias = bias, .units = 3, .outputs = 3, .lengths = {2, 3}});
    check({.units = 3, .outputs = 3, .lengths = {4, 2, 1}, .layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED});
    check(
        {.units = 3, .outputs = 3, .lengths = {1, 4}, .layout = CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED});
    check({.cell = CUDNN_LSTM, .units = 3, .outputs = 3, .lengths = {2, 3}, .states = false});
}

TEST_CASE("cuDNN on the host: gradients of weights are added to what is there") {
    spec const of{.lengths = {2, 4}};
    auto const from = random_operands(of);
    auto const once = train(of, from).dw;
    session run(of);
    run.give(from);
    run.dw.emplace(of.type, once);
    REQUIRE(run.forward(CUDNN_FWD_MODE_TRAINING) == CUDNN_STATUS_SUCCESS);
    REQUIRE(run.backward_data() == CUDNN_STATUS_SUCCESS);
    REQUIRE(run.backward_weights() == CUDNN_STATUS_SUCCESS);
    auto const twice = run.read().dw;
    for (std::size_t i = 0; i < once.size(); ++i)
        CHECK(std::abs(twice[i] - 2 * once[i]) < 1e-12);
}

TEST_CASE("cuDNN on the host: gradients that are not given are zero, and those not wanted are not written") {
    for (auto const cell : {CUDNN_LSTM, CUDNN_GRU}) {
        spec const of{.cell = cell, .layers = 2};
        auto from = random_operands(of);
        session run(of);
        run.give(from);
        run.dhy.reset();
        run.dcy.reset();
        run.dhx.reset();
        run.dcx.reset();
        REQUIRE(run.forward(CUDNN_FWD_MODE_TRAINING) == CUDNN_STATUS_SUCCESS);
        REQUIRE(run.backward_data() == CUDNN_STATUS_SUCCESS);
        REQUIRE(run.backward_weights() == CUDNN_STATUS_SUCCESS);
        auto const found = run.read();
        from.dhy.assign(from.dhy.size(), 0.0);
        from.dcy.assign(from.dcy.size(), 0.0);
        auto const wanted = train(of, from);
        CHECK(difference(found.dx, wanted.dx) == 0);
        CHECK(difference(found.dw, wanted.dw) == 0);
    }
}

TEST_CASE("cuDNN on the host: gradients in narrower types are near those in double") {
    for (auto const cell : {CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU})
        for (auto const& [type, near] :
             {std::pair{CUDNN_DATA_FLOAT, 1e-5}, {CUDNN_DATA_HALF, 1e-1}, {CUDNN_DATA_BFLOAT16, 5e-1}}) {
            spec of{.cell = cell, .layers = 2, .both = true, .lengths = {3, 4, 2}};
            auto const from = random_operands(of);
            auto const wanted = train(of, from);
            of.type = type;
            auto const found = train(of, from);
            CAPTURE(cell);
            CAPTURE(of.type);
            CHECK(difference(found.dw, wanted.dw) < near);
            CHECK(difference(found.dhx, wanted.dhx) < near);
            CHECK(difference(found.dcx, wanted.dcx) < near);
            CHECK(difference(found.dw, wanted.dw) > 0);
        }
}
