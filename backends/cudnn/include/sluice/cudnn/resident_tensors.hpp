// SPDX-License-Identifier: BSL-1.0
// What a net on the device takes and gives: states, inputs by name, runs and gradients.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/cudnn/follow.hpp>
#include <sluice/cudnn/resident_build.hpp>
#include <sluice/cudnn/resident_parameters.hpp>
#include <sluice/net/records.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/sequence/front.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <sluice/sequence/unroll.hpp>
#include <type_traits>
#include <vector>

namespace sluice::cudnn {

namespace detail {

template <class Given>
inline constexpr bool is_tensor = false;
template <class S, std::size_t Rank>
inline constexpr bool is_tensor<tensor<S, Rank>> = true;

/// The batch of what a run is given; 0 for what it refuses.
template <class Given>
std::size_t batch_of(Given const& given) {
    if constexpr (requires { given.shape()[1]; })
        return given.shape()[1];
    else if constexpr (sluice::detail::is_named_inputs<Given>)
        return batch_of(*boost::hana::second(boost::hana::front(boost::hana::to_tuple(given.map))));
    else
        return 0;
}

/// The same numbers in that queue, in memory of their own.
template <class S>
tensor<S, 3> taken(tensor<S, 3> const& given, std::shared_ptr<queue> const& to) {
    follow(*to, *given.work());
    tensor<S, 3> made(given.shape(), to);
    if (made.size() > 0)
        to->submit(copy_command{given.data(), 0, made.data(), 0, made.size() * sizeof(S), 1});
    follow(*given.work(), *to); // which may write to it after that
    return made;
}

template <class Page, class S>
struct resident_inputs_of {
    using tensor = cudnn::tensor<S, 3>;
    static constexpr auto const& entries = passes<Page>::inputs;
};

template <class Page, class S>
struct resident_states_of {
    using tensor = cudnn::tensor<S, 3>;
    static constexpr auto const& entries = passes<Page>::states;
};

template <class State>
struct states_on_device;
template <class Page, class S>
struct states_on_device<state_map<Page, S>> {
    using type = named_tensors<resident_states_of<Page, S>>;
};
template <class Page, class S>
struct states_on_device<stacked_states<Page, S>> {
    using type = named_tensors<resident_states_of<Page, S>>;
};
template <class... Maps>
struct states_on_device<layered_states<Maps...>> {
    using type = layered_states<typename states_on_device<Maps>::type...>;
};

template <class Net>
struct inputs_on_device {
    using type = tensor<typename Net::scalar_type, 3>;
};
template <class Net>
    requires(requires { typename Net::page_type; } && Net::input_count() > 1)
struct inputs_on_device<Net> {
    using type = named_tensors<resident_inputs_of<typename Net::page_type, typename Net::scalar_type>>;
};

} // namespace detail

/// [time, batch, width]; one for each name where the equations have several inputs, as in
/// `gradients.inputs["context"_s]`.
template <class Net>
using resident_inputs = typename detail::inputs_on_device<Net>::type;

/// All states of a net, [rows, batch, width] each, by the names that they have on the host, as in
/// `state["h"_s]`; of a cell there is one row.
template <class Net>
using resident_state = typename detail::states_on_device<typename Net::state_type>::type;

namespace detail {

/// The states in the order of the net's places.
template <class State>
auto listed(State const& state) {
    std::vector<typename State::tensor const*> all;
    for_each_parameter(state, [&](auto, auto const& one) { all.push_back(&one); });
    return all;
}

} // namespace detail

/// What infer gives.
template <class Net>
using resident_result = sequence_result<tensor<typename Net::scalar_type, 3>, resident_state<Net>>;

/// What unroll gives.
template <class Net>
struct resident_run : net_run<typename detail::memory_of<Net>::type> {
    resident_state<Net> state{};
};

/// The gradients of a loss with respect to what a net was run with.
template <class Net>
using resident_gradients =
    gradients<resident_parameters<typename Net::scalar_type>, resident_inputs<Net>, resident_state<Net>>;

} // namespace sluice::cudnn
