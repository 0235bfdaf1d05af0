// SPDX-License-Identifier: BSL-1.0
// A value made of lists as a constant of the program: `frozen<Maker>::value` holds what `Maker::make()` gives in
// arrays that are just long enough.
//
// Such a value is a template over its lists, `template <template <class> class List> struct basic_thing`: its member
// `lists()` ties them all, `facts()` gives the rest. A pass reads a basic_thing<view> and makes a basic_thing<list>.
#pragma once

#include <array>
#include <cstddef>
#include <sluice/core/list.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice {
/// A thing of lists, seen through views.
template <class Thing>
constexpr auto view_of(Thing const& thing) {
    typename Thing::view_type result(thing.facts());
    auto targets = result.lists();
    auto sources = const_cast<Thing&>(thing).lists();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((std::get<I>(targets) = std::get<I>(sources)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(sources)>>{});
    return result;
}

template <class Maker>
struct frozen {
private:
    using made = decltype(Maker::make());
    using lists = decltype(std::declval<made&>().lists());
    static constexpr auto indices = std::make_index_sequence<std::tuple_size_v<lists>>{};

    static constexpr auto counts = [] {
        auto thing = Maker::make();
        return std::apply(
            [](auto&... each) { return std::array<int, sizeof...(each)>{each.size()...}; }, thing.lists());
    }();

    template <std::size_t I>
    using item = std::remove_cvref_t<decltype(std::declval<std::tuple_element_t<I, lists>>()[0])>;

    template <std::size_t... I>
    static constexpr auto fill(std::index_sequence<I...>) {
        std::tuple<std::array<item<I>, static_cast<std::size_t>(counts[I] == 0 ? 1 : counts[I])>...> arrays{};
        auto thing = Maker::make();
        auto sources = thing.lists();
        auto const copy = [](auto& to, auto const& from) {
            for (int i = 0; i < from.size(); ++i)
                to[static_cast<std::size_t>(i)] = from[i];
        };
        (copy(std::get<I>(arrays), std::get<I>(sources)), ...);
        return std::pair(arrays, thing.facts());
    }
    static constexpr auto stored = fill(indices);

    template <std::size_t... I>
    static constexpr auto look(std::index_sequence<I...>) {
        typename made::view_type result(stored.second);
        auto targets = result.lists();
        ((std::get<I>(targets) = view<item<I>>{std::get<I>(stored.first).data(), counts[I]}), ...);
        return result;
    }

public:
    static constexpr typename made::view_type value = look(indices);
};

} // namespace sluice
