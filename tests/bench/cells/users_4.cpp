// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <vector>

namespace bench {

std::vector<named_page> pages_4() {
    return {
        {"GRU, reset before the product", work_of_page<sluice::gru>},
        {"LSTM", work_of_page<sluice::lstm>},
        {"LSTM with peepholes", work_of_page<sluice::peephole_lstm>},
        {"LSTM with projection", work_of_page<sluice::projected_lstm>},
        {"tanh RNN", work_of_page<sluice::tanh_rnn>},
        {"G-LSTM of 2 groups", work_of_page<sluice::glstm>},
    };
}

} // namespace bench
