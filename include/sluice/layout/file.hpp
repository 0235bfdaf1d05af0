// SPDX-License-Identifier: BSL-1.0
// The tensors of a convention in an archive, where prefix and spelling are known: which there are, and what
// sizes they have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/layout/arrangement.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::layout {

/// Which weights of a file.
struct where {
    std::optional<std::string_view> prefix{}; ///< what their names begin with; left out, it is found
    std::size_t layer = 0;
    std::size_t direction = 0; ///< 0 forward, 1 backward in time
};

/// The tensors of a convention in a file.
struct found_weights {
    std::string prefix{};
    std::string
        called{}; ///< what to ask for them by: the prefix, or more of their names where it has others too
    std::string_view spelling{};
    std::vector<std::string>
        spellings{};        ///< of each layer and direction, where a file has them numbered by itself
    bool has_biases = true; ///< of those of a layer without any, which are read as zeros, none is there
    stack_extents extents{};
    std::size_t groups = 1;
    std::vector<sizes> of_layers{};
};

namespace detail {

/// The name of a tensor in a file.
inline std::string name_in_file(description const& d, std::string_view prefix, std::string_view spelling,
                                std::size_t t, std::size_t layer, std::size_t direction, std::size_t group) {
    return std::string(prefix) += spelled(spelling, {.tensor = d.tensors[t].called,
                                                     .number = t,
                                                     .layer = layer,
                                                     .direction = direction,
                                                     .group = group});
}
inline std::string name_in_file(description const& d, found_weights const& found, std::size_t t,
                                std::size_t layer, std::size_t direction, std::size_t group) {
    std::string_view const spelling = found.spellings.empty()
                                          ? found.spelling
                                          : found.spellings[layer * found.extents.directions + direction];
    return name_in_file(d, found.prefix, spelling, t, layer, direction, group);
}

/// Whether a tensor holds nothing but biases, which frameworks make layers without.
inline bool is_of_biases(block_table const& table) {
    return std::ranges::all_of(table.all(), [](block const& b) {
        return b.parameter == name{} || b.parameter.view().starts_with("b_");
    });
}
/// The tensors that are there, by their places among those of the convention.
inline std::vector<std::size_t> tensors_in_file(description const& d, found_weights const& found) {
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < d.tensors.size(); ++t)
        if (found.has_biases || !is_of_biases(d.tables[t]))
            all.push_back(t);
    return all;
}

/// Whether all tensors of a layer and direction are there, and none of those that are to be missing.
inline bool is_there(archive const& file, description const& d, found_weights const& found, std::size_t layer,
                     std::size_t direction) {
    for (std::size_t t = 0; t < d.tensors.size(); ++t) {
        bool const is_wanted = found.has_biases || !is_of_biases(d.tables[t]);
        bool const is_stacked = d.tables[t].leading_axes() > 0;
        std::string const name = name_in_file(d, found, t, layer, direction, 0);
        if (file.contains(name) != is_wanted)
            return false;
        if (!is_wanted)
            continue;
        auto const& shape = file.tensor(name).shape;
        if ((is_stacked && shape.size() < 2) || std::ranges::find(shape, std::size_t(0)) != shape.end())
            return false;
    }
    return true;
}

/// How many layers and directions a file has under a spelling; a spelling without {layer}, or {a|b}, has one.
inline stack_extents extents_in(archive const& file, description const& d, found_weights const& found) {
    stack_extents all{0, 1};
    for (std::size_t const t : tensors_in_file(d, found)) {
        block_table const& table = d.tables[t];
        if (table.leading_axes() == 0)
            continue;
        auto const& shape = file.tensor(name_in_file(d, found, t, 0, 0, 0)).shape;
        if (table.by_layer)
            all.layers = shape[0];
        if (table.by_direction)
            all.directions = shape[table.by_layer ? 1 : 0];
    }
    if (has_placeholder(found.spelling, "|") && is_there(file, d, found, 0, 1))
        all.directions = 2;
    if (all.layers == 0)
        all.layers = 1;
    while (has_placeholder(found.spelling, "layer") && is_there(file, d, found, all.layers, 0))
        ++all.layers;
    return all;
}

inline std::size_t groups_in(archive const& file, description const& d, found_weights const& found) {
    std::size_t groups = 1;
    for (std::size_t const t : tensors_in_file(d, found))
        if (has_placeholder(d.tensors[t].called, "group") && !d.ties_groups)
            while (file.contains(name_in_file(d, found, t, 0, 0, groups)))
                ++groups;
    return groups;
}

inline std::optional<sizes> sizes_in(archive const& file, description const& d, found_weights const& found,
                                     std::size_t layer) {
    size_finder finder(d, found.groups);
    for (std::size_t const t : tensors_in_file(d, found)) {
        auto const& shape = file.tensor(name_in_file(d, found, t, layer, 0, 0)).shape;
        if (shape.size() < static_cast<std::size_t>(d.tables[t].leading_axes()))
            return std::nullopt;
        finder.add(d.tables[t], shape);
    }
    return finder.find();
}

/// The most groups that are tried where a file holds one for all.
inline constexpr std::size_t most_tied_groups = 1024;

/// Whether all tensors of a layer, of both directions and all groups, have the shapes that its sizes give.
inline bool do_fit(archive const& file, description const& d, found_weights const& found, std::size_t layer,
                   sizes const& n) {
    for (std::size_t const t : tensors_in_file(d, found)) {
        bool const is_of_group = has_placeholder(d.tensors[t].called, "group") && !d.ties_groups;
        for (std::size_t direction = 0; direction < found.extents.directions; ++direction)
            for (std::size_t group = 0; group < (is_of_group ? found.groups : 1); ++group) {
                std::string const name = name_in_file(d, found, t, layer, direction, group);
                if (!file.contains(name) ||
                    file.tensor(name).shape != shape_of(d, d.tables[t], n, found.extents))
                    return false;
            }
    }
    return true;
}

/// Finds the sizes of the layers, for a number of groups. Layers of one tensor have the same. Where each
/// layer has tensors of its own, the layers end before the first one whose shapes contradict each other.
inline bool find_sizes(archive const& file, description const& d, found_weights& found) {
    found.of_layers.clear();
    bool const are_apart = has_placeholder(found.spelling, "layer");
    for (std::size_t layer = 0; layer < (are_apart ? found.extents.layers : 1); ++layer) {
        auto const n = sizes_in(file, d, found, layer);
        if (!n || !do_fit(file, d, found, layer, *n))
            break;
        found.of_layers.push_back(*n);
    }
    if (found.of_layers.empty())
        return false;
    if (are_apart)
        found.extents.layers = found.of_layers.size();
    found.of_layers.resize(found.extents.layers, found.of_layers.front());
    return true;
}

/// Finds all that there is to know of weights under a prefix and a spelling, or says that they are not there
/// or that their shapes do not fit.
inline bool find_extents(archive const& file, description const& d, found_weights& found) {
    if (!is_there(file, d, found, 0, 0))
        return false;
    found.extents = extents_in(file, d, found);
    found.groups = groups_in(file, d, found);
    bool is_found = find_sizes(file, d, found);
    while (!is_found && d.ties_groups && found.groups < most_tied_groups) {
        ++found.groups;
        is_found = find_sizes(file, d, found);
    }
    return is_found;
}

} // namespace detail
} // namespace sluice::layout
