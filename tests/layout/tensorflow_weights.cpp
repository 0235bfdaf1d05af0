// SPDX-License-Identifier: BSL-1.0
// TensorFlow 1: kernels on [x, h], in the order of rnn_cell_impl.py, r u of GRUCell and i j f o of LSTMCell,
// and names of scopes.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/layout/frameworks/tensorflow_weights.hpp>

namespace tensorflow_test {

using namespace places;
using namespace sluice::layout;

names const w{"W_i", "W_j", "W_f", "W_o"}, r{"R_i", "R_j", "R_f", "R_o"},
    b{"b_i", "b_j", "b_f + forget_bias", "b_o"};

TEST_CASE("tensorflow: a GRUCell has both gates in one kernel, CudnnCompatibleGRUCell its candidate in two") {
    static_assert(is_of<tf_gru_cell, sluice::gru> && is_of<tf_cudnn_compatible_gru_cell, sluice::cudnn_gru>);
    check<tf_gru_cell>("gates/kernel", {12, 14}, beside({"W_r", "W_u"}, {"R_r", "R_u"}));
    check<tf_gru_cell>("gates/bias", {14}, biases({"b_r", "b_u"}));
    check<tf_gru_cell>("candidate/kernel", {12, 7}, beside({"W_n"}, {"R_n"}));
    check<tf_gru_cell>("candidate/bias", {7}, biases({"b_n"}));
    check<tf_cudnn_compatible_gru_cell>("gates/kernel", {12, 14}, beside({"W_r", "W_u"}, {"R_r", "R_u"}));
    check<tf_cudnn_compatible_gru_cell>("candidate/input_projection/kernel", {5, 7}, beside({"W_n"}));
    check<tf_cudnn_compatible_gru_cell>("candidate/hidden_projection/kernel", {7, 7}, beside({"R_n"}));
    check<tf_cudnn_compatible_gru_cell>("gates/bias", {14}, biases({"b_r", "b_u"}));
    check<tf_cudnn_compatible_gru_cell>("candidate/input_projection/bias", {7}, biases({"b_n"}));
    check<tf_cudnn_compatible_gru_cell>("candidate/hidden_projection/bias", {7}, biases({"b_Rn"}));
}

TEST_CASE(
    "tensorflow: LSTM cells have gates i, j, f, o, and a forget bias that all but cuDNN's add at run time") {
    check<tf_lstm_cell>("kernel", {12, 28}, beside(w, r));
    check<tf_lstm_cell>("bias", {28}, biases(b));
    check<tf_cudnn_compatible_lstm_cell>("kernel", {12, 28}, beside(w, r));
    check<tf_cudnn_compatible_lstm_cell>("bias", {28}, biases(b));
    CHECK(describe<tf_lstm_cell>().added("forget_bias") == 1);
    CHECK(describe<tf_peephole_lstm_cell>().added("forget_bias") == 1);
    CHECK(describe<tf_glstm_cell>().added("forget_bias") == 1);
    CHECK(describe<tf_cudnn_compatible_lstm_cell>().added("forget_bias") == 0);
    check<tf_peephole_lstm_cell>("w_f_diag", {7}, biases({"p_f"}));
    check<tf_peephole_lstm_cell>("w_i_diag", {7}, biases({"p_i"}));
    check<tf_peephole_lstm_cell>("w_o_diag", {7}, biases({"p_o"}));
    sluice::sizes const n{.input = 5, .units = 7, .projection = 3};
    check<tf_projected_lstm_cell>("kernel", {8, 28}, beside(w, r), n);
    check<tf_projected_lstm_cell>("projection/kernel", {7, 3}, beside({"W_P"}, 3), n);
    check<tf_rnn_cell>("kernel", {12, 7}, beside({"W_h"}, {"R_h"}));
    check<tf_rnn_cell>("bias", {7}, biases({"b_h"}));
}

TEST_CASE("tensorflow: a GLSTMCell has a kernel for each group, and biases over all of them") {
    sluice::sizes const n{.input = 4, .units = 10, .groups = 2},
        p{.input = 4, .units = 10, .projection = 6, .groups = 2};
    check<tf_glstm_cell>("group{group}/kernel", {2 + 5, 4 * 5}, beside(w, r, 2, 5), n);
    check<tf_glstm_cell>("bias_f", {10}, biases({"b_f + forget_bias"}, 10), n);
    check<tf_glstm_cell>("bias_j", {10}, biases({"b_j"}, 10), n);
    check<tf_projected_glstm_cell>("group{group}/kernel", {2 + 3, 4 * 5}, beside(w, r, 2, 5), p);
    check<tf_projected_glstm_cell>("projection/kernel", {10, 6}, beside({"W_P"}, 6), p);
    CHECK(describe<tf_tied_glstm_cell>().ties_groups);
    CHECK_FALSE(describe<tf_glstm_cell>().ties_groups);
    CHECK(name_of<tf_glstm_cell>(0, 0, 1, 0, 3) == "m.rnn/multi_rnn_cell/cell_1/glstm_cell/group3/kernel");
}

TEST_CASE("tensorflow: names of stacked, bidirectional and single cells") {
    CHECK(name_of<tf_gru_cell>(0, 0, 2) == "m.rnn/multi_rnn_cell/cell_2/gru_cell/gates/kernel");
    CHECK(name_of<tf_gru_cell>(3, 1, 1, 1) ==
          "m.stack_bidirectional_rnn/cell_1/bidirectional_rnn/bw/gru_cell/candidate/bias");
    CHECK(name_of<tf_lstm_cell>(0, 1, 4) == "m.rnn/multi_rnn_cell/cell_4/basic_lstm_cell/kernel");
    CHECK(name_of<tf_lstm_cell>(1, 3, 0, 0) == "m.bidirectional_rnn/fw/lstm_cell/bias");
    CHECK(name_of<tf_rnn_cell>(0, 1, 2, 1) ==
          "m.stack_bidirectional_rnn/cell_2/bidirectional_rnn/bw/basic_rnn_cell/kernel");
    CHECK(name_of<tf_rnn_cell>(0, 4) == "m.kernel");
}

} // namespace tensorflow_test
