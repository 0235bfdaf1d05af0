// SPDX-License-Identifier: BSL-1.0
#include <reference/pytorch_params.hpp>

TEST_CASE("recorded: PyTorch's GRU and RNN as one vector of parameters") {
    using namespace reference;
    reproduces_layers<sluice::cudnn_gru_layers<double>>("gru", 4);
    reproduces_layers<sluice::cudnn_tanh_rnn_layers<double>>("rnn_tanh", 2);
    reproduces_layers<sluice::cudnn_relu_rnn_layers<double>>("rnn_relu", 2);
}
