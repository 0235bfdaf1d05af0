// SPDX-License-Identifier: BSL-1.0
// unroll: a cell over a whole sequence.
//
//   y_t, s_t = cell(x_t, s_(t-1))        t = 0 .. T-1
//
// With lengths, sequence b of the batch ends after lengths[b] steps: its later outputs are zero and its state
// stays as it was (tensorflow's dynamic_rnn). Length 0 and batch 0 are legal.
//
// With resets, a row of the batch holds several sequences one behind the other, as episodes or pieces of
// streams do: where resets[t, b] is true, step t of row b starts from s_(-1) again, the state that unroll was
// given. Backward, nothing flows over a reset, and the gradient of that state is the sum over all steps that
// start from it. A reset at t = 0, or behind the end of a row, changes nothing.
#pragma once

#include <sluice/cell/cell.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/lower/backend.hpp>

namespace sluice {

struct unroll_options {
    std::vector<std::size_t> lengths{}; ///< one for each sequence of the batch; empty: all are full
    reset_mask resets{};                ///< [time, batch] of bool, any expression; empty: none
};

/// What unroll gives: outputs [time, batch, output], the final state, and the tape: all that backward reads,
/// which knows its own shape, so that nothing depends on what becomes of the rest.
template <class Cell>
struct unrolled {
    using lowering = typename Cell::lowering_type;
    using scalar = typename Cell::scalar_type;

    xt::xtensor<scalar, 3> outputs{};
    typename Cell::state_type state{};
    std::vector<std::size_t> lengths{};
    std::uint64_t version = 0; ///< of the cell's parameters
    typename lowering::tape tape{};

    /// Whether it is here, and not moved away.
    bool has_tape() const { return tape.is_kept(); }
};

namespace detail {

/// Throws `std::invalid_argument` unless there is a length for each row of the batch, or none, and resets are
/// [time, batch], or none.
inline void require_rows(std::string_view who, unroll_options const& options, std::size_t steps,
                         std::size_t batch) {
    if (!options.lengths.empty() && options.lengths.size() != batch)
        fail<std::invalid_argument>(
            {who, " expects one length for each of ", batch, " sequences, but got ", options.lengths.size()});
    for (std::size_t const length : options.lengths)
        if (length > steps)
            fail<std::invalid_argument>(
                {who, " expects lengths of at most ", steps, " steps, but got ", length});
    options.resets.require_shape(who, steps, batch);
}

/// Throws `std::invalid_argument` unless the outputs can be counted, and state and options fit the sequence.
template <class Cell>
void check_sequence(Cell const& cell, typename Cell::state_type const& state, unroll_options const& options,
                    std::size_t steps, std::size_t batch) {
    require_count("unroll: the outputs", {steps, batch, cell.output_size()});
    cell.check_state("unroll", "a state", state, batch);
    require_rows("unroll", options, steps, batch);
}

/// A sequence as a lowering wants it; refuses what does not fit with a sentence.
template <class Cell, class Given>
typename Cell::lowering_type::input_type sequence_for(Cell const& cell, Given const& given,
                                                      typename Cell::state_type const& state,
                                                      unroll_options const& options) {
    static_assert(
        may_be_of_rank<Given, 3>,
        "sluice: unroll expects xs of shape [time, batch, input], of rank 3; a step is a call of the cell");
    using scalar = typename Cell::scalar_type;
    auto xs = take_inputs<3, typename Cell::page_type, scalar>("unroll", cell.extents(), given);
    check_sequence(cell, state, options, steps_of(xs), batch_of(xs));
    for (std::size_t k = 0; k == 0 || k < static_cast<std::size_t>(cell.input_count()); ++k)
        clear_padding(nth_input(xs, k), options.lengths);
    return {.xs = std::move(xs), .state = state, .lengths = options.lengths, .resets = options.resets};
}

/// Runs what has been checked, and keeps what backward reads.
template <any_cell Cell>
unrolled<Cell> unroll_checked(Cell const& cell, typename Cell::lowering_type::input_type given) {
    unrolled<Cell> run{.lengths = given.lengths, .version = cell.version()};
    run.tape = cell.lowered().forward(cell.view(), std::move(given));
    run.outputs = std::move(run.tape.outputs);
    run.state = std::move(run.tape.state);
    return run;
}

} // namespace detail

/// Runs xs [time, batch, input]; several inputs are given by their names, as cell/inputs.hpp shows. Throws
/// `std::invalid_argument` that names what was expected and what came.
template <any_cell Cell, class Given>
    requires detail::is_input<Given> unrolled<Cell> unroll(Cell const& cell, Given const& xs,
                                                           typename Cell::state_type const& state,
                                                           unroll_options const& options = {}) {
        return detail::unroll_checked(cell, detail::sequence_for(cell, xs, state, options));
    }

/// The outputs [time, batch, output] and the final state of a sequence, with nothing kept for a gradient: a
/// program that only infers compiles no gradient either. Checks as unroll does. Inputs of the cell's scalar that lie
/// side by side, time by time, are read where they are; others, and those of sequences with lengths, are copied.
template <any_cell Cell, class Given>
    requires detail::is_input<Given>
auto infer(Cell const& cell, Given const& xs, typename Cell::state_type const& state,
           unroll_options const& options = {}) {
    using page = typename Cell::page_type;
    using scalar = typename Cell::scalar_type;
    if constexpr (detail::infers_in_place<typename Cell::lowering_type, page, scalar> &&
                  detail::may_be_of_rank<Given, 3>)
        if (options.lengths.empty())
            if (auto found = detail::find_inputs<3, page, scalar>("unroll", cell.extents(), xs);
                found.has_all()) {
                auto const [steps, batch] = found.shape;
                detail::check_sequence(cell, state, options, steps, batch);
                sequence_in_place<page, scalar> const input{.inputs = std::move(found.numbers),
                                                            .shape = found.shape,
                                                            .start = &state,
                                                            .rows = {batch, {}, options.resets.values()}};
                return cell.lowered().infer(cell.view(), input);
            }
    return cell.lowered().infer(cell.view(), detail::sequence_for(cell, xs, state, options));
}

template <any_cell Cell, class E, class State>
    requires(!std::same_as<State, typename Cell::state_type>)
void unroll(Cell const&, xt::xexpression<E> const&, State const&, unroll_options const& = {}) {
    static_assert(never<State>,
                  "sluice: the state is of another cell, or of another scalar type; make it with "
                  "zero_state of the cell that is unrolled");
}

} // namespace sluice
