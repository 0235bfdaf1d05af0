// SPDX-License-Identifier: BSL-1.0
// What a net (net/net.hpp), which knows no names, is given and gives: tensors by their names become lists of
// tensors, and back. unroll, infer, backward and stream ask here, and so are written once for cells, for
// stacks of layers (sequence/stack_front.hpp) and for nets whose numbers are on a device.
//
//   the state {"h": [2, 5]} of a GRU         [[1, 2, 5]]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sluice/cell/cell.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/net/state_rows.hpp>
#include <sluice/sequence/programs.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// The gradients of a loss with respect to what a net was run with.
template <class Parameters, class Inputs, class State>
struct gradients {
    Parameters parameters{};
    Inputs inputs{};
    State state{}; ///< of the initial states: of all steps that start from them
};
/// Nets of the same pages and scalar have gradients of one type, whatever their backends.
template <any_net Net>
using gradients_of =
    gradients<typename Net::parameters_type, typename Net::inputs_type, typename Net::state_type>;

namespace detail {

template <class Net>
struct front_of;

/// Whether a net can be run on what is given.
template <class Net, class Given>
concept input_of = front_of<Net>::template takes<Given>;
/// Whether it can be the gradient of a net's outputs.
template <class Net, class Given>
concept upstream_of = front_of<Net>::template is_tensor<Given>;

/// Of nets in the memory of the host, where runs do not disturb each other.
template <class Net>
struct host_front {
    using S = typename Net::scalar_type;
    using tensors = std::vector<xt::xtensor<S, 3>>;
    struct no_lock {};

    static constexpr bool is_host = true;
    template <class Given>
    static constexpr bool takes = is_input<Given>;
    template <class Given>
    static constexpr bool is_tensor = xt::is_xexpression<Given>::value;

    /// Held while anything runs.
    static no_lock lock(Net const&) { return {}; }
    static std::span<S const> numbers(Net const& net) { return net.parameters().values(); }
    static std::span<S> numbers(typename Net::parameters_type& of) { return of.values(); }
    static tensors states(Net const&, typename Net::state_type const& from) { return listed(from); }
    template <class Tensor>
    static Tensor const& taken(Net const&, Tensor const& state) {
        return state;
    }
    static tensors copied(tensors const& from) { return from; }
    /// Gradients of the outputs. Throws `std::invalid_argument` for another shape.
    template <class E>
    static xt::xtensor<S, 3> upstream(Net const&, std::array<std::size_t, 3> const& expected,
                                      E const& given) {
        static_assert(may_have_rank<E, 3>,
                      "sluice: backward expects gradients of the outputs, [time, batch, output], of rank 3");
        require_same_shape("backward", "gradients of the outputs", expected, given.shape());
        require_numbers("the gradient of the outputs", given);
        return rounded_tensor<S>(given);
    }

    // Of streams.

    /// Whether a stream with this output can go on with the net.
    static bool goes_on(Net const&, typename Net::output_type const&) { return true; }
    static typename Net::output_type zero_output(Net const&, std::size_t batch, std::size_t width) {
        auto made = Net::output_type::from_shape({batch, width});
        made.fill(S(0));
        return made;
    }
    /// An input of a step. Throws `std::invalid_argument` for another shape.
    template <class E>
    static void require_step(Net const&, std::string_view called, std::array<std::size_t, 2> const& expected,
                             E const& values) {
        require_same_shape("a step of the stream", called, expected, values.shape());
        require_numbers("an input of the stream", values);
    }
    template <class E>
    static void put(Net const&, std::array<std::size_t, 2> const& shape, E const& values, S* to) {
        copy_values(values, shape, to);
    }
};

template <any_cell Cell>
struct front_of<Cell> : host_front<Cell> {
    using page = typename Cell::page_type;
    using typename host_front<Cell>::S, typename host_front<Cell>::tensors;

    static constexpr std::string_view called = "cell", differs = "sizes", runs = "unroll";

    /// f(k, values) for every input that is given.
    template <std::size_t Rank, class Given, class F>
    static void for_each_input(Given const& given, F const& f) {
        for_each_given<Rank, page>(given, f);
    }
    static std::string_view input_name(std::size_t k) { return sluice::detail::input_name<page>(k); }
    template <class Given>
    static taken_inputs<S> take(Cell const& cell, Given const& given, bool copies) {
        static_assert(may_be_of_rank<Given, 3>,
                      "sluice: unroll expects xs of shape [time, batch, input], of rank 3; a step is a call "
                      "of the cell");
        return take_inputs<3, page, S>("unroll", cell.as_net().layers[0].ways[0].widths, given, copies);
    }
    static typename Cell::inputs_type inputs(tensors all) {
        typename Cell::inputs_type found;
        for (std::size_t k = 0; k < all.size(); ++k)
            nth_input(found, k) = std::move(all[k]);
        return found;
    }
    static auto zero_parameters(Cell const& cell) { return unwritten_parameters<page, S>(cell.extents()); }
    /// The number of the masks that a run in training draws.
    static std::optional<std::uint64_t> draw(Cell const&, std::optional<std::uint64_t> const&) { return {}; }
    static void require_steps(Cell const&) {}
};

} // namespace detail
} // namespace sluice
