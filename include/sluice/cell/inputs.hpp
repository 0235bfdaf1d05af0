// SPDX-License-Identifier: BSL-1.0
// What a cell is given: an expression, or, where its equations have several inputs, each by its name.
//
//   auto [y, next] = cell(sluice::inputs("x"_s, x_t, "context"_s, c_t), state);     [batch, width] each
//   auto run = sluice::unroll(cell, sluice::inputs("x"_s, xs, "context"_s, cs), state);  [time, batch, width]
#pragma once

#include <algorithm>
#include <array>
#include <boost/hana/contains.hpp>
#include <boost/hana/prepend.hpp>
#include <boost/hana/size.hpp>
#include <boost/hana/tuple.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/parameters.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

/// Maps of the inputs of a page, on the host or on a device.
template <class>
inline constexpr bool is_input_map = false;
template <class Of>
inline constexpr bool is_input_map<named_tensors<Of>> =
    std::is_same_v<std::decay_t<decltype(Of::entries)>, view<input_entry>>;

/// Whether an input that is given without a name may have that rank.
template <class Given, std::size_t Rank>
concept may_be_of_rank = !xt::is_xexpression<Given>::value || may_have_rank<Given, Rank>;

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

template <class Page>
constexpr std::string_view input_name(std::size_t k) {
    constexpr auto const& all = passes<Page>::inputs;
    return all.empty() ? "x" : all[static_cast<int>(k)].called.view();
}

/// All inputs of a cell, in the order of its equations.
template <class S>
struct taken_inputs {
    taken_inputs();
    taken_inputs(taken_inputs&&) noexcept;
    ~taken_inputs();

    std::vector<xt::xtensor<S, 3>> tensors{}; ///< copies; of one that is read where it lies an empty one
    std::vector<S const*> numbers{};          ///< [time, batch, width] each
    std::array<std::size_t, 2> shape{};       ///< time, batch; of a step the time is 1
};

template <class S>
taken_inputs<S>::taken_inputs() = default;
template <class S>
taken_inputs<S>::taken_inputs(taken_inputs&&) noexcept = default;
template <class S>
taken_inputs<S>::~taken_inputs() = default;

/// Takes the next input, [time, batch, width], of a step [batch, width]: a copy of it, unless it can be read
/// where it lies and no copy is wanted. Throws `std::invalid_argument` for another rank or width, or if time
/// or batch are others than those of the inputs before it.
template <std::size_t Rank, class S, class E>
void take_input(std::string_view who, std::string_view called, std::size_t width, E const& values,
                bool copies, taken_inputs<S>& to) {
    if (values.dimension() != Rank || values.shape()[Rank - 1] != width)
        fail<std::invalid_argument>({who, " expects ", called, " of shape [",
                                     Rank == 3 ? "time, batch, " : "batch, ", width, "], but got ",
                                     extents_in(values.shape())});
    if (!has_numbers(values))
        fail<std::invalid_argument>({"the ", called, " of ", who, was_moved_from});
    std::array<std::size_t, Rank> same{};
    std::copy_n(values.shape().begin(), Rank, same.begin());
    std::array<std::size_t, 3> shape{1, same[Rank - 2], width};
    if constexpr (Rank == 3)
        shape[0] = same[0];
    auto const& first = to.shape;
    if (!to.numbers.empty() && (shape[0] != first[0] || shape[1] != first[1]))
        fail<std::invalid_argument>({who, " expects ", called, " with ", first[1], " rows and ", first[0],
                                     " time steps, as the input before it has, but got ",
                                     extents_in(values.shape())});
    require_count(called, {shape[0], shape[1], shape[2]});
    to.shape = {shape[0], shape[1]};
    auto& tensor = to.tensors.emplace_back();
    S const* there = copies ? nullptr : row_major_numbers<S>(values);
    if (there == nullptr) {
        tensor.resize(shape);
        copy_values(values, same, tensor.data());
        there = tensor.data();
    }
    to.numbers.push_back(there);
}

template <class E>
E const& as_expression(xt::xexpression<E> const& x) {
    return x.derived_cast();
}

/// f(k, values) for every input that is given, in the order of the equations. Refused are inputs that the
/// equations do not have, and by name one of another rank. Without a name that is the caller's to refuse, in
/// words of its own.
template <std::size_t Rank, class Page, class Given, class F>
void for_each_given(Given const& given, F f) {
    constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
    auto const take = [&]<class E>(std::size_t k, E const& values) {
        constexpr bool fits = may_have_rank<E, Rank>;
        static_assert(fits, "sluice: a step expects inputs of shape [batch, width], of rank 2, and unroll of "
                            "shape [time, batch, width], of rank 3");
        if constexpr (fits)
            f(k, values);
    };
    if constexpr (is_input_map<Given>) {
        for (std::size_t k = 0; k < given.count; ++k)
            take(k, given.tensors()[k]);
    } else if constexpr (is_named_inputs<Given>) {
        constexpr bool as_many = decltype(boost::hana::size(given.map))::value == count;
        static_assert(as_many, "sluice: inputs(...) expects each input of the equations once, and no other");
        using named = inputs_of<Page, float>;
        auto const find = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            using key = typename entry_of<named, I>::key;
            constexpr bool is_there = decltype(boost::hana::contains(given.map, key{}))::value;
            static_assert(is_there || !as_many,
                          "sluice: an input of the equations is missing in inputs(...); print<page>() shows "
                          "the names");
            if constexpr (is_there)
                take(I, *boost::hana::at_key(given.map, key{}));
        };
        with_entries<named>([&](auto... i) { (find(i), ...); });
    } else {
        static_assert(count < 2, "sluice: the equations have several inputs; give each by its name: "
                                 "inputs(\"x\"_s, x, \"context\"_s, context)");
        using expression = std::decay_t<decltype(as_expression(given))>;
        if constexpr (count < 2 && may_have_rank<expression, Rank>)
            f(std::size_t(0), as_expression(given));
    }
}

template <std::size_t Rank, class Page, class S, class Given>
taken_inputs<S> take_inputs(std::string_view who, std::vector<std::size_t> const& widths, Given const& given,
                            bool copies) {
    taken_inputs<S> taken;
    for_each_given<Rank, Page>(given, [&](std::size_t k, auto const& values) {
        take_input<Rank>(who, input_name<Page>(k), widths[k], values, copies, taken);
    });
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
