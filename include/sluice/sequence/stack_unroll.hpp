// SPDX-License-Identifier: BSL-1.0
// unroll, infer and backward of a stack, layer by layer.
//
//   auto const run       = sluice::unroll(net, xs, state);                  training: with dropout
//   auto const gradients = sluice::backward(net, run, dys);
//   auto const [ys, end] = sluice::infer(net, xs, state);               inference: nothing is dropped or kept
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack.hpp>
#include <sluice/sequence/unroll.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

struct stack_unroll_options {
    std::vector<std::size_t> lengths{}; ///< as of unroll
    reset_mask resets{};                ///< the same
    /// Which masks are drawn: the same number gives the same ones. Without it each call takes the next
    /// number.
    std::optional<std::uint64_t> draw{};
};

/// What unroll of a stack gives: outputs [time, batch, directions x output], the final state, and the tape
/// that backward reads.
template <any_stack Stack>
struct stack_run {
    using scalar = typename Stack::scalar_type;
    using tape_type = net_tape<typename Stack::memory_type>;

    xt::xtensor<scalar, 3> outputs{};
    typename Stack::state_type state{};
    std::vector<std::size_t> lengths{};
    std::uint64_t version = 0;    ///< of the parameters
    std::uint64_t draw = 0;       ///< of the masks
    bool is_from_initial = false; ///< it was given no state, and starts from net.initial_state(batch)
    std::shared_ptr<tape_type const> tape{};

    /// Time and batch.
    std::array<std::size_t, 2> shape() const {
        return tape ? std::array{tape->steps, tape->batch} : std::array<std::size_t, 2>{};
    }
    /// Whether it is here, and not moved away.
    bool has_tape() const { return tape != nullptr; }
};

/// What infer of a stack gives.
template <any_stack Stack>
struct stack_result {
    xt::xtensor<typename Stack::scalar_type, 3> outputs{}; ///< [time, batch, directions x output]
    typename Stack::state_type state{};
};

/// The gradients of a loss with respect to what a stack was run with.
template <any_stack Stack>
struct stack_gradients {
    typename Stack::parameters_type parameters{};
    xt::xtensor<typename Stack::scalar_type, 3> inputs{};
    typename Stack::state_type state{}; ///< of the initial states
};

namespace detail {

/// xs as the stack reads it. Refuses what does not fit with a sentence.
template <any_stack Stack, class E>
xt::xtensor<typename Stack::scalar_type, 3> stack_input(Stack const& net, xt::xexpression<E> const& xs,
                                                        typename Stack::state_type const& state,
                                                        unroll_options const& options) {
    static_assert(may_have_rank<E, 3>, "sluice: a stack expects xs of shape [time, batch, input], of rank 3");
    using scalar = typename Stack::scalar_type;
    auto const& values = xs.derived_cast();
    if (values.dimension() != 3 || values.shape()[2] != net.input_size())
        fail<std::invalid_argument>({"a stack expects xs of shape [time, batch, ", net.input_size(),
                                     "], but got ", extents_in(values.shape())});
    require_numbers("the input of a stack", values);
    xt::xtensor<scalar, 3> given = rounded_tensor<scalar>(values);
    require_rows("a stack", options, given.shape()[0], given.shape()[1]);
    net.check_state("a stack", "a state", state, given.shape()[1]);
    return given;
}

template <class E>
std::size_t batch_of_given(xt::xexpression<E> const& xs) {
    auto const& values = xs.derived_cast();
    return values.dimension() == 3 ? static_cast<std::size_t>(values.shape()[1]) : 0;
}

/// The states of a stack one after the other, as a net has them, and back.
template <any_stack Stack>
std::vector<xt::xtensor<typename Stack::scalar_type, 3>> listed(typename Stack::state_type const& state) {
    std::vector<xt::xtensor<typename Stack::scalar_type, 3>> all;
    for_each_parameter(state, [&](auto, auto const& one) { all.push_back(one); });
    return all;
}
template <any_stack Stack>
typename Stack::state_type by_name(std::vector<xt::xtensor<typename Stack::scalar_type, 3>> all) {
    typename Stack::state_type state;
    std::size_t k = 0;
    for_each_parameter(state, [&](auto, auto& one) { one = std::move(all[k++]); });
    return state;
}

// What follows is compiled once for a stack, whatever kind of expression it is given.

/// Runs what has been checked in training.
template <any_stack Stack>
stack_run<Stack> unroll_checked(Stack const& net, xt::xtensor<typename Stack::scalar_type, 3> given,
                                typename Stack::state_type const& state, unroll_options const& rows,
                                stack_unroll_options const& options) {
    stack_run<Stack> run{.lengths = options.lengths,
                         .version = net.version(),
                         .draw = options.draw ? *options.draw : net.next_draw()};
    auto tape = std::make_shared<typename stack_run<Stack>::tape_type>();
    auto const programs = forward_programs<Stack>();
    net_sequence<typename Stack::memory_type> asked{
        .states = listed<Stack>(state), .lengths = rows.lengths, .resets = rows.resets, .draw = run.draw};
    asked.inputs.push_back(std::move(given));
    auto found = net.as_net().forward(programs, net.parameters().values(), std::move(asked), *tape);
    run.outputs = std::move(found.outputs);
    run.state = by_name<Stack>(std::move(found.states));
    run.tape = std::move(tape);
    return run;
}

/// Runs what has been checked in inference.
template <any_stack Stack>
stack_result<Stack> infer_checked(Stack const& net, xt::xtensor<typename Stack::scalar_type, 3> given,
                                  typename Stack::state_type const& state, unroll_options const& options) {
    auto const programs = inference_programs<Stack>();
    net_sequence<typename Stack::memory_type> asked{
        .states = listed<Stack>(state), .lengths = options.lengths, .resets = options.resets};
    asked.inputs.push_back(std::move(given));
    auto found = net.as_net().infer(programs, net.parameters().values(), std::move(asked));
    return {std::move(found.outputs), by_name<Stack>(std::move(found.states))};
}

} // namespace detail

