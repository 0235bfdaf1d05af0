// SPDX-License-Identifier: BSL-1.0
#include "numbers.hpp"

#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>

bool arm::lstms(std::filesystem::path const& folder, std::filesystem::path const& copies) {
    bool const lstm = with_both<sluice::lstm, sluice::sizes{.input = 7, .units = 21}>(folder, copies);
    return with_both<sluice::glstm, sluice::sizes{.input = 6, .units = 27, .groups = 3}>(folder, copies) &&
           lstm;
}
