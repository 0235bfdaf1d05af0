// SPDX-License-Identifier: BSL-1.0
// cuDNN's linear layers by their numbers: of a GRU 0 is r and 1 is i, of an LSTM 0 to 3 are i, f, c', o; then
// those of h.
#include <layout/places.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/layout/frameworks/cudnn_weights.hpp>

namespace cudnn_layout_test {

using namespace places;
using namespace sluice::layout;

/// Matrices and biases of one gate each, in the order of their numbers.
template <class C>
void check_all(names const& matrices, names const& all_biases) {
    CHECK(describe<C>().tensors.size() == matrices.size() + all_biases.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        check<C>("matrix" + std::to_string(i), {7, i < matrices.size() / 2 ? 5u : 7u}, above({matrices[i]}));
        check<C>("bias" + std::to_string(i), {7}, biases({all_biases[i]}));
    }
}

TEST_CASE("cudnn: linear layers 0, 1, 2 of a GRU are r, the update gate and the new memory") {
    static_assert(is_of<cudnn_gru_matrices, sluice::cudnn_gru>);
    check_all<cudnn_gru_matrices>({"W_r", "W_u", "W_n", "R_r", "R_u", "R_n"},
                                  {"b_r", "b_u", "b_n", "b_r", "b_u", "b_Rn"});
}

TEST_CASE("cudnn: linear layers 0, 1, 2, 3 of an LSTM are i, f, the new memory and o") {
    static_assert(is_of<cudnn_lstm_matrices, sluice::lstm>);
    check_all<cudnn_lstm_matrices>({"W_i", "W_f", "W_j", "W_o", "R_i", "R_f", "R_j", "R_o"},
                                   {"b_i", "b_f + forget_bias", "b_j", "b_o", "b_i", "b_f", "b_j", "b_o"});
    CHECK(describe<cudnn_lstm_matrices>().added("forget_bias") == 0);
}

TEST_CASE("cudnn: each layer and direction has names of its own") {
    CHECK(name_of<cudnn_gru_matrices>(0, 0) == "m.layer0/matrix0");
    CHECK(name_of<cudnn_lstm_matrices>(8, 0, 2, 1) == "m.layer2_reverse/bias0");
}

} // namespace cudnn_layout_test
