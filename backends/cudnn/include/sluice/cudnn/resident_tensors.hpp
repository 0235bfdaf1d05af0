// SPDX-License-Identifier: BSL-1.0
// What a net on the device takes and gives: states, inputs by name, runs and gradients.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <sluice/cudnn/follow.hpp>
#include <sluice/cudnn/resident_build.hpp>
#include <sluice/cudnn/resident_parameters.hpp>
#include <sluice/net/records.hpp>
#include <sluice/parameter/parameters.hpp>
#include <type_traits>
#include <vector>

namespace sluice::cudnn {

/// All states of a net, [rows, batch, width] each: of a cell one row; of a stack row = layer x directions +
/// direction; of layers of different pages those of layer 0 come first, [directions, batch, width].
template <class S>
struct resident_state {
    std::vector<tensor<S, 3>> tensors{}; ///< in the order of the equations

    tensor<S, 3>& operator[](std::size_t place) { return tensors[place]; }
    tensor<S, 3> const& operator[](std::size_t place) const { return tensors[place]; }
    /// The same numbers in memory of their own.
    resident_state copy() const {
        resident_state made;
        for (auto const& one : tensors)
            made.tensors.push_back(one.copy());
        return made;
    }
};

namespace detail {

template <class Given>
inline constexpr bool is_tensor = false;
template <class S, std::size_t Rank>
inline constexpr bool is_tensor<tensor<S, Rank>> = true;

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

/// What infer gives.
template <class Net>
struct resident_result {
    using scalar = typename Net::scalar_type;

    tensor<scalar, 3> outputs{}; ///< [time, batch, output]
    resident_state<scalar> state{};
};

/// What unroll gives; the tape is all that backward reads.
template <class Net>
struct resident_run {
    using scalar = typename Net::scalar_type;

    tensor<scalar, 3> outputs{};
    resident_state<scalar> state{};
    std::vector<std::size_t> lengths{};
    std::uint64_t version = 0; ///< of the parameters
    std::uint64_t draw = 0;    ///< of the masks
    std::shared_ptr<net_tape<typename detail::memory_of<Net>::type> const> tape{};

    bool has_tape() const { return tape != nullptr; }
    /// Time and batch.
    std::array<std::size_t, 2> shape() const {
        return tape ? std::array{tape->steps, tape->batch} : std::array<std::size_t, 2>{};
    }
};

/// The gradients of a loss with respect to what a net was run with.
template <class Net>
struct resident_gradients {
    using scalar = typename Net::scalar_type;

    resident_parameters<scalar> parameters{};
    resident_inputs<Net> inputs{};
    resident_state<scalar> state{}; ///< of the initial states
};

} // namespace sluice::cudnn
