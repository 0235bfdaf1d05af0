// SPDX-License-Identifier: BSL-1.0
#include "allocations.hpp"
#include <support/matrix_cells.hpp>
#include <support/own_cells.hpp>
#include <support/reducing_cells.hpp>
#include <support/word_cells.hpp>

namespace lower {

template <>
inline constexpr sluice::sizes sizes_of<own_cells::traced>{
    .input = 4, .units = 9, .projection = 3, .groups = 3};
template <>
inline constexpr sluice::sizes sizes_of<reducing_cells::attentive>{
    .input = 4, .units = 8, .groups = 2, .own = {{"context", 2}}};
template <>
inline constexpr sluice::sizes sizes_of<matrix_cells::gated_delta_net>{
    .input = 4, .own = {{"keys", 10}, {"values", 6}, {"heads", 2}}};
template <>
inline constexpr auto inputs_of<reducing_cells::attentive> = [](auto const& x, auto const& context) {
    using namespace sluice::literals;
    return sluice::inputs("x"_s, x, "context"_s, context);
};

} // namespace lower

TEST_CASE_TEMPLATE(
    "allocations users: steps allocate nothing and take no lock, of constant sizes or not: cells of users",
    Page, own_cells::traced, reducing_cells::attentive, word_cells::activations, word_cells::with_kinks,
    word_cells::elementary, word_cells::comparing, word_cells::reducing, word_cells::delaying,
    word_cells::delaying_by_hand, matrix_cells::gated_delta_net) {
    lower::asks_for_nothing<Page>();
}
