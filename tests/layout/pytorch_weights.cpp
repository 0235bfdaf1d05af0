// SPDX-License-Identifier: BSL-1.0
// PyTorch's documentation: torch.nn.GRU has weight_ih_l[k] of [3 hidden, input], (W_ir|W_iz|W_in), and LSTM
// (W_ii|W_if|W_ig|W_io).
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>

namespace pytorch_test {

using namespace places;
using namespace sluice::layout;

TEST_CASE("pytorch: a GRU has gates r, z, n, of which the biases of n stay apart") {
    static_assert(is_of<pytorch_gru, sluice::cudnn_gru>);
    check<pytorch_gru>("weight_ih", {21, 5}, above({"W_r", "W_u", "W_n"}));
    check<pytorch_gru>("weight_hh", {21, 7}, above({"R_r", "R_u", "R_n"}));
    check<pytorch_gru>("bias_ih", {21}, biases({"b_r", "b_u", "b_n"}));
    check<pytorch_gru>("bias_hh", {21}, biases({"b_r", "b_u", "b_Rn"}));
}

TEST_CASE("pytorch: with both biases of each gate, and matrices that are kept as PyTorch has them") {
    // The matrices of a canonical cell act on columns themselves: [units, inputs].
    auto const rows = [](names const& gates) {
        return contents([=](position const& at) { return number(gates[at[0] / 7], at[0] % 7, at[1]); });
    };
    check<pytorch_canonical_gru>("weight_ih", {21, 5}, rows({"W_r", "W_u", "W_n"}));
    check<pytorch_canonical_gru>("weight_hh", {21, 7}, rows({"R_r", "R_u", "R_n"}));
    check<pytorch_canonical_gru>("bias_ih", {21}, biases({"b_Wr", "b_Wu", "b_Wn"}));
    check<pytorch_canonical_gru>("bias_hh", {21}, biases({"b_Rr", "b_Ru", "b_Rn"}));
    check<pytorch_canonical_lstm>("weight_ih", {28, 5}, rows({"W_i", "W_f", "W_c", "W_o"}));
    check<pytorch_canonical_lstm>("weight_hh", {28, 7}, rows({"R_i", "R_f", "R_c", "R_o"}));
    check<pytorch_canonical_lstm>("bias_ih", {28}, biases({"b_Wi", "b_Wf", "b_Wc", "b_Wo"}));
    check<pytorch_canonical_lstm>("bias_hh", {28}, biases({"b_Ri", "b_Rf", "b_Rc", "b_Ro"}));
}

TEST_CASE("pytorch: an LSTM has gates i, f, g, o, and with proj_size a matrix of [proj, hidden]") {
    check<pytorch_lstm>("weight_ih", {28, 5}, above({"W_i", "W_f", "W_j", "W_o"}));
    check<pytorch_lstm>("weight_hh", {28, 7}, above({"R_i", "R_f", "R_j", "R_o"}));
    check<pytorch_lstm>("bias_ih", {28}, biases({"b_i", "b_f + forget_bias", "b_j", "b_o"}));
    check<pytorch_lstm>("bias_hh", {28}, biases({"b_i", "b_f", "b_j", "b_o"}));
    sluice::sizes const n{.input = 5, .units = 7, .projection = 3};
    check<pytorch_projected_lstm>("weight_ih", {28, 5}, above({"W_i", "W_f", "W_j", "W_o"}), n);
    check<pytorch_projected_lstm>("weight_hh", {28, 3}, above({"R_i", "R_f", "R_j", "R_o"}), n);
    check<pytorch_projected_lstm>("weight_hr", {3, 7}, above({"W_P"}, 3), n);
}

TEST_CASE("pytorch: an RNN has one gate, and whatever activation was asked for") {
    static_assert(is_of<pytorch_rnn<>, sluice::tanh_rnn> &&
                  is_of<pytorch_rnn<sluice::relu_rnn>, sluice::relu_rnn>);
    check<pytorch_rnn<>>("weight_ih", {7, 5}, above({"W_h"}));
    check<pytorch_rnn<>>("weight_hh", {7, 7}, above({"R_h"}));
    check<pytorch_rnn<>>("bias_ih", {7}, biases({"b_h"}));
    check<pytorch_rnn<>>("bias_hh", {7}, biases({"b_h"}));
}

TEST_CASE("pytorch: names of layers, of which the backward ones end in _reverse, and of cells") {
    CHECK(name_of<pytorch_gru>(0, 0) == "m.weight_ih_l0");
    CHECK(name_of<pytorch_gru>(3, 0, 2, 1) == "m.bias_hh_l2_reverse");
    CHECK(name_of<pytorch_projected_lstm>(4, 0, 1) == "m.weight_hr_l1");
    CHECK(name_of<pytorch_lstm>(1, 1) == "m.weight_hh");
    CHECK(describe<pytorch_lstm>().added("forget_bias") == 0);
}

} // namespace pytorch_test
