// SPDX-License-Identifier: BSL-1.0
// Names of tensors in files. A spelling puts the layer, the direction and the group around what a convention calls a
// tensor, as PyTorch does with weight_ih:
//
//   {tensor}_l{layer}{|_reverse}       weight_ih_l0, weight_ih_l0_reverse, weight_ih_l1 ...
//
//   {tensor}      what the convention calls it        {number}    its place among the tensors of the convention, from 0
//   {layer}       0, 1, ...                           {_layer}    nothing, _1, _2, ...
//   {group}       0, 1, ...; may be in the tensor's own name too
//   {a|b}         a forward in time, b backward
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::layout {

/// What a name in a file is about.
struct tensor_place {
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
/// Whether a file of one direction is spelled so: weight_ih_l0 is, but forward_layer/kernel has a second beside it.
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
                 part == "_layer" || part == "group" || part.find('|') != part.npos;
    });
    return known;
}

} // namespace detail

/// The name in a file.
inline std::string spelled(std::string_view spelling, tensor_place const& of) {
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

} // namespace sluice::layout
