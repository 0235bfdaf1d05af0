// SPDX-License-Identifier: BSL-1.0
// unroll: a cell over a whole sequence.
//
//   y_t, s_t = cell(x_t, s_(t-1))        t = 0 .. T-1
//
// With lengths, sequence b of the batch ends after lengths[b] steps: its later outputs are zero and its state
// stays as it was (tensorflow's dynamic_rnn). Length 0 and batch 0 are legal.
#pragma once

#include <sluice/cell/cell.hpp>
#include <sluice/lower/backend.hpp>

namespace sluice {

struct unroll_options {
    std::vector<std::size_t> lengths{}; ///< one for each sequence of the batch; empty: all are full
    bool keep_tape = true;              ///< false: less memory, and no backward
};

/// What unroll gives: outputs [time, batch, output], the final state, and the tape: all that backward reads, which
/// knows its own shape, so that nothing depends on what becomes of the rest.
template <class Cell>
struct unrolled {
    using lowering = typename Cell::lowering_type;
    using scalar = typename Cell::scalar_type;

    xt::xtensor<scalar, 3> outputs{};
    typename Cell::state_type state{};
    std::vector<std::size_t> lengths{};
    std::uint64_t version = 0; ///< of the cell's parameters
    typename lowering::tape tape{};

    /// Whether it was kept, and not moved away since.
    bool has_tape() const { return tape.is_kept(); }
};

/// Runs xs [time, batch, input]. Throws `std::invalid_argument` that names what was expected and what came.
template <any_cell Cell, class E>
unrolled<Cell> unroll(Cell const& cell, xt::xexpression<E> const& xs, typename Cell::state_type const& state,
                      unroll_options options = {}) {
    using scalar = typename Cell::scalar_type;
    static_assert(
        detail::may_have_rank<E, 3>,
        "sluice: unroll expects xs of shape [time, batch, input], of rank 3; a step is a call of the cell");
    auto const& values = xs.derived_cast();
    std::size_t const input = cell.input_size();
    if (values.dimension() != 3 || values.shape()[2] != input)
        throw std::invalid_argument("sluice: unroll expects xs of shape [time, batch, " +
                                    std::to_string(input) + "], but got " +
                                    detail::shape_text(values.shape()));
    std::size_t const steps = values.shape()[0], batch = values.shape()[1];
    detail::require_count("unroll: xs", {steps, batch, input});
    detail::require_count("unroll: the outputs", {steps, batch, cell.output_size()});
    detail::require_numbers("the xs of unroll", values);
    cell.check_state("unroll", "a state", state, batch);
    if (!options.lengths.empty() && options.lengths.size() != batch)
        throw std::invalid_argument("sluice: unroll expects one length for each of " + std::to_string(batch) +
                                    " sequences, but got " + std::to_string(options.lengths.size()));
    for (std::size_t const length : options.lengths)
        if (length > steps)
            throw std::invalid_argument("sluice: unroll expects lengths of at most " + std::to_string(steps) +
                                        " steps, but got " + std::to_string(length));

    typename Cell::lowering_type::input_type given{
        .xs = values, .state = state, .lengths = options.lengths, .keep_tape = options.keep_tape};
    for (std::size_t t = 0; t < steps && !options.lengths.empty(); ++t) // padding may hold anything
        for (std::size_t b = 0; b < batch; ++b)
            if (t >= options.lengths[b])
                std::fill_n(given.xs.data() + (t * batch + b) * input, input, scalar(0));
    unrolled<Cell> run{.lengths = std::move(options.lengths), .version = cell.version()};
    run.tape = cell.lowered().forward(cell.view(), std::move(given));
    run.outputs = std::move(run.tape.outputs);
    run.state = std::move(run.tape.state);
    return run;
}

template <any_cell Cell, class E, class State>
    requires(!std::same_as<State, typename Cell::state_type>)
void unroll(Cell const&, xt::xexpression<E> const&, State const&, unroll_options const& = {}) {
    static_assert(never<State>,
                  "sluice: the state is of another cell, or of another scalar type; make it with "
                  "zero_state of the cell that is unrolled");
}

} // namespace sluice
