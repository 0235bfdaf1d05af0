// SPDX-License-Identifier: BSL-1.0
#include "allocations.hpp"
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>

namespace lower {

inline constexpr sluice::sizes projecting{.input = 4, .units = 8, .projection = 4};

template <>
inline constexpr sluice::sizes sizes_of<sluice::projected_lstm> = projecting;
template <>
inline constexpr sluice::sizes sizes_of<sluice::canonical_projected_lstm> = projecting;
template <>
inline constexpr sluice::sizes sizes_of<sluice::glstm>{.input = 4, .units = 8, .groups = 2};
template <>
inline constexpr sluice::sizes sizes_of<sluice::projected_glstm>{
    .input = 4, .units = 8, .projection = 4, .groups = 2};

} // namespace lower

TEST_CASE_TEMPLATE(
    "allocations lstm: steps allocate nothing and take no lock, of constant sizes or not: LSTMs", Page,
    sluice::lstm, sluice::peephole_lstm, sluice::projected_lstm, sluice::canonical_lstm,
    sluice::canonical_projected_lstm, sluice::glstm, sluice::projected_glstm) {
    lower::asks_for_nothing<Page>();
}
