// SPDX-License-Identifier: BSL-1.0
// The numbers of TensorFlow's GRUCell tests (contrib/rnn, core_rnn_cell_test.py): kernels 0.5, gate bias 1,
// candidate bias 0, x = 1, h = 0.1. Wrappers are compositions: a dense layer before or after, a sum.
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensorflow.hpp>

namespace tensorflow_gru_test {

using namespace support::tensorflow;
using namespace sluice::literals;

namespace {

template <class S, class Backend = sluice::xtensor::planned>
auto plain_gru(std::size_t input, std::size_t units) {
    return sluice::cell<sluice::gru, S, Backend>({.input = input, .units = units}, {},
                                                 {.kernel_initializer = constant(0.5)});
}
template <class S>
auto same_of_cudnn(std::size_t input, std::size_t units) {
    return sluice::cell<sluice::cudnn_gru, S>({.input = input, .units = units}, {},
                                              {.kernel_initializer = constant(0.5)});
}
template <class S>
auto projection(std::size_t input, std::size_t units) {
    sluice::cell<sluice::dense, S> layer({.input = input, .units = units});
    layer.assign("W_y"_s, S(0.5) * xt::ones<S>({input, units}));
    return layer;
}
template <class S>
constexpr double digits = std::is_same_v<S, float> ? 1e-6 : 1e-15;

} // namespace

TEST_CASE_TEMPLATE("tensorflow gru: TensorFlow's GRUCell numbers", S, float, double) {
    xt::xtensor<S, 2> const x2 = xt::ones<S>({1, 2}), x3 = xt::ones<S>({1, 3}), x5 = xt::ones<S>({1, 5});
    auto const step = [](auto const& cell, auto const& x) { return cell(x, state_of(cell, 1, 0.1)); };

    auto const [y, state] = step(plain_gru<S>(2, 2), x2);
    CHECK(off(y, 0.17599094164201323) < digits<S>);
    CHECK(off(state["h"_s], 0.17599094164201323) < digits<S>);
    CHECK(off(step(plain_gru<S>(3, 2), x3).output, 0.1567364518431832) < digits<S>);
    CHECK(off(step(plain_gru<S>(3, 3), x3).output, 0.1546050327045625) < digits<S>);
    CHECK(off(step(plain_gru<S>(5, 3), x5).output, 0.12254587774694628) < digits<S>);
    CHECK(off(step(plain_gru<S>(2, 2), S(0.5) * x2).output, 0.1713902875827691) < digits<S>); // embedding

    // uniform weights cannot tell the two GRUs apart
    CHECK(off(step(same_of_cudnn<S>(2, 2), x2).output, 0.17599094164201323) < digits<S>);
    CHECK(off(step(same_of_cudnn<S>(3, 2), x3).output, 0.1567364518431832) < digits<S>);
}

TEST_CASE_TEMPLATE("tensorflow gru: TensorFlow's wrappers of a GRUCell are compositions", S, float, double) {
    xt::xtensor<S, 2> const x2 = xt::ones<S>({1, 2}), x3 = xt::ones<S>({1, 3});
    {
        auto const first = plain_gru<S>(2, 2), second = plain_gru<S>(2, 2); // MultiRNNCell
        auto const y = first(x2, state_of(first, 1, 0.1)).output;
        auto const top = second(y, state_of(second, 1, 0.1));
        CHECK(off(y, 0.17599094164201323) < digits<S>);
        CHECK(off(top.output, 0.13248017191814798) < digits<S>);
        CHECK(off(top.state["h"_s], 0.13248017191814798) < digits<S>);
    }
    {
        auto const before = projection<S>(2, 3); // InputProjectionWrapper
        auto const cell = plain_gru<S>(3, 3);
        auto const projected = before(x2, before.zero_state(1)).output;
        CHECK(off(cell(projected, state_of(cell, 1, 0.1)).output, 0.1546050327045625) < digits<S>);
    }
    {
        auto const cell = plain_gru<S>(3, 3); // OutputProjectionWrapper, ResidualWrapper
        auto const after = projection<S>(3, 2);
        auto const [y, state] = cell(x3, state_of(cell, 1, 0.1));
        CHECK(off(after(y, after.zero_state(1)).output, 0.23190754905684374) < digits<S>);
        CHECK(off(xt::xtensor<S, 2>(y + x3), 1 + 0.1546050327045625) < digits<S>);
        CHECK(off(state["h"_s], 0.1546050327045625) < digits<S>);
    }
}

} // namespace tensorflow_gru_test
