// SPDX-License-Identifier: BSL-1.0
// What a cell is given: an expression, or, where its equations have several inputs, each by its name.
//
//   auto [y, next] = cell(sluice::inputs("x"_s, x_t, "context"_s, c_t), state);     [batch, width] each
//   auto run = sluice::unroll(cell, sluice::inputs("x"_s, xs, "context"_s, cs), state);   [time, batch, width]
#pragma once

#include <algorithm>
#include <array>
#include <boost/hana/contains.hpp>
#include <boost/hana/prepend.hpp>
#include <boost/hana/size.hpp>
#include <boost/hana/tuple.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/parameter/parameters.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace sluice {

/// Names and what they stand for; the values are not copied and have to outlive it.
template <class Map>
struct named_inputs {
    Map map;
};

namespace detail {

template <class>
inline constexpr bool is_named_inputs = false;
template <class Map>
inline constexpr bool is_named_inputs<named_inputs<Map>> = true;

template <class>
inline constexpr bool is_input_map = false;
template <class Page, class S>
inline constexpr bool is_input_map<named_tensors<inputs_of<Page, S>>> = true;

/// What a cell can be given.
template <class Given>
concept is_input = is_named_inputs<Given> || is_input_map<Given> || xt::is_xexpression<Given>::value;

constexpr auto pair_inputs() {
    return boost::hana::make_tuple();
}
template <class Key, class E, class... More>
constexpr auto pair_inputs(Key key, E const& values, More const&... more) {
    return boost::hana::prepend(pair_inputs(more...), boost::hana::make_pair(key, &values));
}

template <class Page, std::size_t I>
using input_key = key_called<input_called<Page, static_cast<int>(I)>>;

template <std::size_t Rank>
std::string expected_shape(std::size_t width) {
    return (Rank == 3 ? "[time, batch, " : "[batch, ") + std::to_string(width) + "]";
}

/// values [time, batch, width] (of a step [batch, width]) as the input of that number. Throws
/// `std::invalid_argument` for another rank or width, or if time or batch are others than those of the first.
template <std::size_t Rank, class Page, class S, class E>
void take_input(std::string_view who, std::size_t k, sizes const& n, E const& values,
                input_tensors<Page, S>& to) {
    constexpr auto const& all =
        passes<Page>::inputs; // equations without an input take x, whose batch they have
    std::string_view const called = all.empty() ? "x" : all[static_cast<int>(k)].called.view();
    std::size_t const width = extent(all.empty() ? passes<Page>::input : all[static_cast<int>(k)].columns, n);
    static_assert(may_have_rank<E, Rank>, "sluice: a step expects inputs of shape [batch, width], of rank 2, "
                                          "and unroll of shape [time, batch, width], of rank 3");
    if (values.dimension() != Rank || values.shape()[Rank - 1] != width)
        throw std::invalid_argument("sluice: " + std::string(who) + " expects " + std::string(called) +
                                    " of shape " + expected_shape<Rank>(width) + ", but got " +
                                    shape_text(values.shape()));
    if (!has_numbers(values))
        require_numbers("the " + std::string(called) + " of " + std::string(who), values);
    std::array<std::size_t, 3> const shape{Rank == 3 ? static_cast<std::size_t>(values.shape()[0]) : 1,
                                           static_cast<std::size_t>(values.shape()[Rank - 2]), width};
    if (k > 0 && (shape[0] != steps_of(to) || shape[1] != batch_of(to)))
        throw std::invalid_argument(
            "sluice: " + std::string(who) + " expects " + std::string(called) + " with " +
            std::to_string(batch_of(to)) + " rows and " + std::to_string(steps_of(to)) +
            " time steps, as the input before it has, but got " + shape_text(values.shape()));
    require_count(called, {shape[0], shape[1], shape[2]});
    auto& tensor = nth_input(to, k);
    tensor.resize(shape);
    if constexpr (std::is_same_v<E, xt::xtensor<S, Rank>>) // quicker compiled than an expression is
        std::copy_n(values.data(), values.size(), tensor.data());
    else {
        std::array<std::size_t, Rank> same{};
        for (std::size_t d = 0; d < Rank; ++d)
            same[d] = shape[3 - Rank + d];
        xt::adapt(tensor.data(), tensor.size(), xt::no_ownership(), same) = values;
    }
}

template <std::size_t Rank, class Page, class S, class E>
input_tensors<Page, S> take_inputs(std::string_view who, sizes const& n, xt::xexpression<E> const& x) {
    constexpr bool one = passes<Page>::inputs.size() < 2;
    static_assert(one, "sluice: the equations have several inputs; give each by its name: "
                       "inputs(\"x\"_s, x, \"context\"_s, context)");
    input_tensors<Page, S> taken;
    if constexpr (one)
        take_input<Rank, Page, S>(who, 0, n, x.derived_cast(), taken);
    return taken;
}
/// A map of tensors that is what the lowering takes.
template <std::size_t Rank, class Page, class S>
input_tensors<Page, S> take_inputs(std::string_view who, sizes const& n,
                                   named_tensors<inputs_of<Page, S>> const& given) {
    static_assert(Rank == 3);
    input_tensors<Page, S> taken;
    std::size_t k = 0;
    for_each_parameter(
        given, [&](auto, auto const& tensor) { take_input<Rank, Page, S>(who, k++, n, tensor, taken); });
    return taken;
}
template <std::size_t Rank, class Page, class S, class Map>
input_tensors<Page, S> take_inputs(std::string_view who, sizes const& n, named_inputs<Map> const& given) {
    constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
    constexpr bool as_many = decltype(boost::hana::size(given.map))::value == count;
    static_assert(as_many, "sluice: inputs(...) expects each input of the equations once, and no other");
    input_tensors<Page, S> taken;
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        auto const take = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            using key = input_key<Page, I>;
            constexpr bool is_there = decltype(boost::hana::contains(given.map, key{}))::value;
            static_assert(is_there || !as_many,
                          "sluice: an input of the equations is missing in inputs(...); print<page>() shows "
                          "the names");
            if constexpr (is_there)
                take_input<Rank, Page, S>(who, I, n, *boost::hana::at_key(given.map, key{}), taken);
        };
        (take(std::integral_constant<std::size_t, K>{}), ...);
    }
    (std::make_index_sequence<count>{});
    return taken;
}

} // namespace detail

/// `inputs("x"_s, x, "context"_s, context)`: several inputs of a cell by their names.
template <class... KeyAndValues>
    requires(sizeof...(KeyAndValues) % 2 == 0)
constexpr auto inputs(KeyAndValues const&... each) {
    auto map = boost::hana::to_map(detail::pair_inputs(each...));
    return named_inputs<decltype(map)>{map};
}

} // namespace sluice
