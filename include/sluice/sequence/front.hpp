// SPDX-License-Identifier: BSL-1.0
// What a net (net/net.hpp), which knows no names, is given and gives: tensors by their names become lists of
// tensors, and back. unroll, infer, backward and stream ask here, and so are written once for cells and for
// stacks of layers (sequence/stack_front.hpp).
//
//   the state {"h": [2, 5]} of a GRU         [[1, 2, 5]]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sluice/cell/cell.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/net/state_rows.hpp>
#include <sluice/sequence/programs.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// The gradients of a loss with respect to what a net was run with.
template <class Parameters, class Inputs, class State>
struct gradients {
    Parameters parameters{};
    Inputs inputs{};
    State state{}; ///< of the initial states: of all steps that start from them
};
/// Nets of the same pages and scalar have gradients of one type, whatever their backends.
template <any_net Net>
using gradients_of =
    gradients<typename Net::parameters_type, typename Net::inputs_type, typename Net::state_type>;

namespace detail {

template <class Net>
struct front_of;

template <any_cell Cell>
struct front_of<Cell> {
    using page = typename Cell::page_type;
    using S = typename Cell::scalar_type;
    using tensors = std::vector<xt::xtensor<S, 3>>;

    static constexpr std::string_view called = "cell", differs = "sizes", runs = "unroll";

    /// f(k, values) for every input that is given.
    template <std::size_t Rank, class Given, class F>
    static void for_each_input(Given const& given, F const& f) {
        for_each_given<Rank, page>(given, f);
    }
    static std::string_view input_name(std::size_t k) { return sluice::detail::input_name<page>(k); }
    template <class Given>
    static taken_inputs<S> take(Cell const& cell, Given const& given, bool copies) {
        static_assert(may_be_of_rank<Given, 3>,
                      "sluice: unroll expects xs of shape [time, batch, input], of rank 3; a step is a call "
                      "of the cell");
        return take_inputs<3, page, S>("unroll", cell.extents(), given, copies);
    }
    static typename Cell::inputs_type inputs(tensors all) {
        typename Cell::inputs_type found;
        for (std::size_t k = 0; k < all.size(); ++k)
            nth_input(found, k) = std::move(all[k]);
        return found;
    }
    static auto zero_parameters(Cell const& cell) { return unwritten_parameters<page, S>(cell.extents()); }
    /// The number of the masks that a run in training draws.
    static std::optional<std::uint64_t> draw(Cell const&, std::optional<std::uint64_t> const&) { return {}; }
    static void require_steps(Cell const&) {}
};

} // namespace detail
} // namespace sluice
