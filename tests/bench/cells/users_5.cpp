// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <vector>

namespace bench {

std::vector<named_page> pages_5() {
    return {
        {"Gated DeltaNet", work_of_heads<sluice::gated_delta_net>},
        {"GLA", work_of_heads<sluice::gated_linear_attention>},
    };
}
std::vector<named_page> trained_pages_5() {
    return {
        {"Gated DeltaNet", work_of_heads<sluice::gated_delta_net, true>},
        {"GLA", work_of_heads<sluice::gated_linear_attention, true>},
    };
}

} // namespace bench
