// SPDX-License-Identifier: BSL-1.0
// backward: the exact gradients of a sequence, generated from the same equations.
//
// Given dL/dy_t for every step, and dL/ds_T for the final states, it gives dL/dparameters, dL/dx_t and
// dL/ds_0. The parameters at which states start have a part of it: the sum over the batch of dL/ds_0, if the
// run was given no state.
#pragma once

#include <sluice/core/fail.hpp>
#include <sluice/sequence/unroll.hpp>

namespace sluice {

struct backward_options {
    bool inputs = true; ///< false: leave the gradient of the inputs out (it stays empty)
};

namespace detail {

/// Throws `std::logic_error` unless the run has its tape, and was made with the parameters of that version.
template <class Run>
void require_tape(Run const& run, std::uint64_t version) {
    if (!run.has_tape())
        fail<std::logic_error>({"backward needs the tape of the run; use the run that holds it: not one of "
                                "inference, and not one that was moved from"});
    if (run.version != version)
        fail<std::logic_error>({"backward needs the parameters of the run, but the cell's have changed "
                                "since; call backward before they change"});
}

} // namespace detail

template <any_cell Cell>
using gradients_of = gradients<typename Cell::page_type, typename Cell::scalar_type>;

/// Gradients of `run` from those of its outputs, [time, batch, output], and of its final state.
/// Throws `std::invalid_argument` for another shape, and `std::logic_error` for a run without a tape, or one
/// of a cell whose parameters have changed since.
template <any_cell Cell, class E>
gradients_of<Cell> backward(Cell const& cell, unrolled<Cell> const& run, xt::xexpression<E> const& dys,
                            typename Cell::state_type const& dstate, backward_options options = {}) {
    static_assert(detail::may_have_rank<E, 3>,
                  "sluice: backward expects gradients of the outputs, [time, batch, output], of rank 3");
    detail::require_tape(run, cell.version());
    auto const& values = dys.derived_cast();
    auto const [steps, batch] = run.tape.shape();
    std::array<std::size_t, 3> const expected{steps, batch, cell.output_size()};
    detail::require_same_shape("backward", "gradients of the outputs", expected, values.shape());
    detail::require_numbers("the gradient of the outputs", values);
    cell.check_state("backward", "a gradient of the state", dstate, batch);
    using scalar = typename Cell::scalar_type;
    auto found = cell.lowered().backward(
        cell.view(), run.tape,
        {.outputs = rounded_tensor<scalar>(values), .state = dstate, .want_inputs = options.inputs});
    using page = typename Cell::page_type;
    if constexpr (detail::has_initial_states<page>())
        if (run.is_from_initial)
            detail::add_to_starts<page, scalar>(found.parameters, found.state);
    return found;
}

/// The same, with a gradient of zero for the final state.
template <any_cell Cell, class E>
gradients_of<Cell> backward(Cell const& cell, unrolled<Cell> const& run, xt::xexpression<E> const& dys,
                            backward_options options = {}) {
    std::size_t const batch = run.has_tape() ? run.tape.shape()[1] : 0;
    return backward(cell, run, dys, cell.zero_state(batch), options);
}

} // namespace sluice
