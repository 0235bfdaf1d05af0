// SPDX-License-Identifier: BSL-1.0
// unroll: a cell, or a stack of layers, over a whole sequence; in training, with all that backward reads.
// infer: the same in inference, with nothing kept.
//
//   y_t, s_t = net(x_t, s_(t-1))        t = 0 .. T-1
//
// s_(-1) is the state that it is given, or else net.initial_state(batch).
//
// With lengths, sequence b of the batch ends after lengths[b] steps: its later outputs are zero and its state
// stays as it was (tensorflow's dynamic_rnn). Length 0 and batch 0 are legal.
//
// With resets, a row of the batch holds several sequences one after the other, as episodes or pieces of
// streams do: where resets[t, b] is true, step t of row b starts from s_(-1) again. Backward,
// nothing flows over a reset, and the gradient of that state is the sum over all steps that start from it. A
// reset at t = 0, or after the end of a row, changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/sequence/front.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// What unroll and infer take beside a sequence and a state.
struct unroll_options {
    std::vector<std::size_t> lengths{}; ///< one for each sequence of the batch; empty: all are full
    reset_mask resets{};                ///< [time, batch] of bool, any expression; empty: none
    /// Which masks unroll draws, of a stack that has any: the same number gives the same ones. Without it
    /// each call takes the next number. infer draws none, and refuses a number.
    std::optional<std::uint64_t> draw{};
    /// Where these rows are a part of a larger batch, which row of it the first one is: they are masked as
    /// they are there.
    std::size_t first_row = 0;
    /// Of cells whose states are matrices: unroll keeps those of one step in so many, and backward computes
    /// the others again. 0: the library chooses; from the number of steps on it is one part. It changes
    /// memory and time, and no result.
    std::size_t steps_of_part = 0;
};

/// What unroll gives, but the final state.
template <class Memory>
struct net_run {
    using tape_type = net_tape<Memory>;

    typename Memory::tensor outputs{}; ///< [time, batch, output]
    std::vector<std::size_t> lengths{};
    std::uint64_t version = 0;    ///< of the parameters
    std::uint64_t draw = 0;       ///< of the masks
    bool is_from_initial = false; ///< it was given no state, and starts from net.initial_state(batch)
    std::shared_ptr<tape_type const> tape{}; ///< all that backward reads, whatever becomes of the rest

    net_run();
    net_run(net_run const&);
    net_run(net_run&&) noexcept;
    net_run& operator=(net_run const&);
    net_run& operator=(net_run&&) noexcept;
    ~net_run();

    /// Time and batch.
    std::array<std::size_t, 2> shape() const {
        return tape ? std::array{tape->steps, tape->batch} : std::array<std::size_t, 2>{};
    }
    /// Whether it is here, and not moved away.
    bool has_tape() const { return tape != nullptr; }
};

template <any_net Net>
struct run_of : net_run<typename Net::memory_type> {
    typename Net::state_type state{};
};

/// What infer gives.
template <class Outputs, class State>
struct sequence_result {
    Outputs outputs{}; ///< [time, batch, output]
    State state{};
};
template <any_net Net>
using result_of = sequence_result<typename Net::memory_type::tensor, typename Net::state_type>;

