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

/// Of the sizes that are compiled, the one of the cell.
template <class Page, std::size_t... Units>
std::optional<contestant> fixed_one_of(cell_numbers const& cell, sequence const& over) {
    std::optional<contestant> found;
    static_cast<void>(((cell.units == Units && (found = fixed<Page, Units>(cell, over)).has_value()) || ...));
    return found;
}

} // namespace

std::optional<contestant> this_library_fixed(cell_numbers const& cell, sequence const& over) {
    if (cell.kind == cell_kind::gru || cell.input != cell.units || cell.projection > 0 || cell.groups > 1 ||
        !over.is_step())
        return {};
    return cell.kind == cell_kind::lstm ? fixed_one_of<sluice::lstm, 8, 16, 32, 40>(cell, over)
                                        : fixed_one_of<sluice::cudnn_gru, 8, 16, 32, 64, 128>(cell, over);
}

} // namespace bench
