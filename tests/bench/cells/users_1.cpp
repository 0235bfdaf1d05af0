// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cells/ind_rnn.hpp>
#include <sluice/cells/mgu.hpp>
#include <sluice/cells/min_gru.hpp>
#include <sluice/cells/sru.hpp>
#include <sluice/cells/ugrnn.hpp>
#include <vector>

namespace bench {

std::vector<named_page> pages_1() {
    return {
        {"minGRU", work_of_page<sluice::min_gru>}, {"SRU", work_of_page<sluice::sru_with<false>>},
        {"IndRNN", work_of_page<sluice::ind_rnn>}, {"MGU", work_of_page<sluice::mgu>},
        {"UGRNN", work_of_page<sluice::ugrnn>},
    };
}

} // namespace bench
