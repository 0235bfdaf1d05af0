// SPDX-License-Identifier: BSL-1.0
#include "sluice.hpp"
#include <sluice/cells/cudnn_gru.hpp>

namespace bench {

namespace {

template <std::size_t Units>
contestant fixed(cell_numbers const& cell, sequence const& over) {
    return sluice_contestant<sluice::cudnn_gru, false,
                             sluice::extents<sluice::sizes{.input = Units, .units = Units}>>(
        "sluice, fixed sizes", cell, over);
}

} // namespace

std::optional<contestant> this_library_fixed(cell_numbers const& cell, sequence const& over) {
    if (cell.kind != cell_kind::cudnn_gru || cell.input != cell.units || !over.is_step())
        return {};
    switch (cell.units) {
    case 8:
        return fixed<8>(cell, over);
    case 16:
        return fixed<16>(cell, over);
    case 32:
        return fixed<32>(cell, over);
    case 64:
        return fixed<64>(cell, over);
    case 128:
        return fixed<128>(cell, over);
    default:
        return {};
    }
}

} // namespace bench
