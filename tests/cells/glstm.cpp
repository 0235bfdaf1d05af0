// SPDX-License-Identifier: BSL-1.0
// TensorFlow's GLSTMCell: its test's equalities with LSTMs and the values after them (rnn_cell_test.py), and
// weights of unequal groups that tell a right cell from one with tied kernels.
#include <doctest/doctest.h>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensorflow.hpp>

namespace glstm_test {

using namespace support::tensorflow;
using namespace sluice::literals;

namespace {

template <class Activation = sluice::activation::tanh>
auto projected(double forget_bias = 1) {
    return sluice::cell<sluice::glstm_with<Activation, true>, double>(
        {.input = 4, .units = 4, .projection = 2, .groups = 2}, {}, {{"forget_bias", forget_bias}});
}

/// The joint kernel of a group, [x_g, m_g] x [i, j, f, o].
matrix group_kernel(std::size_t k) {
    return fill(3, 8, 7, k);
}

/// Cuts the kernels of both groups into the cell's W_i [2, 2, 2], R_i [2, 1, 2] ...
template <class Cell>
auto step(Cell cell, matrix const& first, matrix const& second) {
    std::size_t k = 0;
    auto const assign = [&](auto w, auto r, auto b) {
        xt::xtensor<double, 3> weights = xt::zeros<double>({2, 2, 2}),
                               recurrent = xt::zeros<double>({2, 1, 2});
        for (std::size_t g = 0; g < 2; ++g) {
            matrix const& kernel = g == 0 ? first : second;
            xt::view(weights, g) = block(kernel, 0, 2, k, 2);
            xt::view(recurrent, g) = block(kernel, 2, 1, k, 2);
        }
        cell.assign(w, weights);
        cell.assign(r, recurrent);
        cell.assign(b, fill_vector(4, 5, 2 + k));
        ++k;
    };
    assign("W_i"_s, "R_i"_s, "b_i"_s);
    assign("W_j"_s, "R_j"_s, "b_j"_s);
    assign("W_f"_s, "R_f"_s, "b_f"_s);
    assign("W_o"_s, "R_o"_s, "b_o"_s);
    cell.assign("W_P"_s, fill(4, 2, 3, 2));
    auto state = cell.zero_state(2);
    state["c"_s] = fill(2, 4, 3, 2);
    state["h"_s] = fill(2, 2, 5, 1);
    auto result = cell(fill(2, 4, 4, 1), state);
    CHECK(result.output == result.state["h"_s]);
    return result;
}

std::vector<double> const right_c{-0.305834927768733, -0.0166235141539175, 0.392671058257567,
                                  -0.361542758725765, -0.185801313919373,  -0.0460800849863609,
                                  0.420691745491478,  -0.248514653914602};
std::vector<double> const right_m{-0.0585939270419601, 0.0979471665144091, -0.0703848411962658,
                                  0.0859196754306631};

} // namespace

TEST_CASE_TEMPLATE("glstm: TensorFlow's GLSTMCell values, and their equality with LSTMs", S, float, double) {
    double const digits = std::is_same_v<S, float> ? 1e-6 : 1e-15;
    auto const values = [&](std::size_t input, std::size_t groups, double c, double m) {
        sluice::cell<sluice::glstm, S> const cell({.input = input, .units = 4, .groups = groups}, {},
                                                  {.kernel_initializer = constant(0.5)});
        xt::xtensor<S, 2> const x = xt::ones<S>({std::size_t(2), input});
        auto const [y, state] = cell(x, cell.zero_state(2));
        CHECK(off(state["c"_s], c) < digits);
        CHECK(off(state["h"_s], m) < digits);

        sluice::cell<sluice::lstm, S> const small({.input = input / groups, .units = 4 / groups}, {},
                                                  {.kernel_initializer = constant(0.5)});
        xt::xtensor<S, 2> const part = xt::ones<S>({std::size_t(2), input / groups});
        auto const expected = small(part, small.zero_state(2));
        CHECK(off(expected.state["c"_s], c) < digits);
        CHECK(off(expected.output, m) < digits);
    };
    values(4, 1, 0.8491126756208685, 0.6082834181835157);
    values(5, 1, 0.9117715331107263, 0.6672132493650759);
    values(4, 2, 0.5567699411459397, 0.36960635293570576);
    values(6, 2, 0.740026109351293, 0.51438592253464);

    CHECK_THROWS_WITH_AS((sluice::cell<sluice::glstm, S>({.input = 3, .units = 4, .groups = 2})),
                         doctest::Contains("the number of groups does not divide a width"),
                         std::invalid_argument);
    CHECK_THROWS_AS((sluice::cell<sluice::glstm, S>({.input = 4, .units = 3, .groups = 2})),
                    std::invalid_argument);
    CHECK_THROWS_AS(
        (sluice::cell<sluice::projected_glstm, S>({.input = 4, .units = 4, .projection = 3, .groups = 2})),
        std::invalid_argument);
}

TEST_CASE("glstm: GLSTMCell with a projection, and BasicLSTMCell of two layers") {
    sluice::cell<sluice::projected_glstm, double> cell({.input = 4, .units = 8, .projection = 4, .groups = 2},
                                                       {}, {.kernel_initializer = constant(0.5)});
    cell.assign("W_P"_s, 0.5 * xt::ones<double>({8, 4}));
    matrix const x = xt::ones<double>({2, 4});
    auto const [y, state] = cell(x, state_of(cell, 2, 0.1));
    CHECK(off(state["c"_s], 0.6896727984753572) < 1e-15);
    CHECK(off(y, 1.7939372132455218) < 1e-15);

    sluice::cell<sluice::lstm, double> const layer({.input = 2, .units = 2}, {},
                                                   {.kernel_initializer = constant(0.5)});
    matrix const ones = xt::ones<double>({1, 2});
    auto const first = layer(ones, state_of(layer, 1, 0.1));
    auto const second = layer(first.output, state_of(layer, 1, 0.1));
    CHECK(off(first.state["c"_s], 0.68967271) < 1e-7);
    CHECK(off(first.output, 0.44848421) < 1e-7);
    CHECK(off(second.state["c"_s], 0.39897051) < 1e-7);
    CHECK(off(second.output, 0.24024698) < 1e-7);
}

TEST_CASE("glstm: weights that tell groups apart") {
    auto const right = step(projected(), group_kernel(3), group_kernel(4));
    CHECK(off(right.state["c"_s], right_c) < 1e-14);
    CHECK(off(right.output, right_m) < 1e-14);

    // the activation acts on the cell state only: c' stays
    auto const with_relu = step(projected<sluice::activation::relu>(), group_kernel(3), group_kernel(4));
    CHECK(off(with_relu.state["c"_s], right_c) < 1e-14);
    CHECK(off(with_relu.output,
              {-0.0339980174268848, 0.0169990087134424, -0.0382931386354747, 0.0191465693177374}) < 1e-14);

    // one kernel for all groups, the fault of TensorFlow 1.4 to 1.6
    auto const tied = step(projected(), group_kernel(3), group_kernel(3));
    auto tied_c = right_c;
    tied_c[2] = 0.359241979191004, tied_c[3] = -0.366069164379233;
    tied_c[6] = 0.440750819837841, tied_c[7] = -0.25506331017772;
    CHECK(off(tied.state["c"_s], tied_c) < 1e-14);
    CHECK(off(tied.output,
              {-0.0597155845030943, 0.100498148592738, -0.0733350536760283, 0.0881073974956751}) < 1e-14);
    CHECK(off(tied.output, right_m) > 1e-3);

    // the forget bias is added at run time
    auto unbiased = projected(0);
    CHECK(unbiased.setting("forget_bias"_s) == 0);
    CHECK(off(step(unbiased, group_kernel(3), group_kernel(4)).state["c"_s], right_c) > 1e-3);
    unbiased.set_setting("forget_bias"_s, 1);
    CHECK(off(step(unbiased, group_kernel(3), group_kernel(4)).state["c"_s], right_c) < 1e-14);
}

} // namespace glstm_test