namespace detail {

/// Throws `std::invalid_argument` unless there is a length for each row of the batch, or none, and resets are
/// [time, batch], or none.
template <class Options>
[[gnu::noinline]] void require_rows(std::string_view who, Options const& options, std::size_t steps,
                                    std::size_t batch) {
    std::vector<std::size_t> const& lengths = options.lengths;
    if (!lengths.empty() && lengths.size() != batch)
        fail<std::invalid_argument>(
            {who, " expects one length for each of ", batch, " sequences, but got ", lengths.size()});
    for (std::size_t const length : lengths)
        if (length > steps)
            fail<std::invalid_argument>(
                {who, " expects lengths of at most ", steps, " steps, but got ", length});
    options.resets.require_shape(who, steps, batch);
}

/// Throws `std::invalid_argument` for a draw of masks.
inline void refuse_draw(unroll_options const& options) {
    if (options.draw)
        fail<std::invalid_argument>(
            {"infer draws no masks, but .draw is ", *options.draw, "; leave it out, or use unroll"});
}

/// The inputs of a run, once everything is checked. Throws `std::invalid_argument` that names what was
/// expected and what came.
template <any_net Net, class Given>
auto checked_inputs(Net const& net, Given const& given, typename Net::state_type const& state,
                    unroll_options const& options, bool copies) {
    using front = front_of<Net>;
    auto taken = front::take(net, given, copies);
    auto const [steps, batch] = taken.shape;
    require_count("unroll: the outputs", {steps, batch, net.output_size()});
    net.check_state(front::runs, "a state", state, batch);
    require_rows(front::runs, options, steps, batch);
    return taken;
}

/// The batch of what a run is given; 0 for what it refuses.
template <any_net Net, class Given>
std::size_t batch_of_given(Given const& given) {
    std::size_t batch = 0;
    front_of<Net>::template for_each_input<3>(given, [&](std::size_t k, auto const& values) {
        if (k == 0 && values.shape().size() == 3)
            batch = static_cast<std::size_t>(values.shape()[1]);
    });
    return batch;
}

// What has been checked is run. The first two know no page.

/// Keeps what backward reads. The start states become the final ones.
template <class Memory>
[[gnu::noinline]] void unroll_net(net<Memory> const& of, typename net<Memory>::programs with,
                                  std::span<typename Memory::scalar const> all,
                                  std::vector<typename Memory::tensor> xs,
                                  std::vector<typename Memory::tensor>& states, unroll_options const& options,
                                  std::optional<std::uint64_t> draw, net_run<Memory>& run) {
    run.lengths = options.lengths;
    run.draw = draw.value_or(0);
    auto found = of.forward(with, all,
                            {.inputs = std::move(xs),
                             .states = std::move(states),
                             .lengths = options.lengths,
                             .resets = options.resets,
                             .draw = draw,
                             .first_row = options.first_row,
                             .steps_of_part = options.steps_of_part},
                            run.tape);
    run.outputs = std::move(found.outputs);
    states = std::move(found.states);
}

/// Gives the outputs. The start states become the final ones.
template <class Memory>
[[gnu::noinline]] typename Memory::tensor
infer_net(net<Memory> const& of, typename net<Memory>::programs with,
          std::span<typename Memory::scalar const> all, std::vector<typename Memory::tensor> xs,
          std::vector<typename Memory::tensor>& states, unroll_options const& options) {
    auto found = of.infer(with, all,
                          {.inputs = std::move(xs),
                           .states = std::move(states),
                           .lengths = options.lengths,
                           .resets = options.resets});
    states = std::move(found.states);
    return std::move(found.outputs);
}
/// The same of a cell without lengths, which reads inputs and states where they lie.
template <class Memory>
[[gnu::noinline]] typename Memory::tensor
infer_in_place(net<Memory> const& of, typename net<Memory>::programs with,
               std::span<typename Memory::scalar const> all, taken_inputs<typename Memory::scalar> const& xs,
               std::span<xt::xtensor<typename Memory::scalar, 2> const> starts, reset_mask const& resets,
               std::vector<typename Memory::tensor>& states) {
    using scalar = typename Memory::scalar;
    auto found = of.infer(with, all,
                          engine_sequence<scalar>{.steps = xs.shape[0],
                                                  .rows = {xs.shape[1], {}, resets.values()},
                                                  .inputs = xs.numbers,
                                                  .states = addresses<scalar const>(starts)});
    states = std::move(found.states);
    return std::move(found.outputs);
}

template <any_net Net, class Taken>
run_of<Net> unroll_checked(Net const& net, Taken xs, typename Net::state_type const& state,
                           unroll_options const& options) {
    using front = front_of<Net>;
    run_of<Net> run;
    run.version = net.version();
    auto const programs = forward_programs<Net>();
    auto states = front::states(net, state);
    [[maybe_unused]] auto const lock = front::lock(net);
    unroll_net<typename Net::memory_type>(net.as_net(), programs, front::numbers(net), std::move(xs.tensors),
                                          states, options, front::draw(net, options.draw), run);
    run.state = by_name<typename Net::state_type>(std::move(states));
    return run;
}

template <any_net Net, class Taken>
result_of<Net> infer_checked(Net const& net, Taken xs, typename Net::state_type const& state,
                             unroll_options const& options) {
    using front = front_of<Net>;
    using memory = typename Net::memory_type;
    auto const programs = inference_programs<Net>();
    result_of<Net> result;
    typename front::tensors states;
    [[maybe_unused]] auto const lock = front::lock(net);
    bool runs_in_place = false;
    if constexpr (any_cell<Net>)
        if (options.lengths.empty()) {
            runs_in_place = true;
            result.outputs = infer_in_place<memory>(net.as_net(), programs, front::numbers(net), xs,
                                                    state.tensors(), options.resets, states);
        }
    if (!runs_in_place) {
        states = front::states(net, state);
        result.outputs = infer_net<memory>(net.as_net(), programs, front::numbers(net), std::move(xs.tensors),
                                           states, options);
    }
    result.state = by_name<typename Net::state_type>(std::move(states));
    return result;
}

} // namespace detail

