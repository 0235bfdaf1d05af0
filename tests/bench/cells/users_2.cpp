// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cell/janet.hpp>
#include <sluice/cell/minimal_rnn.hpp>
#include <sluice/cell/nas.hpp>
#include <sluice/cell/rhn.hpp>
#include <vector>

namespace bench {

std::vector<named_page> pages_2() {
    return {
        {"minimalRNN", work_of_page<sluice::minimal_rnn>},
        {"JANET", work_of_page<sluice::janet>},
        {"RHN", work_of_page<sluice::rhn>},
        {"NAS", work_of_page<sluice::nas>},
    };
}

} // namespace bench
