// SPDX-License-Identifier: BSL-1.0
// Which conventions the weights in a file may be of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <sluice/cells/page_name.hpp>
#include <sluice/graph/print/print.hpp>
#include <sluice/layout/all.hpp>
#include <sluice/layout/find.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::layout {

/// A convention of the library, for programs that choose one when they run.
struct known_convention {
    std::string_view key;  ///< the name of its struct: "pytorch_gru"
    std::string_view page; ///< the name of its cell: "cudnn_gru"
    std::string (*equations)();
    description what;
};

namespace detail {

template <class... Convention>
constexpr auto make_known(convention_list<Convention...>) {
    return std::array{
        known_convention{page_name<Convention>(), page_name<typename Convention::page>(),
                         [] { return std::string(sluice::print<typename Convention::page>().view()); },
                         describe<Convention>()}...};
}

} // namespace detail

/// All conventions that the library has.
inline std::span<known_convention const> known_conventions() {
    static constexpr auto all = detail::make_known(all_conventions{});
    return all;
}
/// One by the name of its struct, or null.
inline known_convention const* find_convention(std::string_view key) {
    auto const all = known_conventions();
    auto const found = std::ranges::find(all, key, &known_convention::key);
    return found == all.end() ? nullptr : &*found;
}

/// Weights that a file may hold.
struct recognised {
    known_convention const* convention;
    found_weights weights;
    std::set<std::string> tensors{}; ///< of the file that they are
};

/// All conventions whose names and shapes are in a file, those first that explain more of its tensors, and of
/// those the ones in the order of `all_conventions`; without those that explain a part of what another one
/// does. Names and shapes alone do not tell an update gate that keeps the old state from one that takes the
/// new: where several are found, the framework decides.
inline std::vector<recognised> recognise(archive const& file) {
    std::vector<recognised> all;
    for (known_convention const& one : known_conventions())
        for (found_weights& found : detail::find_all(file, one.what)) {
            auto names = detail::names_of(one.what, found);
            all.push_back({&one, std::move(found), std::move(names)});
        }
    std::ranges::stable_sort(all, std::greater<>(), [](recognised const& one) { return one.tensors.size(); });
    std::vector<recognised> likely;
    std::map<std::string_view, std::vector<std::size_t>> with; // a tensor: their places among the likely
    for (recognised& one : all) {
        if (std::ranges::any_of(with[*one.tensors.begin()], [&](std::size_t other) {
                return likely[other].tensors.size() > one.tensors.size() &&
                       std::ranges::includes(likely[other].tensors, one.tensors);
            }))
            continue;
        for (std::string const& name : one.tensors)
            with[name].push_back(likely.size());
        likely.push_back(std::move(one));
    }
    return likely;
}

} // namespace sluice::layout
