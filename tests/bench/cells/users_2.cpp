// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include "users.hpp"
#include <sluice/cell/janet.hpp>
#include <sluice/cell/minimal_rnn.hpp>
#include <vector>

namespace bench {

std::vector<named_page> pages_2() {
    return {
        {"minimalRNN", work_of_page<sluice::minimal_rnn>},
        {"JANET", work_of_page<sluice::janet>},
        {"RHN", work_of_page<users::rhn>},
        {"NAS", work_of_page<users::nas>},
    };
}

} // namespace bench