/// Runs xs [time, batch, input]; several inputs are given by their names, as cell/inputs.hpp shows. Throws
/// `std::invalid_argument` that names what was expected and what came.
template <any_net Net, class Given>
    requires(detail::input_of<Net, Given>&& detail::planned_net<Net>)
run_of<Net> unroll(Net const& net, Given const& xs, typename Net::state_type const& state,
                   unroll_options const& options = {}) {
    return detail::unroll_checked(net, detail::checked_inputs(net, xs, state, options, true), state, options);
}

/// The same from net.initial_state(batch). Backward then also gives the gradients of the parameters at which
/// states start; those of a run that is given a state are of that state alone.
template <any_net Net, class Given>
    requires(detail::input_of<Net, Given>)
run_of<Net> unroll(Net const& net, Given const& xs, unroll_options const& options = {}) {
    auto run = unroll(net, xs, net.initial_state(detail::batch_of_given<Net>(xs)), options);
    run.is_from_initial = true;
    return run;
}

/// The outputs [time, batch, output] and the final state of a sequence, with nothing dropped, and nothing
/// kept for a gradient: a program that only infers compiles no gradient either. Checks as unroll does. Inputs
/// of a cell, of its scalar, that lie side by side, time by time, are read where they are; others, and those
/// of sequences with lengths, are copied.
template <any_net Net, class Given>
    requires(detail::input_of<Net, Given>)
result_of<Net> infer(Net const& net, Given const& xs, typename Net::state_type const& state,
                     unroll_options const& options = {}) {
    detail::refuse_draw(options);
    bool const copies = !any_cell<Net> || !options.lengths.empty();
    return detail::infer_checked(net, detail::checked_inputs(net, xs, state, options, copies), state,
                                 options);
}

/// The same from net.initial_state(batch).
template <any_net Net, class Given>
    requires(detail::input_of<Net, Given>)
result_of<Net> infer(Net const& net, Given const& xs, unroll_options const& options = {}) {
    return infer(net, xs, net.initial_state(detail::batch_of_given<Net>(xs)), options);
}

template <any_net Net, class E, class State>
    requires(!std::same_as<State, typename Net::state_type>)
void unroll(Net const&, xt::xexpression<E> const&, State const&, unroll_options const& = {}) {
    static_assert(never<State>,
                  "sluice: the state is of another cell, or of another scalar type; make it with "
                  "zero_state of the cell that is unrolled");
}

template <class Memory>
[[gnu::cold]] net_run<Memory>::net_run() = default;
template <class Memory>
[[gnu::cold]] net_run<Memory>::net_run(net_run const&) = default;
template <class Memory>
[[gnu::cold]] net_run<Memory>::net_run(net_run&&) noexcept = default;
template <class Memory>
[[gnu::cold]] net_run<Memory>& net_run<Memory>::operator=(net_run const&) = default;
template <class Memory>
[[gnu::cold]] net_run<Memory>& net_run<Memory>::operator=(net_run&&) noexcept = default;
template <class Memory>
[[gnu::cold]] net_run<Memory>::~net_run() = default;

} // namespace sluice
