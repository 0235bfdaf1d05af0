// SPDX-License-Identifier: BSL-1.0
#include "sluice.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace bench {

namespace {

template <class Page, std::size_t Units>
contestant fixed(cell_numbers const& cell, sequence const& over) {
    return sluice_contestant<Page, false, sluice::extents<sluice::sizes{.input = Units, .units = Units}>>(
        "sluice, fixed sizes", cell, over);
}

} // namespace

std::optional<contestant> this_library_fixed(cell_numbers const& cell, sequence const& over) {
    if (cell.kind == cell_kind::gru || cell.input != cell.units || cell.projection > 0 || cell.groups > 1 ||
        !over.is_step())
        return {};
    if (cell.kind == cell_kind::lstm)
        switch (cell.units) {
        case 8:
            return fixed<sluice::lstm, 8>(cell, over);
        case 16:
            return fixed<sluice::lstm, 16>(cell, over);
        case 32:
            return fixed<sluice::lstm, 32>(cell, over);
        case 40:
            return fixed<sluice::lstm, 40>(cell, over);
        default:
            return {};
        }
    switch (cell.units) {
    case 8:
        return fixed<sluice::cudnn_gru, 8>(cell, over);
    case 16:
        return fixed<sluice::cudnn_gru, 16>(cell, over);
    case 32:
        return fixed<sluice::cudnn_gru, 32>(cell, over);
    case 64:
        return fixed<sluice::cudnn_gru, 64>(cell, over);
    case 128:
        return fixed<sluice::cudnn_gru, 128>(cell, over);
    default:
        return {};
    }
}

} // namespace bench
