// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include "users.hpp"
#include <vector>

namespace bench {

std::vector<named_page> pages_3() {
    return {
        {"normalised GRU", work_of_page<users::normalised_gru>},
        {"LEM", work_of_page<users::lem>},
        {"multiplicative LSTM", work_of_page<users::multiplicative_lstm>},
    };
}

} // namespace bench