/// Runs xs [time, batch, input] in training: with masks, and all that backward reads. Throws
/// `std::invalid_argument` that names what was expected and what came.
template <any_stack Stack, class E>
stack_run<Stack> unroll(Stack const& net, xt::xexpression<E> const& xs,
                        typename Stack::state_type const& state, stack_unroll_options const& options = {}) {
    unroll_options const rows{.lengths = options.lengths, .resets = options.resets};
    return detail::unroll_checked(net, detail::stack_input(net, xs, state, rows), state, rows, options);
}

/// The same from net.initial_state(batch), as unroll of a cell does.
template <any_stack Stack, class E>
stack_run<Stack> unroll(Stack const& net, xt::xexpression<E> const& xs,
                        stack_unroll_options const& options = {}) {
    auto run = unroll(net, xs, net.initial_state(detail::batch_of_given(xs)), options);
    run.is_from_initial = true;
    return run;
}

/// Runs xs in inference, with nothing kept for a gradient.
template <any_stack Stack, class E>
stack_result<Stack> infer(Stack const& net, xt::xexpression<E> const& xs,
                          typename Stack::state_type const& state, unroll_options const& options = {}) {
    return detail::infer_checked(net, detail::stack_input(net, xs, state, options), state, options);
}

/// The same from net.initial_state(batch).
template <any_stack Stack, class E>
stack_result<Stack> infer(Stack const& net, xt::xexpression<E> const& xs,
                          unroll_options const& options = {}) {
    return infer(net, xs, net.initial_state(detail::batch_of_given(xs)), options);
}

namespace detail {

/// Adds the gradients of the states to those of the parameters at which they start.
template <any_stack Stack>
void add_to_starts(Stack const& net, stack_gradients<Stack>& found) {
    net.for_each_layer([&](auto const& one, auto at) {
        using page = typename std::decay_t<decltype(one)>::cell_type::page_type;
        if constexpr (has_initial_states<page>())
            for (std::size_t d = 0; d < one.cells().size(); ++d) {
                auto of_cell = found.parameters.template at<page>(at.layer, d);
                add_to_starts<page, typename Stack::scalar_type>(
                    of_cell, row_of_states<page, typename Stack::scalar_type>(part_of<at.group>(found.state),
                                                                              net.first_row(at.layer) + d));
            }
    });
}

/// Gradients from those of the outputs, which have been checked.
template <any_stack Stack>
stack_gradients<Stack> backward_checked(Stack const& net, stack_run<Stack> const& run,
                                        xt::xtensor<typename Stack::scalar_type, 3> ds,
                                        typename Stack::state_type const& dstate, backward_options options) {
    stack_gradients<Stack> found{.parameters = net.zero_parameters()};
    auto const programs = backward_programs<Stack>();
    auto back = net.as_net().backward(
        programs, net.parameters().values(), *run.tape,
        {.outputs = std::move(ds), .states = listed<Stack>(dstate), .want_inputs = options.inputs},
        found.parameters.values());
    if (options.inputs)
        found.inputs = std::move(back.inputs[0]);
    found.state = by_name<Stack>(std::move(back.states));
    if (run.is_from_initial)
        add_to_starts(net, found);
    return found;
}

} // namespace detail

/// Gradients of `run` from those of its outputs, [time, batch, directions x output], and of its final state.
/// Throws as backward of a cell does.
template <any_stack Stack, class E>
stack_gradients<Stack> backward(std::type_identity_t<Stack> const& net, stack_run<Stack> const& run,
                                xt::xexpression<E> const& dys, typename Stack::state_type const& dstate,
                                backward_options options = {}) {
    static_assert(detail::may_have_rank<E, 3>,
                  "sluice: backward expects gradients of the outputs, [time, batch, output], of rank 3");
    using scalar = typename Stack::scalar_type;
    detail::require_tape(run, net.version());
    auto const [steps, batch] = run.shape();
    auto const& values = dys.derived_cast();
    std::array<std::size_t, 3> const expected{steps, batch, net.output_size()};
    detail::require_same_shape("backward", "gradients of the outputs", expected, values.shape());
    detail::require_numbers("the gradient of the outputs", values);
    net.check_state("backward", "a gradient of the state", dstate, batch);

    return detail::backward_checked<Stack>(net, run, rounded_tensor<scalar>(values), dstate, options);
}

template <any_stack Stack, class E>
stack_gradients<Stack> backward(std::type_identity_t<Stack> const& net, stack_run<Stack> const& run,
                                xt::xexpression<E> const& dys, backward_options options = {}) {
    std::size_t const batch = run.has_tape() ? run.shape()[1] : 0;
    return backward(net, run, dys, net.zero_state(batch), options);
}

} // namespace sluice
