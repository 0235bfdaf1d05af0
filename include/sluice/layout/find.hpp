// SPDX-License-Identifier: BSL-1.0
// Which weights of a convention an archive has: under which prefixes and spellings, and in which numbers of
// layers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sluice/layout/file.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::layout::detail {

/// The names of all tensors of some weights.
inline std::set<std::string> names_of(description const& d, found_weights const& found) {
    std::set<std::string> names;
    for (std::size_t const t : tensors_in_file(d, found))
        for (std::size_t layer = 0; layer < found.extents.layers; ++layer)
            for (std::size_t direction = 0; direction < found.extents.directions; ++direction)
                for (std::size_t group = 0; group < (d.ties_groups ? 1 : found.groups); ++group)
                    names.insert(name_in_file(d, found, t, layer, direction, group));
    return names;
}
/// What all of them begin with.
inline std::string common_begin(std::set<std::string> const& names) {
    std::string const &first = *names.begin(), &last = *names.rbegin();
    auto const end = std::ranges::mismatch(first, last).in1;
    return {first.begin(), end};
}

/// The first tensors of layers under one prefix: how they are spelled, in both directions, by the numbers of
/// the layers.
struct begun_layers {
    std::string prefix;
    std::map<std::size_t, std::array<std::string, 2>> spellings{};
};

/// All that there are under a spelling, or those of one prefix.
inline std::vector<begun_layers> find_begun(archive const& file, description const& d,
                                            std::string_view spelling,
                                            std::optional<std::string_view> prefix) {
    std::vector<begun_layers> all;
    std::map<std::string_view, std::size_t> places;
    for (std::size_t direction = 0; direction < (has_placeholder(spelling, "|") ? 2 : 1); ++direction)
        for (stored_tensor const& t : file.tensors()) {
            if (prefix && !t.name.starts_with(*prefix))
                continue;
            auto name = unspelled(t.name, spelling, {.tensor = d.tensors[0].called, .direction = direction});
            if (!name || (prefix && name->prefix != *prefix))
                continue;
            auto const [place, is_new] = places.emplace(name->prefix, all.size());
            if (is_new)
                all.push_back({std::string(name->prefix)});
            all[place->second].spellings[name->number][direction] = std::move(name->spelling);
        }
    return all;
}

/// The weights of these layers. A layer is left out if its shapes do not fit, or if it has other directions
/// or groups than the first one: Keras numbers layers by their kind, so that another one may be a GRU of
/// another function.
inline std::optional<found_weights> find_layers(archive const& file, description const& d,
                                                std::string_view spelling, begun_layers const& begun,
                                                bool has_biases, std::set<std::string> const& known) {
    bool const is_numbered = has_placeholder(spelling, "_layer") || has_placeholder(spelling, "any");
    std::optional<found_weights> all;
    for (auto const& [number, spellings] : begun.spellings) {
        auto const& [forward, backward] = spellings;
        found_weights one{
            .prefix = begun.prefix, .called = begun.prefix, .spelling = spelling, .has_biases = has_biases};
        if (forward.empty())
            continue;
        if (is_numbered) // of a layer without a backward direction there is no such name
            one.spellings = {forward, backward.empty() ? forward : backward};
        if (known.contains(name_in_file(d, one, 0, 0, 0, 0)) || !find_extents(file, d, one))
            continue;
        if (!is_numbered)
            return one;
        if (one.extents.layers > 1) // all in one tensor: then they have no numbers
            continue;
        one.spellings.resize(one.extents.directions);
        if (!all)
            all = std::move(one);
        else if (one.extents.directions == all->extents.directions && one.groups == all->groups) {
            ++all->extents.layers;
            std::ranges::move(one.spellings, std::back_inserter(all->spellings));
            all->of_layers.push_back(one.of_layers.front());
        }
    }
    return all;
}

/// All weights of a convention in a file, or those under one prefix. Spellings that come first in the
/// convention say more, and what one of them has found is not found again under a longer prefix.
inline std::vector<found_weights> find_all(archive const& file, description const& d,
                                           std::optional<std::string_view> prefix = {}) {
    bool const may_lack_biases = std::ranges::any_of(d.tables, is_of_biases);
    std::vector<found_weights> all;
    std::set<std::string> known;
    for (std::string_view const spelling : d.spellings)
        for (begun_layers const& begun : find_begun(file, d, spelling, prefix))
            for (bool const has_biases : {true, false}) {
                if (!has_biases && !may_lack_biases)
                    continue;
                if (auto found = find_layers(file, d, spelling, begun, has_biases, known)) {
                    known.merge(names_of(d, *found));
                    all.push_back(std::move(*found));
                }
            }
    std::map<std::string_view, int> under;
    for (found_weights const& one : all)
        ++under[one.prefix];
    for (found_weights& one : all)
        if (under.at(one.prefix) > 1)
            one.called = common_begin(names_of(d, one));
    return all;
}

/// What a convention expects in a file: "weight_ih_l0 [3 units, input]" and so on.
inline std::string expected_names(description const& d) {
    std::string text;
    for (std::size_t t = 0; t < d.tensors.size(); ++t)
        append({t == 0 ? "" : ", ", name_in_file(d, {}, d.spellings.front(), t, 0, 0, 0), " (",
                d.tensors[t].holds, ")"},
               text);
    return text;
}

/// The weights under a prefix, or those whose names begin with it. Throws a `checkpoint_error` with a
/// sentence where they are not there, or where it is not clear which are meant.
inline found_weights require_weights(archive const& file, description const& d,
                                     std::optional<std::string_view> prefix) {
    using namespace checkpoint_errors;
    std::vector<found_weights> all = find_all(file, d, prefix.value_or(std::string_view()));
    if (all.empty()) {
        all = find_all(file, d);
        bool const is_called = prefix && std::ranges::find(all, *prefix, &found_weights::called) != all.end();
        std::erase_if(all, [&](found_weights const& one) {
            return prefix &&
                   (is_called ? one.called != *prefix : !common_begin(names_of(d, one)).starts_with(*prefix));
        });
    }
    if (all.empty())
        throw tensor_missing(file.subject() + "no weights of " + std::string(d.called) + " are " +
                             (prefix ? "under the prefix " + shown(*prefix) : "there") +
                             ", or their shapes contradict each other; " + std::string(d.called) + " has " +
                             expected_names(d) + ".");
    if (all.size() == 1)
        return std::move(all.front());
    constexpr std::size_t most = 8;
    std::string prefixes = shown(all[0].called);
    for (std::size_t i = 1; i < std::min(all.size(), most); ++i)
        prefixes += (i + 1 == all.size() ? " and " : ", ") + shown(all[i].called);
    if (all.size() > most)
        prefixes += " and " + std::to_string(all.size() - most) + " more";
    throw ambiguous_weights(file.subject() + "several weights of " + std::string(d.called) +
                            " are there, under the prefixes " + prefixes + "; choose one by its prefix.");
}

} // namespace sluice::layout::detail
