// SPDX-License-Identifier: BSL-1.0
// cuDNN's cells with cuDNN's parameters: their order, their number, how they start, and the numbers of
// TensorFlow's tests of CudnnGRU.
#include <array>
#include <doctest/doctest.h>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/both.hpp>
#include <support/tensorflow.hpp>

namespace canonical_test {

using namespace support::tensorflow;
using namespace sluice::literals;

namespace {

/// The parameters of a page are these: the matrices, and after them the vectors.
template <class Page>
constexpr bool are_parameters(std::initializer_list<std::string_view> expected) {
    auto const* next = expected.begin();
    for (std::size_t const rank : {2u, 1u})
        for (sluice::parameter_entry const& p : sluice::passes<Page>::parameters)
            if (p.rank == rank) {
                if (next == expected.end() || p.called.view() != *next)
                    return false;
                ++next;
            }
    return next == expected.end();
}

constexpr sluice::sizes small{.input = 3, .units = 5, .projection = 2};
constexpr sluice::sizes plain{.input = 3, .units = 5};

} // namespace

TEST_CASE("canonical: the parameters are in cuDNN's order, matrices [out, in]") {
    BOTH(are_parameters<sluice::canonical_tanh_rnn>({"W_h", "R_h", "b_Wh", "b_Rh"}));
    BOTH(are_parameters<sluice::canonical_gru>({"W_r", "W_u", "W_n", "R_r", "R_u", "R_n", //
                                                "b_Wr", "b_Wu", "b_Wn", "b_Rr", "b_Ru", "b_Rn"}));
    BOTH(are_parameters<sluice::canonical_lstm>({"W_i", "W_f", "W_c", "W_o", "R_i", "R_f", "R_c", "R_o", //
                                                 "b_Wi", "b_Wf", "b_Wc", "b_Wo", "b_Ri", "b_Rf", "b_Rc",
                                                 "b_Ro"}));
    BOTH(are_parameters<sluice::canonical_projected_lstm>(
        {"W_i", "W_f", "W_c", "W_o", "R_i", "R_f", "R_c", "R_o", "W_P", //
         "b_Wi", "b_Wf", "b_Wc", "b_Wo", "b_Ri", "b_Rf", "b_Rc", "b_Ro"}));

    sluice::cell<sluice::canonical_projected_lstm> const cell(small);
    using shape = std::array<std::size_t, 2>;
    CHECK(cell.parameters()["W_c"_s].shape() == shape{5, 3});
    CHECK(cell.parameters()["R_c"_s].shape() == shape{5, 2});
    CHECK(cell.parameters()["W_P"_s].shape() == shape{2, 5});
    CHECK(cell.parameters()["b_Rc"_s].shape() == std::array<std::size_t, 1>{5});
}

TEST_CASE("canonical: as many parameters as cuDNN reports") {
    BOTH(sluice::parameter_count<sluice::canonical_gru>({.input = 300, .units = 76}) == 86184);
    BOTH(sluice::parameter_count<sluice::canonical_gru>({.input = 28, .units = 128}) == 60672);
    BOTH(sluice::parameter_count<sluice::canonical_lstm>({.input = 20, .units = 100}) == 48800);
    // the offsets of the first bias and of the end, as cuDNN gives them for two layers
    BOTH(sluice::parameter_count<sluice::canonical_projected_lstm>(small) == 110 + 40);
    BOTH(sluice::parameter_count<sluice::canonical_tanh_rnn>(plain) == 15 + 25 + 10);
}

TEST_CASE("canonical: each matrix starts glorot uniform by itself, biases at 0") {
    sluice::cell<sluice::canonical_projected_lstm, double> const cell(
        {.input = 30, .units = 17, .projection = 23}, sluice::seed{3});
    sluice::for_each_parameter(cell.parameters(), [](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        if constexpr (std::decay_t<decltype(tensor.shape())>{}.size() == 1)
            CHECK(support::all_zero(tensor));
        else {
            double const limit = std::sqrt(6 / static_cast<double>(tensor.shape()[0] + tensor.shape()[1]));
            double const largest = xt::amax(xt::abs(tensor))();
            CHECK(largest <= limit);
            CHECK(largest > 0.96 * limit);
        }
    });
    sluice::cell<sluice::canonical_gru, double> const given(
        plain, {}, {.kernel_initializer = constant(0.5), .bias_initializer = constant(-1)});
    CHECK(off(given.parameters()["R_n"_s], 0.5) == 0);
    CHECK(off(given.parameters()["b_Rn"_s], -1) == 0);
}

TEST_CASE_TEMPLATE("canonical: the numbers of one layer of CudnnGRU, and of one step", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    sluice::cell<sluice::canonical_gru, double, Backend> cell({.input = 3, .units = 2});
    auto const assign = [&](std::size_t k, auto w, auto r, auto bw, auto br) {
        cell.assign(w, fill(2, 3, 7, 3 + k));
        cell.assign(r, fill(2, 2, 5, 1 + k));
        cell.assign(bw, fill_vector(2, 5, 2 + k));
        cell.assign(br, fill_vector(2, 3, 1 + k));
    };
    assign(0, "W_r"_s, "R_r"_s, "b_Wr"_s, "b_Rr"_s);
    assign(1, "W_u"_s, "R_u"_s, "b_Wu"_s, "b_Ru"_s);
    assign(2, "W_n"_s, "R_n"_s, "b_Wn"_s, "b_Rn"_s);
    xt::xtensor<double, 3> xs = xt::zeros<double>({3, 2, 3});
    for (std::size_t t = 0; t < 3; ++t)
        xt::view(xs, t) = fill(2, 3, 4, 1 + t);
    auto state = cell.zero_state(2);
    state["h"_s] = fill(2, 2, 3, 2);
    auto const run = unroll(cell, xs, state);
    CHECK(std::abs(xt::sum(run.outputs)() + 0.353172423001586) < 1e-14);
    CHECK(off(run.state["h"_s],
              {-0.0310147985284927, -0.00688961136568005, -0.106567619279094, -0.200404668894552}) < 1e-14);
    CHECK(off(cell(fill(2, 3, 4, 1), state).output,
              {-0.0429105729713751, 0.0960943292021129, 0.20089204852732, -0.234194506172416}) < 1e-14);
}

TEST_CASE("canonical: TensorFlow's test of two layers with relu, everything 1, gives 130688") {
    auto const layer = [](std::size_t input) {
        return sluice::cell<sluice::canonical_relu_rnn, double>(
            {.input = input, .units = 8}, {},
            {.kernel_initializer = constant(1), .bias_initializer = constant(1)});
    };
    auto const first = layer(4), second = layer(8);
    xt::xtensor<double, 3> const xs = xt::ones<double>({2, 4, 4});
    auto const below = unroll(first, xs, state_of(first, 4, 1));
    auto const above = unroll(second, below.outputs, state_of(second, 4, 1));
    CHECK(xt::sum(above.outputs)() + xt::sum(below.state["h"_s])() + xt::sum(above.state["h"_s])() == 130688);
}

} // namespace canonical_test
