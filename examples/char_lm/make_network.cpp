// SPDX-License-Identifier: BSL-1.0
#include "failure.hpp"
#include "network.hpp"

namespace char_lm {

std::unique_ptr<network> make_network(const options& o, std::size_t symbols) {
    if (o.cell == "gru")
        return make_gru(o, symbols);
    if (o.cell == "cudnn_gru")
        return make_cudnn_gru(o, symbols);
    if (o.cell == "lstm")
        return make_lstm(o, symbols);
    if (o.cell == "glstm")
        return make_glstm(o, symbols);
    if (o.cell == "mgu")
        return make_mgu(o, symbols);
    throw bad_call("There is no cell " + o.cell + "; gru, cudnn_gru, lstm, glstm and mgu are there.");
}

} // namespace char_lm
