// SPDX-License-Identifier: BSL-1.0
// backward: the exact gradients of a sequence, generated from the same equations.
//
// Given dL/dy_t for every step, and dL/ds_T for the final states, it gives dL/dparameters, dL/dx_t and
// dL/ds_0. The parameters at which states start have a part of it: the sum over the batch of dL/ds_0, if the
// run was given no state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <sluice/core/fail.hpp>
#include <sluice/net/starts.hpp>
#include <sluice/sequence/unroll.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

/// What backward leaves out, and who is told meanwhile what is there.
template <class S>
struct backward_options {
    bool inputs = true; ///< false: leave the gradient of the inputs out (it stays empty)
    /// Is called with gradients of parameters that will not change any more: those of a layer, while those of
    /// the layers before it are still to be computed. They lie in the net's array from the first number on;
    /// all come once, those of the last layer first. On a device they are there for what is queued next. An
    /// exception of it ends backward.
    std::function<void(std::size_t first, std::span<S const> gradients)> ready{};
};

namespace detail {

/// Defined where backward is: a backend's header for running alone says so where it is not.
template <class Net>
struct learning {};

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

/// Whether the gradients of a layer are there only when those of its start states are.
template <class Memory>
bool has_starts(net_layer<Memory> const& layer) {
    return std::ranges::any_of(layer.ways, [](auto const& way) {
        return std::ranges::any_of(way.starts, [](int parameter) { return parameter >= 0; });
    });
}

/// Runs what has been checked; knows no page. The gradients of the final states become those of the start
/// states; those of the inputs are given.
template <class Memory>
[[gnu::noinline]] std::vector<typename Memory::tensor>
back_net(net<Memory> const& of, typename net<Memory>::programs with,
         std::span<typename Memory::scalar const> all, net_tape<Memory> const& tape,
         typename Memory::tensor dys, std::vector<typename Memory::tensor>& states,
         backward_options<typename Memory::scalar> const& options, bool is_from_initial,
         std::span<typename Memory::scalar> gradients) {
    std::vector<char> is_told(of.layers.size());
    auto const tell = [&](std::size_t l) {
        if (std::exchange(is_told[l], char{1}) != 0)
            return;
        for (auto const& way : of.layers[l].ways)
            for (tensor_place const& place : way.places)
                options.ready(place.first, place.in(gradients));
    };
    net_upstream<Memory> upstream{
        .outputs = std::move(dys), .states = std::move(states), .want_inputs = options.inputs};
    if (options.ready)
        upstream.ready = [&](std::size_t l) {
            if (!is_from_initial || !has_starts(of.layers[l]))
                tell(l);
        };
    auto back = of.backward(with, all, tape, std::move(upstream), gradients);
    if (is_from_initial)
        add_to_starts(of, back.states, gradients);
    for (std::size_t l = of.layers.size(); l-- > 0 && options.ready;)
        tell(l);
    states = std::move(back.states);
    return std::move(back.inputs);
}

template <any_net Net>
gradients_of<Net> backward_checked(Net const& net, run_of<Net> const& run,
                                   typename Net::memory_type::tensor dys,
                                   typename Net::state_type const& dstate,
                                   backward_options<typename Net::scalar_type> const& options) {
    using front = front_of<Net>;
    gradients_of<Net> found{.parameters = front::zero_parameters(net)};
    auto const programs = backward_programs<Net>();
    auto states = front::states(net, dstate);
    [[maybe_unused]] auto const lock = front::lock(net);
    auto inputs = back_net<typename Net::memory_type>(net.as_net(), programs, front::numbers(net), *run.tape,
                                                      std::move(dys), states, options, run.is_from_initial,
                                                      front::numbers(found.parameters));
    if (options.inputs)
        found.inputs = front::inputs(std::move(inputs));
    found.state = by_name<typename Net::state_type>(std::move(states));
    return found;
}

/// Refuses a net of a backend that gives no gradient.
template <class Net>
constexpr void require_gradient() {
    static_assert(
        has_gradient<Net>,
        "sluice: the backend of this net is for inference, and gives no gradient; train a net of the default "
        "backend, and give this one its numbers by sluice::copy_parameters(trained, this_one)");
}

template <any_net Net, class Upstream>
gradients_of<Net> backward_given(Net const& net, run_of<Net> const& run, Upstream const& dys,
                                 typename Net::state_type const& dstate,
                                 backward_options<typename Net::scalar_type> const& options) {
    require_tape(run, net.version());
    auto const [steps, batch] = run.shape();
    auto upstream = front_of<Net>::upstream(net, {steps, batch, net.output_size()}, dys);
    net.check_state("backward", "a gradient of the state", dstate, batch);
    return backward_checked<Net>(net, run, std::move(upstream), dstate, options);
}

} // namespace detail

/// Gradients of `run` from those of its outputs, [time, batch, output], and of its final state.
/// Throws `std::invalid_argument` for another shape, and `std::logic_error` for a run without a tape, or one
/// of a net whose parameters have changed since.
template <any_net Net, class Upstream>
    requires(detail::upstream_of<Net, Upstream>)
gradients_of<Net> backward(std::type_identity_t<Net> const& net, run_of<Net> const& run, Upstream const& dys,
                           typename Net::state_type const& dstate,
                           backward_options<typename Net::scalar_type> const& options = {}) {
    detail::require_gradient<Net>();
    return detail::backward_given<Net>(net, run, dys, dstate, options);
}

/// The same, with a gradient of zero for the final state.
template <any_net Net, class Upstream>
    requires(detail::upstream_of<Net, Upstream>)
gradients_of<Net> backward(std::type_identity_t<Net> const& net, run_of<Net> const& run, Upstream const& dys,
                           backward_options<typename Net::scalar_type> const& options = {}) {
    detail::require_gradient<Net>();
    std::size_t const batch = run.has_tape() ? run.shape()[1] : 0;
    return detail::backward_given<Net>(net, run, dys, net.zero_state(batch), options);
}

} // namespace sluice
