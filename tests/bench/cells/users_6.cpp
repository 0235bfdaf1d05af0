// SPDX-License-Identifier: BSL-1.0
#include "user_work.hpp"
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <vector>

namespace bench {

std::vector<named_page> pages_6() {
    return {
        {"mLSTM", work_of_heads<sluice::mlstm>},
        {"RWKV-7", work_of_heads<sluice::rwkv7>},
    };
}

} // namespace bench
