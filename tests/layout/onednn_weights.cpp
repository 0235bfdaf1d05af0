// SPDX-License-Identifier: BSL-1.0
// oneDNN: weights in ldigo and biases in ldgo, which are axes for layers, directions, inputs, gates and
// outputs.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/layout/frameworks/onednn_weights.hpp>

namespace onednn_test {

using namespace places;
using namespace sluice::layout;

constexpr stack_extents all{.layers = 3, .directions = 2};

/// ldigo: [layers, directions, inputs, gates, units].
contents ldigo(names const& gates) {
    return in_each(2, [=](position const& at) { return number(gates[at[1]], at[0], at[2]); });
}
/// ldgo: [layers, directions, gates, units].
contents ldgo(names const& gates) {
    return in_each(2, [=](position const& at) { return number(gates[at[0]], at[1]); });
}

TEST_CASE("onednn: lbr_gru has gates u, r, o, and a fourth bias inside the reset") {
    static_assert(is_of<onednn_lbr_gru, sluice::cudnn_gru>);
    check<onednn_lbr_gru>("weights_layer", {3, 2, 5, 3, 7}, ldigo({"W_u", "W_r", "W_n"}), usual, all);
    check<onednn_lbr_gru>("weights_iter", {3, 2, 7, 3, 7}, ldigo({"R_u", "R_r", "R_n"}), usual, all);
    check<onednn_lbr_gru>("bias", {3, 2, 4, 7}, ldgo({"b_u", "b_r", "b_n", "b_Rn"}), usual, all);
    check<onednn_lbr_gru>("bias", {1, 1, 4, 7}, ldgo({"b_u", "b_r", "b_n", "b_Rn"}));
}

TEST_CASE("onednn: vanilla_gru has the same gates and three biases, vanilla_lstm gates i, f, c, o") {
    static_assert(is_of<onednn_gru, sluice::gru> && is_of<onednn_lstm, sluice::lstm>);
    check<onednn_gru>("weights_layer", {3, 2, 5, 3, 7}, ldigo({"W_u", "W_r", "W_n"}), usual, all);
    check<onednn_gru>("weights_iter", {3, 2, 7, 3, 7}, ldigo({"R_u", "R_r", "R_n"}), usual, all);
    check<onednn_gru>("bias", {3, 2, 3, 7}, ldgo({"b_u", "b_r", "b_n"}), usual, all);
    check<onednn_lstm>("weights_layer", {3, 2, 5, 4, 7}, ldigo({"W_i", "W_f", "W_j", "W_o"}), usual, all);
    check<onednn_lstm>("weights_iter", {3, 2, 7, 4, 7}, ldigo({"R_i", "R_f", "R_j", "R_o"}), usual, all);
    check<onednn_lstm>("bias", {3, 2, 4, 7}, ldgo({"b_i", "b_f + forget_bias", "b_j", "b_o"}), usual, all);
    CHECK(describe<onednn_lstm>().added("forget_bias") == 0);
    CHECK(name_of<onednn_lstm>(1, 0, 2, 1) == "m.weights_iter");
}

} // namespace onednn_test
