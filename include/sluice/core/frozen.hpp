// SPDX-License-Identifier: BSL-1.0
// A value made of lists as a constant of the program: `frozen<Maker>::value` holds what `Maker::make()` gives
// in arrays that are just long enough.
//
// Such a value is a template over its lists, `template <template <class> class List> struct basic_thing`: its
// member `lists()` ties them all, `facts()` gives the rest. A pass reads a basic_thing<view> and makes a
// basic_thing<list>.
#pragma once

#include <cstddef>
#include <sluice/core/list.hpp>
#include <tuple>
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

namespace detail {

/// What the lists of a thing hold.
template <class Lists>
struct items_of;
template <class... List>
struct items_of<std::tuple<List&...>> {
    static constexpr int size = sizeof...(List);
    template <std::size_t I>
    using item = typename std::tuple_element_t<I, std::tuple<List...>>::item_type;
    using indices = std::index_sequence_for<List...>;
};

struct list_counts {
    static constexpr int most = 24;
    int of[most]{};
};

template <class Thing>
constexpr list_counts count_lists(Thing thing) {
    list_counts counts;
    std::apply(
        [&](auto&... each) {
            int i = 0;
            ((counts.of[i++] = each.size()), ...);
        },
        thing.lists());
    return counts;
}

template <class T>
constexpr void copy_list(T* to, list<T> const& from) {
    for (int i = 0; i < from.size(); ++i)
        to[i] = from[i];
}

/// List number I, in an array.
template <std::size_t I, class T, int Count>
struct frozen_list {
    T items[Count == 0 ? 1 : Count]{};

    constexpr view<T> look() const { return {items, Count}; }
};

} // namespace detail

template <class Maker>
struct frozen {
private:
    using made = decltype(Maker::make());
    using items = detail::items_of<decltype(std::declval<made&>().lists())>;
    using facts_type = decltype(std::declval<made const&>().facts());
    static constexpr detail::list_counts counts = detail::count_lists(Maker::make());

    template <class>
    struct storage;
    template <std::size_t... I>
    struct storage<std::index_sequence<I...>>
        : detail::frozen_list<I, typename items::template item<I>, counts.of[I]>... {
        facts_type about{};

        constexpr storage() {
            made thing = Maker::make();
            auto lists = thing.lists();
            (detail::copy_list(
                 this->detail::frozen_list<I, typename items::template item<I>, counts.of[I]>::items,
                 std::get<I>(lists)),
             ...);
            about = thing.facts();
        }
        constexpr typename made::view_type look() const {
            typename made::view_type result(about);
            auto lists = result.lists();
            ((std::get<I>(lists) =
                  this->detail::frozen_list<I, typename items::template item<I>, counts.of[I]>::look()),
             ...);
            return result;
        }
    };
    static constexpr storage<typename items::indices> stored{};

public:
    static constexpr typename made::view_type value = stored.look();
};

} // namespace sluice
