// SPDX-License-Identifier: BSL-1.0
// Which conventions the weights in a file may be of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <sluice/cell/page.hpp>
#include <sluice/graph/print.hpp>
#include <sluice/layout/all.hpp>
#include <sluice/layout/file.hpp>
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
    std::size_t tensors = 0; ///< of the file that they are
};

namespace detail {

inline std::size_t count_tensors(description const& d, found_weights const& found) {
    std::size_t count = 0;
    for (std::size_t t = 0; t < d.tensors.size(); ++t) {
        block_table const& table = d.tables[t];
        std::size_t of_group =
            has_placeholder(d.tensors[t].called, "group") && !d.ties_groups ? found.groups : 1;
        count += of_group * (table.by_layer ? 1 : found.extents.layers) *
                 (table.by_direction ? 1 : found.extents.directions);
    }
    return count;
}

} // namespace detail

/// All conventions whose names and shapes are in a file, those first that explain more of its tensors, and of those the
/// ones in the order of `all_conventions`. Names and shapes alone do not tell an update gate that keeps the old state from
/// one that takes the new: where several are found, the framework decides.
inline std::vector<recognised> recognise(archive const& file) {
    std::vector<recognised> all;
    for (known_convention const& one : known_conventions())
        for (found_weights& found : detail::find_all(file, one.what)) {
            std::size_t const tensors = detail::count_tensors(one.what, found);
            all.push_back({&one, std::move(found), tensors});
        }
    std::ranges::stable_sort(all, std::greater<>(), &recognised::tensors);
    return all;
}

} // namespace sluice::layout
