// SPDX-License-Identifier: BSL-1.0
// The tensors of a page by name: its parameters, states and inputs, with the shapes that its equations
// give them.
#pragma once

#include <algorithm>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/parameter/named_tensors.hpp>
#include <sluice/parameter/parameter_tensor.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
/// What maps of a page are named by (parameter/named_tensors.hpp).
template <class Page, class S>
struct parameters_of {
    using scalar = S;
    static constexpr auto const& entries = passes<Page>::parameters;
};
template <class Page, class S>
struct states_of {
    using tensor = xt::xtensor<S, 2>;
    static constexpr auto const& entries = passes<Page>::states;
};
template <class Page, class S>
struct inputs_of {
    using tensor = xt::xtensor<S, 3>;
    static constexpr auto const& entries = passes<Page>::inputs;
};

/// name -> tensor for every parameter.
template <class Page, class S>
using parameter_map = named_arena<parameters_of<Page, S>>;

/// The same, in an array that outlives the map.
template <class Page, class S>
using parameter_view = named_view<parameters_of<Page, S>>;

/// name -> [batch, width] for every state.
template <class Page, class S>
using state_map = named_tensors<states_of<Page, S>>;

/// [time, batch, width]; of equations with several inputs a map, name -> tensor.
template <class Page, class S>
using input_tensors = std::conditional_t<(passes<Page>::inputs.size() < 2), xt::xtensor<S, 3>,
                                         named_tensors<inputs_of<Page, S>>>;

/// The width of input number k. Equations without an input take x, whose batch they have.
template <class Page>
std::size_t input_width(std::size_t k, sizes const& n) {
    constexpr auto const& all = passes<Page>::inputs;
    return all.empty() ? extent(passes<Page>::input, n) : extent(all[static_cast<int>(k)].columns, n);
}
namespace detail {

template <class Entries>
std::vector<tensor_place> places_of(Entries const& parameters, sizes const& n) {
    std::vector<tensor_place> places;
    for (parameter_entry const& e : parameters) {
        if (extent(e.groups, n) == 0)
            fail<std::invalid_argument>(
                {e.called.view(), " is a matrix in groups, whose number is 0; give 1 or more"});
        places.push_back({.called = std::string(e.called.view()),
                          .rank = e.rank,
                          .extents = e.extents(n),
                          .trained = e.trained});
    }
    return places;
}

/// Zeros in the shapes of the parameters, which have no names yet.
template <class S>
arena<S> zero_arena(view<parameter_entry> parameters, sizes const& n) {
    return arena<S>(places_of(parameters, n));
}

/// The same, with numbers that are to be written before they are read.
template <class S>
arena<S> unwritten_arena(view<parameter_entry> parameters, sizes const& n) {
    return arena<S>::unwritten(places_of(parameters, n));
}

} // namespace detail

/// Zeros in the shapes of the parameters.
template <class Page, class S>
parameter_map<Page, S> zero_parameters(sizes const& n) {
    return parameter_map<Page, S>(detail::zero_arena<S>(passes<Page>::parameters, n));
}

/// Numbers in the shapes of the parameters that are to be written before they are read.
template <class Page, class S>
parameter_map<Page, S> unwritten_parameters(sizes const& n) {
    return parameter_map<Page, S>(detail::unwritten_arena<S>(passes<Page>::parameters, n));
}

/// Parameters side by side in memory that outlives the map, with the numbers that are there:
/// arena_size<Page>(n) of them. Throws `std::invalid_argument` where there are fewer.
template <class Page, class S>
parameter_view<Page, S> parameters_in(std::span<S> memory, sizes const& n) {
    auto places = detail::places_of(passes<Page>::parameters, n);
    if (std::size_t const count = detail::lay_out(places); memory.size() < count)
        fail<std::invalid_argument>({"these parameters are ", count,
                                     " numbers, but the memory that they are to lie in has room for ",
                                     memory.size()});
    return parameter_view<Page, S>(std::move(places), memory);
}

} // namespace sluice
