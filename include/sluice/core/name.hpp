// SPDX-License-Identifier: BSL-1.0
// Names of gates, states and parameters: a type while they are spelled (`boost::hana::string<'f'>`, which
// every compiler prints readably and can deduce), a small value inside the graph.
#pragma once

#include <boost/hana/string.hpp>
#include <cstddef>
#include <ostream>
#include <string_view>
#include <utility>

namespace sluice {

/// A string literal as a template argument, only ever on its way to a key.
template <std::size_t N>
struct literal {
    char text[N]{};
    consteval literal(char const (&source)[N]) {
        for (std::size_t i = 0; i < N; ++i)
            text[i] = source[i];
    }
};

namespace detail {
template <literal Name, char Last>
consteval auto with_letter() {
    char text[sizeof(Name.text) + 1]{};
    for (std::size_t i = 0; i + 1 < sizeof(Name.text); ++i)
        text[i] = Name.text[i];
    text[sizeof(Name.text) - 1] = Last;
    return literal(text);
}

template <literal Name, int Number>
consteval auto with_number() {
    constexpr char last = static_cast<char>('0' + Number % 10);
    if constexpr (Number < 10)
        return with_letter<Name, last>();
    else
        return with_letter<with_number<Name, Number / 10>(), last>();
}
} // namespace detail

/// A name that ends in a number, for equations that are made by a count: `gate<numbered<"s", 12>>` is
/// `gate<"s12">`.
template <literal Name, int Number>
    requires(Number >= 0)
inline constexpr auto numbered = detail::with_number<Name, Number>();

/// Letters of a name, the prefix of W, R, b and p included: at most 31.
inline constexpr std::size_t most_letters = 31;

namespace detail {
template <literal L, char... Prefix, std::size_t... I>
boost::hana::string<Prefix..., L.text[I]...> spell(std::index_sequence<I...>);

/// What is wrong with a name is said where it is written, with little around it.
template <std::size_t Letters>
constexpr bool is_name() {
    static_assert(Letters <= most_letters,
                  "sluice: a name has at most 31 letters, its W_, R_, b_ or p_ included; shorten it");
    static_assert(Letters > 0, "sluice: a name has at least one letter");
    return Letters <= most_letters;
}

template <literal L, char... Prefix>
inline constexpr auto letters = [] {
    constexpr std::size_t written = sizeof(L.text) - 1;
    return std::make_index_sequence<(is_name<written + sizeof...(Prefix)>() ? written : 1)>{};
}();
} // namespace detail

/// `key<"f">` is `boost::hana::string<'f'>`; `key<"f", 'W', '_'>` is `boost::hana::string<'W', '_', 'f'>`.
template <literal L, char... Prefix>
using key = decltype(detail::spell<L, Prefix...>(detail::letters<L, Prefix...>));

inline namespace literals {
/// `"W_r"_s`: the key of a parameter or state in the maps.
template <literal L>
constexpr key<L> operator""_s() {
    return {};
}
} // namespace literals

/// A name inside the graph.
struct name {
    static constexpr std::size_t capacity = most_letters + 1;
    char text[capacity]{};

    constexpr name() = default;
    constexpr name(char const (&letters)[capacity]) { // the form that nvcc prints
        for (std::size_t i = 0; i < capacity; ++i)
            text[i] = letters[i];
    }
    constexpr name(std::string_view source) {
        for (std::size_t i = 0; i < source.size() && i + 1 < capacity; ++i)
            text[i] = source[i];
    }
    constexpr std::string_view view() const {
        std::size_t length = 0;
        while (length < capacity && text[length] != '\0')
            ++length;
        return {text, length};
    }
    constexpr operator std::string_view() const { return view(); }
    friend constexpr bool operator==(name const& a, name const& b) {
        for (std::size_t i = 0; i < capacity; ++i) {
            if (a.text[i] != b.text[i])
                return false;
            if (a.text[i] == '\0')
                return true;
        }
        return true;
    }
    friend std::ostream& operator<<(std::ostream& out, name const& n) { return out << n.view(); }
};

template <char... C>
constexpr name name_of(boost::hana::string<C...>) {
    constexpr char text[] = {C..., '\0'};
    return name(std::string_view(text, sizeof...(C)));
}

namespace detail {
template <name N, std::size_t... I>
boost::hana::string<N.text[I]...> letters_of(std::index_sequence<I...>);
} // namespace detail

/// The key of a name that is a value.
template <name N>
using spelled = decltype(detail::letters_of<N>(std::make_index_sequence<N.view().size()>{}));

} // namespace sluice
