// SPDX-License-Identifier: BSL-1.0
// Names of tensors in files. A spelling puts the layer, the direction and the group around what a convention
// calls a tensor, as PyTorch does with weight_ih:
//
//   {tensor}_l{layer}{|_reverse}       weight_ih_l0, weight_ih_l0_reverse, weight_ih_l1 ...
//
//   {tensor}      what the convention calls it        {number}    its place among these tensors, from 0
//   {layer}       0, 1, ...                           {_layer}    nothing, _1, _2, ...
//   {group}       0, 1, ...; may be in the tensor's own name too
//   {a|b}         a forward in time, b backward       {any}       nothing
//
// A program that numbers all layers it makes leaves numbers out: of a file with gru_2 and gru_5 these are the
// layers 0 and 1. So what is read as {_layer} may be any number, which orders the layers, and as {any} any
// text without a slash.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::layout {

/// What a name in a file is about.
struct spelled_tensor {
    std::string_view tensor{};
    std::size_t number = 0, layer = 0, direction = 0, group = 0;
};

namespace detail {

/// f(text, is_placeholder) for each part of a spelling.
template <class F>
constexpr void for_each_part(std::string_view spelling, F const& f) {
    while (!spelling.empty()) {
        std::size_t const begin = spelling.find('{');
        if (std::string_view const plain = spelling.substr(0, begin); !plain.empty())
            f(plain, false);
        if (begin == spelling.npos)
            return;
        std::size_t const end = spelling.find('}', begin);
        if (end == spelling.npos)
            throw std::invalid_argument("sluice: a { in a spelling has no } behind it");
        f(spelling.substr(begin + 1, end - begin - 1), true);
        spelling.remove_prefix(end + 1);
    }
}

/// Whether a spelling has this placeholder; "|" stands for any that depends on the direction.
constexpr bool has_placeholder(std::string_view spelling, std::string_view wanted) {
    bool found = false;
    for_each_part(spelling, [&](std::string_view part, bool is_placeholder) {
        found |= is_placeholder && (part == wanted || (wanted == "|" && part.find('|') != part.npos));
    });
    return found;
}
/// Whether a file of one direction is spelled so: weight_ih_l0 is, but forward_layer/kernel has a second
/// beside it.
constexpr bool is_for_one_direction(std::string_view spelling) {
    bool is_plain = true;
    for_each_part(spelling, [&](std::string_view part, bool is_placeholder) {
        std::size_t const bar = part.find('|');
        is_plain &= !is_placeholder || bar == part.npos || bar == 0;
    });
    return is_plain;
}
/// Whether all placeholders of a spelling are known.
constexpr bool is_spelling(std::string_view spelling) {
    bool known = true;
    for_each_part(spelling, [&](std::string_view part, bool is_placeholder) {
        known &= !is_placeholder || part == "tensor" || part == "number" || part == "layer" ||
                 part == "_layer" || part == "group" || part == "any" || part.find('|') != part.npos;
    });
    return known;
}

} // namespace detail

/// The name in a file.
inline std::string spelled(std::string_view spelling, spelled_tensor const& of) {
    std::string name;
    detail::for_each_part(spelling, [&](std::string_view part, bool is_placeholder) {
        if (!is_placeholder)
            name += part;
        else if (part == "tensor")
            name += spelled(of.tensor, {.group = of.group});
        else if (part == "number")
            name += std::to_string(of.number);
        else if (part == "layer")
            name += std::to_string(of.layer);
        else if (part == "_layer")
            name += of.layer == 0 ? "" : "_" + std::to_string(of.layer);
        else if (part == "group")
            name += std::to_string(of.group);
        else if (std::size_t const bar = part.find('|'); bar != part.npos)
            name += of.direction == 0 ? part.substr(0, bar) : part.substr(bar + 1);
    });
    return name;
}

/// The name of a tensor in a file, read by a spelling.
struct spelled_name {
    std::string_view prefix; ///< what stands before it
    std::size_t number;      ///< what is there for {_layer}
    std::string spelling;    ///< the spelling, with what is there in place of {_layer} and {any}
};

namespace detail {

/// Takes what stands for {_layer} from the front of a text: nothing, or _1, _2, ...; and the number, or
/// nothing where it is too large.
inline std::optional<std::size_t> take_number(std::string_view& text) {
    if (text.size() < 2 || text[0] != '_' || text[1] < '1' || text[1] > '9')
        return 0;
    std::size_t number = 0;
    auto const end = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
    return end.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// A whole text as a name that is spelled so, without a prefix.
inline std::optional<spelled_name> match_whole(std::string_view text, std::string_view spelling,
                                               spelled_tensor const& of) {
    spelled_name name{{}, 0, {}};
    bool fits = true;
    for_each_part(spelling, [&](std::string_view part, bool is_placeholder) {
        if (!fits)
            return;
        std::string_view const before = text;
        std::string const kept = is_placeholder ? "{" + std::string(part) + "}" : std::string(part);
        if (is_placeholder && part == "_layer") {
            auto const number = take_number(text);
            fits = number.has_value();
            name.number = number.value_or(0);
        } else if (is_placeholder && part == "any")
            text.remove_prefix(std::min(text.find('/'), text.size()));
        else {
            std::string const expected = spelled(kept, of);
            fits = text.starts_with(expected);
            text.remove_prefix(fits ? expected.size() : 0);
            name.spelling += kept;
            return;
        }
        std::string_view const taken = before.substr(0, before.size() - text.size());
        fits = fits && taken.find_first_of("{}") == taken.npos; // it would be read as a placeholder
        name.spelling += taken;
    });
    return fits && text.empty() ? std::optional(std::move(name)) : std::nullopt;
}

/// How often what a spelling begins with is looked for in a name: a bound on the time that a crafted name
/// takes.
inline constexpr int most_beginnings = 8;

} // namespace detail

/// A name that ends as a spelling says, or nothing. The prefix is as short as it can be.
inline std::optional<spelled_name> unspelled(std::string_view name, std::string_view spelling,
                                             spelled_tensor const& of) {
    std::string_view fixed = spelling; // what stands after the last part that is not known
    for (std::string_view const part : {"{_layer}", "{any}"})
        if (std::size_t const at = fixed.rfind(part); at != fixed.npos)
            fixed.remove_prefix(at + part.size());
    std::string const end = spelled(fixed, of);
    if (!name.ends_with(end))
        return std::nullopt;
    if (fixed.size() == spelling.size())
        return spelled_name{name.substr(0, name.size() - end.size()), 0, std::string(spelling)};
    std::size_t from = name.size(); // a match has as many slashes as the spelling
    for (auto slashes = std::ranges::count(spelled(spelling, of), '/'); slashes >= 0 && from != 0;
         --slashes) {
        std::size_t const slash = name.substr(0, from).rfind('/');
        from = slash == name.npos ? 0 : slash;
    }
    std::string const begin = spelled(spelling.substr(0, spelling.find('{', 1)), of);
    for (int tried = 0; tried < detail::most_beginnings; ++tried, ++from) {
        from = name.find(begin, from);
        if (from == name.npos)
            break;
        if (auto found = detail::match_whole(name.substr(from), spelling, of)) {
            found->prefix = name.substr(0, from);
            return found;
        }
    }
    return std::nullopt;
}

} // namespace sluice::layout
