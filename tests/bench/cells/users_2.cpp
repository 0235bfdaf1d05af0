// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cells/janet.hpp>
#include <sluice/cells/minimal_rnn.hpp>
#include <sluice/cells/nas.hpp>
#include <sluice/cells/rhn.hpp>
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
