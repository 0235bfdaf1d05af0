// SPDX-License-Identifier: BSL-1.0
// haste's documentation: gates z, r, h of a GRU with a bias of each product, i, g, f, o of an LSTM with one.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/layout/frameworks/haste_weights.hpp>

namespace haste_test {

using namespace places;
using namespace sluice::layout;

TEST_CASE("haste: a GRU has gates z, r, g side by side, and two vectors of biases") {
    static_assert(is_of<haste_gru, sluice::cudnn_gru>);
    check<haste_gru>("kernel", {5, 21}, beside({"W_u", "W_r", "W_n"}));
    check<haste_gru>("recurrent_kernel", {7, 21}, beside({"R_u", "R_r", "R_n"}));
    check<haste_gru>("bias", {21}, biases({"b_u", "b_r", "b_n"}));
    check<haste_gru>("recurrent_bias", {21}, biases({"b_u", "b_r", "b_Rn"}));
}

TEST_CASE("haste: an LSTM has gates i, g, f, o side by side, and its forget bias is stored") {
    static_assert(is_of<haste_lstm, sluice::lstm>);
    check<haste_lstm>("kernel", {5, 28}, beside({"W_i", "W_j", "W_f", "W_o"}));
    check<haste_lstm>("recurrent_kernel", {7, 28}, beside({"R_i", "R_j", "R_f", "R_o"}));
    check<haste_lstm>("bias", {28}, biases({"b_i", "b_j", "b_f + forget_bias", "b_o"}));
    CHECK(describe<haste_lstm>().added("forget_bias") == 0);
    CHECK(name_of<haste_lstm>(1, 0) == "m.recurrent_kernel");
}

} // namespace haste_test
