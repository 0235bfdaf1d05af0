// SPDX-License-Identifier: BSL-1.0
// Keras: kernels of [inputs, gates units], in the order z, r, h of GRU and i, f, c, o of LSTM, and the names
// of its files.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>

namespace keras_layout_test {

using namespace places;
using namespace sluice::layout;

TEST_CASE("keras: a GRU has gates z, r, h, and with reset_after two rows of biases") {
    static_assert(is_of<keras_gru, sluice::cudnn_gru> && is_of<keras_gru_reset_before, sluice::gru>);
    check<keras_gru>("kernel", {5, 21}, beside({"W_u", "W_r", "W_n"}));
    check<keras_gru>("recurrent_kernel", {7, 21}, beside({"R_u", "R_r", "R_n"}));
    check<keras_gru>("bias", {2, 21}, [](position const& at) {
        return number(names{"b_u", "b_r", at[0] == 0 ? "b_n" : "b_Rn"}[at[1] / 7], at[1] % 7);
    });
    check<keras_gru_reset_before>("kernel", {5, 21}, beside({"W_u", "W_r", "W_n"}));
    check<keras_gru_reset_before>("recurrent_kernel", {7, 21}, beside({"R_u", "R_r", "R_n"}));
    check<keras_gru_reset_before>("bias", {21}, biases({"b_u", "b_r", "b_n"}));
}

TEST_CASE("keras: an LSTM has gates i, f, c, o, and a SimpleRNN one") {
    check<keras_lstm>("kernel", {5, 28}, beside({"W_i", "W_f", "W_j", "W_o"}));
    check<keras_lstm>("recurrent_kernel", {7, 28}, beside({"R_i", "R_f", "R_j", "R_o"}));
    check<keras_lstm>("bias", {28}, biases({"b_i", "b_f + forget_bias", "b_j", "b_o"}));
    CHECK(describe<keras_lstm>().added("forget_bias") == 0); // it is stored
    check<keras_rnn<sluice::relu_rnn>>("kernel", {5, 7}, beside({"W_h"}));
    check<keras_rnn<sluice::relu_rnn>>("recurrent_kernel", {7, 7}, beside({"R_h"}));
    check<keras_rnn<sluice::relu_rnn>>("bias", {7}, biases({"b_h"}));
}

TEST_CASE("keras: what is written has the names of a .weights.h5") {
    CHECK(name_of<keras_gru>(1, 0) == "m.layers/gru/cell/vars/1");
    CHECK(name_of<keras_lstm>(2, 0, 3) == "m.layers/lstm_3/cell/vars/2");
    CHECK(name_of<keras_rnn<>>(0, 1, 1, 1) == "m.layers/bidirectional_1/backward_layer/cell/vars/0");
}

TEST_CASE("keras: each kind of layer is found under the names of each kind of file, and the others are not") {
    auto const is_read = []<class C>(C, std::string_view name) {
        description const d = describe<C>();
        for (std::size_t direction : {0u, 1u})
            for (std::string_view const spelling : d.spellings)
                if (auto const found =
                        unspelled(name, spelling, {.tensor = "kernel", .number = 0, .direction = direction});
                    found && found->prefix.empty() && found->spelling.find('{') != 0)
                    return true;
        return false;
    };
    for (std::string_view const name :
         {"gru_1/gru_cell_4/kernel:0", "gru/gru_cell/kernel", "bidirectional/forward_mine/gru_cell/kernel:0",
          "bidirectional_2/backward_gru_1/gru_cell_5/kernel", "layers/gru_7/cell/vars/0",
          "layers/bidirectional/backward_layer/cell/vars/0", "cell/vars/0"})
        CHECK(is_read(keras_gru{}, name));
    for (std::string_view const name :
         {"lstm_1/lstm_cell/kernel:0", "layers/lstm/cell/vars/0", "layers/gru/cell/vars/1"})
        CHECK_FALSE(is_read(keras_gru{}, name));
    CHECK(is_read(keras_lstm{}, "lstm_1/lstm_cell/kernel:0"));
    CHECK(is_read(keras_rnn<>{}, "simple_rnn/simple_rnn_cell_2/kernel:0"));
    CHECK_FALSE(is_read(keras_rnn<>{}, "rnn/simple_rnn_cell_2/kernel:0"));
}

} // namespace keras_layout_test
