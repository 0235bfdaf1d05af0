// SPDX-License-Identifier: BSL-1.0
// ONNX: W[zrh] and R[zrh] of GRU, W[iofc] of LSTM, one after the other on the second axis; the first counts
// directions.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/layout/frameworks/onnx_weights.hpp>

namespace onnx_layout_test {

using namespace places;
using namespace sluice::layout;

constexpr stack_extents both{.layers = 1, .directions = 2};

TEST_CASE("onnx: a GRU has gates z, r, h, and both biases of each in one tensor") {
    static_assert(is_of<onnx_gru, sluice::cudnn_gru> && is_of<onnx_gru_reset_before, sluice::gru>);
    check<onnx_gru>("W", {2, 21, 5}, in_each(1, above({"W_u", "W_r", "W_n"})), usual, both);
    check<onnx_gru>("R", {2, 21, 7}, in_each(1, above({"R_u", "R_r", "R_n"})), usual, both);
    check<onnx_gru>("B", {1, 42}, in_each(1, biases({"b_u", "b_r", "b_n", "b_u", "b_r", "b_Rn"})));
    check<onnx_gru_reset_before>("W", {1, 21, 5}, in_each(1, above({"W_u", "W_r", "W_n"})));
    check<onnx_gru_reset_before>("R", {1, 21, 7}, in_each(1, above({"R_u", "R_r", "R_n"})));
    check<onnx_gru_reset_before>("B", {2, 42}, in_each(1, biases({"b_u", "b_r", "b_n", "b_u", "b_r", "b_n"})),
                                 usual, both);
}

TEST_CASE("onnx: an LSTM has gates i, o, f, c, and peepholes in the order i, o, f") {
    auto const checked = []<class C>(C) {
        check<C>("W", {2, 28, 5}, in_each(1, above({"W_i", "W_o", "W_f", "W_j"})), usual, both);
        check<C>("R", {2, 28, 7}, in_each(1, above({"R_i", "R_o", "R_f", "R_j"})), usual, both);
        check<C>("B", {1, 56},
                 in_each(1, biases({"b_i", "b_o", "b_f + forget_bias", "b_j", "b_i", "b_o", "b_f", "b_j"})));
    };
    checked(onnx_lstm{});
    checked(onnx_peephole_lstm{});
    check<onnx_peephole_lstm>("P", {2, 21}, in_each(1, biases({"p_i", "p_o", "p_f"})), usual, both);
    CHECK(describe<onnx_lstm>().added("forget_bias") == 0);
}

TEST_CASE("onnx: an RNN, and the names of the inputs of a node") {
    check<onnx_rnn<>>("W", {2, 7, 5}, in_each(1, above({"W_h"})), usual, both);
    check<onnx_rnn<>>("R", {2, 7, 7}, in_each(1, above({"R_h"})), usual, both);
    check<onnx_rnn<>>("B", {2, 14}, in_each(1, biases({"b_h", "b_h"})), usual, both);
    CHECK(name_of<onnx_gru>(2, 0) == "m.B");
}

} // namespace onnx_layout_test
