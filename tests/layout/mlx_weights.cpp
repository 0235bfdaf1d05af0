// SPDX-License-Identifier: BSL-1.0
// MLX: Wx of [gates hidden, input] with gates r, z, n of a GRU and i, f, g, o of an LSTM; one vector of
// biases.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/frameworks/mlx_weights.hpp>

namespace mlx_test {

using namespace places;
using namespace sluice::layout;

TEST_CASE("mlx: a GRU has gates r, z, n, and a bias inside the reset of n alone") {
    static_assert(is_of<mlx_gru, sluice::cudnn_gru>);
    check<mlx_gru>("Wx", {21, 5}, above({"W_r", "W_u", "W_n"}));
    check<mlx_gru>("Wh", {21, 7}, above({"R_r", "R_u", "R_n"}));
    check<mlx_gru>("b", {21}, biases({"b_r", "b_u", "b_n"}));
    check<mlx_gru>("bhn", {7}, biases({"b_Rn"}));
}

TEST_CASE("mlx: an LSTM has gates i, f, g, o, and an RNN one; nothing is added to the forget gate") {
    static_assert(is_of<mlx_lstm, sluice::lstm> && is_of<mlx_rnn, sluice::tanh_rnn>);
    check<mlx_lstm>("Wx", {28, 5}, above({"W_i", "W_f", "W_j", "W_o"}));
    check<mlx_lstm>("Wh", {28, 7}, above({"R_i", "R_f", "R_j", "R_o"}));
    check<mlx_lstm>("bias", {28}, biases({"b_i", "b_f + forget_bias", "b_j", "b_o"}));
    CHECK(describe<mlx_lstm>().added("forget_bias") == 0);
    check<mlx_rnn>("Wxh", {7, 5}, above({"W_h"}));
    check<mlx_rnn>("Whh", {7, 7}, above({"R_h"}));
    check<mlx_rnn>("bias", {7}, biases({"b_h"}));
    CHECK(name_of<mlx_gru>(3, 0) == "m.bhn");
}

} // namespace mlx_test
