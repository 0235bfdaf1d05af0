// SPDX-License-Identifier: BSL-1.0
#include "numbers.hpp"

#include <sluice/cells/gru.hpp>
#include <sluice/cells/mgu.hpp>

bool arm::gated(std::filesystem::path const& folder, std::filesystem::path const& copies) {
    bool const gru = with_both<sluice::gru, sluice::sizes{.input = 9, .units = 37}>(folder, copies);
    return with_both<sluice::mgu, sluice::sizes{.input = 5, .units = 19}>(folder, copies) && gru;
}
