// SPDX-License-Identifier: BSL-1.0
// What a net on the device takes and gives: states, inputs by name, runs and gradients.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/cudnn/resident/resident_build.hpp>
#include <sluice/cudnn/resident/resident_parameters.hpp>
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

/// Copies numbers in that queue, which waits for them.
template <class S, std::size_t Rank>
void take_into(tensor<S, Rank> const& given, std::shared_ptr<queue> const& to, S* at) {
    follow(*to, *given.work());
    if (given.size() > 0)
        to->submit(copy_command{given.data(), 0, at, 0, given.size() * sizeof(S), 1});
    follow(*given.work(), *to); // which may write to it after that
}
/// The same numbers in that queue, in memory of their own.
template <class S>
tensor<S, 3> taken(tensor<S, 3> const& given, std::shared_ptr<queue> const& to) {
    tensor<S, 3> made(given.shape(), to);
    take_into(given, to, made.data());
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

} // namespace sluice::cudnn
