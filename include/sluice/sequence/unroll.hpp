// SPDX-License-Identifier: BSL-1.0
// unroll: a cell over a whole sequence.
//
//   y_t, s_t = cell(x_t, s_(t-1))        t = 0 .. T-1
//
// s_(-1) is the state that it is given, or else cell.initial_state(batch).
//
// With lengths, sequence b of the batch ends after lengths[b] steps: its later outputs are zero and its state
// stays as it was (tensorflow's dynamic_rnn). Length 0 and batch 0 are legal.
//
// With resets, a row of the batch holds several sequences one behind the other, as episodes or pieces of
// streams do: where resets[t, b] is true, step t of row b starts from s_(-1) again. Backward,
// nothing flows over a reset, and the gradient of that state is the sum over all steps that start from it. A
// reset at t = 0, or behind the end of a row, changes nothing.
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
    std::uint64_t version = 0;    ///< of the cell's parameters
    bool is_from_initial = false; ///< it was given no state, and starts from cell.initial_state(batch)
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

/// The batch of what a run is given; 0 for what it refuses.
template <class Page, class Given>
std::size_t batch_of_given(Given const& given) {
    std::size_t batch = 0;
    for_each_given<3, Page>(given, [&](std::size_t k, auto const& values) {
        if (k == 0 && values.dimension() == 3)
            batch = static_cast<std::size_t>(values.shape()[1]);
    });
    return batch;
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
    requires(detail::is_input<Given>)
unrolled<Cell> unroll(Cell const& cell, Given const& xs, typename Cell::state_type const& state,
                      unroll_options const& options = {}) {
    return detail::unroll_checked(cell, detail::sequence_for(cell, xs, state, options));
}

/// The same from cell.initial_state(batch). Backward then also gives the gradients of the parameters at which
/// states start; those of a run that is given a state are of that state alone.
template <any_cell Cell, class Given>
    requires(detail::is_input<Given>)
unrolled<Cell> unroll(Cell const& cell, Given const& xs, unroll_options const& options = {}) {
    std::size_t const batch = detail::batch_of_given<typename Cell::page_type>(xs);
    auto run = unroll(cell, xs, cell.initial_state(batch), options);
    run.is_from_initial = true;
    return run;
}

/// The outputs [time, batch, output] and the final state of a sequence, with nothing kept for a gradient: a
/// program that only infers compiles no gradient either. Checks as unroll does. Inputs of the cell's scalar
/// that lie side by side, time by time, are read where they are; others, and those of sequences with lengths,
/// are copied.
template <any_cell Cell, class Given>
    requires(detail::is_input<Given>)
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

/// The same from cell.initial_state(batch).
template <any_cell Cell, class Given>
    requires(detail::is_input<Given>)
auto infer(Cell const& cell, Given const& xs, unroll_options const& options = {}) {
    std::size_t const batch = detail::batch_of_given<typename Cell::page_type>(xs);
    return infer(cell, xs, cell.initial_state(batch), options);
}

template <any_cell Cell, class E, class State>
    requires(!std::same_as<State, typename Cell::state_type>)
void unroll(Cell const&, xt::xexpression<E> const&, State const&, unroll_options const& = {}) {
    static_assert(never<State>,
                  "sluice: the state is of another cell, or of another scalar type; make it with "
                  "zero_state of the cell that is unrolled");
}

} // namespace sluice
