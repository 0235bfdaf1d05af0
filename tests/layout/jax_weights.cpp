// SPDX-License-Identifier: BSL-1.0
// Flax: a kernel of [inputs, units] for each gate, called by product and gate; Haiku: gates side by side, z
// with the other sign.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/layout/frameworks/jax_weights.hpp>

namespace jax_test {

using namespace places;
using namespace sluice::layout;

TEST_CASE("jax: Flax has a kernel for each gate, i of the input and h of the state, and few biases") {
    static_assert(is_of<flax_gru, sluice::cudnn_gru>);
    for (auto const& [theirs, ours] : {std::pair("r", "r"), std::pair("z", "u"), std::pair("n", "n")}) {
        check<flax_gru>("i" + std::string(theirs) + "/kernel", {5, 7}, beside({"W_" + std::string(ours)}));
        check<flax_gru>("h" + std::string(theirs) + "/kernel", {7, 7}, beside({"R_" + std::string(ours)}));
        check<flax_gru>("i" + std::string(theirs) + "/bias", {7}, biases({"b_" + std::string(ours)}));
    }
    check<flax_gru>("hn/bias", {7}, biases({"b_Rn"}));
    CHECK(describe<flax_gru>().tensors.size() == 10);
    for (auto const& [theirs, ours] :
         {std::pair("i", "i"), std::pair("f", "f"), std::pair("g", "j"), std::pair("o", "o")}) {
        std::string const bias = "b_" + std::string(ours) + (*ours == 'f' ? " + forget_bias" : "");
        check<flax_lstm>("i" + std::string(theirs) + "/kernel", {5, 7}, beside({"W_" + std::string(ours)}));
        check<flax_lstm>("h" + std::string(theirs) + "/kernel", {7, 7}, beside({"R_" + std::string(ours)}));
        check<flax_lstm>("h" + std::string(theirs) + "/bias", {7}, biases({bias}));
    }
    CHECK(describe<flax_lstm>().tensors.size() == 12);
    check<flax_rnn>("i/kernel", {5, 7}, beside({"W_h"}));
    check<flax_rnn>("h/kernel", {7, 7}, beside({"R_h"}));
    check<flax_rnn>("i/bias", {7}, biases({"b_h"}));
}

TEST_CASE(
    "jax: Haiku's GRU takes the new state where z is 1, so that z is the update gate with the other sign") {
    static_assert(is_of<haiku_gru, sluice::gru>);
    check<haiku_gru>("w_i", {5, 21}, [](position const& at) {
        return (at[1] < 7 ? "-" : "") + beside({"W_u", "W_r", "W_n"})(at);
    });
    check<haiku_gru>("w_h", {7, 21}, [](position const& at) {
        return (at[1] < 7 ? "-" : "") + beside({"R_u", "R_r", "R_n"})(at);
    });
    check<haiku_gru>("b", {21}, [](position const& at) {
        return (at[0] < 7 ? "-" : "") + biases({"b_u", "b_r", "b_n"})(at);
    });
}

TEST_CASE("jax: Haiku's LSTM has gates i, g, f, o on x and h, and adds 1 to f") {
    check<haiku_lstm>("linear/w", {12, 28},
                      beside({"W_i", "W_j", "W_f", "W_o"}, {"R_i", "R_j", "R_f", "R_o"}));
    check<haiku_lstm>("linear/b", {28}, biases({"b_i", "b_j", "b_f + forget_bias", "b_o"}));
    CHECK(describe<haiku_lstm>().added("forget_bias") == 1);
    CHECK(describe<flax_lstm>().added("forget_bias") == 0);
    CHECK(name_of<haiku_lstm>(0, 0) == "m.lstm/linear/w");
    CHECK(name_of<haiku_lstm>(0, 1) == "m.linear/w");
    CHECK(name_of<haiku_gru>(2, 0) == "m.gru/b");
}

} // namespace jax_test
