// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include "users.hpp"
#include <vector>

namespace bench {

std::vector<named_page> pages_1() {
    return {
        {"minGRU", work_of_page<users::min_gru>}, {"SRU", work_of_page<users::sru>},
        {"IndRNN", work_of_page<users::ind_rnn>}, {"MGU", work_of_page<minimal::mgu>},
        {"UGRNN", work_of_page<users::ugrnn>},
    };
}

} // namespace bench
