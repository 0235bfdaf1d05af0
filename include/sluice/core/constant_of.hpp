// SPDX-License-Identifier: BSL-1.0
// A value made of lists as a constant of the program: `constant_of<Maker>::value` holds what `Maker::make()`
// gives in arrays that are just long enough.
//
// Such a value is a template over its lists, `template <template <class> class List> struct basic_thing`: its
// member `lists(f)` calls f with all of them, `facts()` gives the rest. A pass reads a basic_thing<view> and
// makes a basic_thing<list>.
//
// How long the arrays are is only known when the maker is done, and nothing that it allocated outlives the
// constant expression. So it fills rooms of one size first, which are copied. Only what does not fit there is
// made a second time.
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/core/list.hpp>
#include <utility>

namespace sluice {
/// A thing of lists, seen through views.
template <class Thing>
constexpr auto view_of(Thing const& thing) {
    typename Thing::view_type result(thing.facts());
    const_cast<Thing&>(thing).lists(
        [&](auto&... from) { result.lists([&](auto&... to) { ((to = from), ...); }); });
    return result;
}

namespace detail {

/// What the lists of a thing hold.
template <class... T>
struct items_of {
    using indices = std::index_sequence_for<T...>;
};
struct find_items {
    template <class... List>
    items_of<typename List::item_type...> operator()(List&...) const;
};

struct list_counts {
    static constexpr int most = 24;
    int of[most]{};
};

inline constexpr int room_of_list = 1024; ///< items

/// Place for an item, which costs the compiler nothing before there is one.
template <class T>
union slot {
    char none;
    T item;
    constexpr slot() : none(0) {}
};
template <std::size_t, class T>
struct room {
    slot<T> places[room_of_list];
};

/// What a maker made, in a room for each list.
template <class Thing, class Items, class Indices>
struct draft;
template <class Thing, class... T, std::size_t... I>
struct draft<Thing, items_of<T...>, std::index_sequence<I...>> : room<I, T>... {
    decltype(std::declval<Thing const&>().facts()) about{};
    list_counts counts{};
    bool fits = true;

    // nvcc 13 forgets to destroy a parameter of a constructor in a constant expression, so what the maker
    // makes is a variable.
    template <class Maker>
    constexpr explicit draft(Maker) {
        Thing thing = Maker::make();
        about = thing.facts();
        thing.lists([&](auto&... each) { (fill(this->room<I, T>::places, each, I), ...); });
    }

private:
    template <class Item>
    constexpr void fill(slot<Item>* to, list<Item> const& from, std::size_t number) {
        int const count = from.size();
        counts.of[number] = count;
        fits = fits && count <= room_of_list;
        for (int i = 0; fits && i < count; ++i)
            std::construct_at(&to[i].item, from[i]);
    }
};

/// List number I, in an array.
template <std::size_t I, class T, int Count>
struct constant_list {
    T items[Count == 0 ? 1 : Count]{};

    constexpr view<T> look() const { return {items, Count}; }
    constexpr void copy(list<T> const& from) {
        for (int i = 0; i < Count; ++i)
            items[i] = from[i];
    }
    constexpr void copy(slot<T> const* from) {
        for (int i = 0; i < Count; ++i)
            items[i] = from[i].item;
    }
};

template <class Thing, list_counts const& Counts, class Items, class Indices>
struct constant_lists;
template <class Thing, list_counts const& Counts, class... T, std::size_t... I>
struct constant_lists<Thing, Counts, items_of<T...>, std::index_sequence<I...>>
    : constant_list<I, T, Counts.of[I]>... {
    decltype(std::declval<Thing const&>().facts()) about{};

    constexpr explicit constant_lists(draft<Thing, items_of<T...>, std::index_sequence<I...>> const& from)
        : about(from.about) {
        (this->constant_list<I, T, Counts.of[I]>::copy(from.room<I, T>::places), ...);
    }
    template <class Maker>
    constexpr explicit constant_lists(Maker) {
        Thing thing = Maker::make();
        about = thing.facts();
        thing.lists([&](auto&... each) { (this->constant_list<I, T, Counts.of[I]>::copy(each), ...); });
    }
    constexpr typename Thing::view_type look() const {
        typename Thing::view_type result(about);
        result.lists([&](auto&... each) { ((each = this->constant_list<I, T, Counts.of[I]>::look()), ...); });
        return result;
    }
};

} // namespace detail

template <class Maker>
struct constant_of {
private:
    using made = decltype(Maker::make());
    using items = decltype(std::declval<made&>().lists(detail::find_items{}));
    static constexpr detail::draft<made, items, typename items::indices> draft{Maker{}};
    static constexpr detail::list_counts counts = draft.counts;
    using lists = detail::constant_lists<made, counts, items, typename items::indices>;
    static constexpr lists make_lists() {
        if constexpr (draft.fits)
            return lists(draft);
        else
            return lists(Maker{});
    }
    static constexpr lists stored = make_lists();

public:
    static constexpr typename made::view_type value = stored.look();
};

} // namespace sluice
