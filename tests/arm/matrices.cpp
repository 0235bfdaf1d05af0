// SPDX-License-Identifier: BSL-1.0
#include "numbers.hpp"

#include <sluice/cells/mlstm.hpp>

bool arm::matrices(std::filesystem::path const& folder, std::filesystem::path const& copies) {
    return with_both<sluice::mlstm, sluice::sizes{.input = 5, .units = 14, .groups = 2}>(folder, copies);
}
