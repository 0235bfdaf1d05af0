// SPDX-License-Identifier: BSL-1.0
// Weights of one convention made those of another, without a cell: for programs that learn only when they run
// which conventions these are.
//
//   archive const keras = layout::convert(file, layout::describe<layout::pytorch_gru>(),
//                                         layout::describe<layout::keras_gru>());
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <sluice/layout/write.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::layout {
namespace detail {

/// The tensors of a layer, in numbers of type S.
template <class S>
struct kept_tensors {
    std::list<std::vector<S>> numbers{}; ///< which stay where they are
    cell_tensors<S> tensors{};

    explicit kept_tensors(layer_weights const& from) {
        sizes const& n = from.found.of_layers[from.layer];
        for (parameter_entry const& p : from.d.parameters) {
            auto const e = p.extents(n);
            numbers.emplace_back(e[0] * e[1] * e[2]);
            from.read(p, std::span<S>(numbers.back()));
            tensors.add(p.called.view(), numbers.back());
        }
        for (setting_entry const& s : from.d.page_settings)
            tensors.settings.emplace_back(s.called.view(), from.setting(s.called.view()).value_or(s.value));
    }
};

template <class S>
archive convert(archive const& file, description const& from, description const& to,
                found_weights const& found, spelled_as const& how) {
    weights_writer<S> writer(to, how, found.extents);
    for (std::size_t layer = 0; layer < found.extents.layers; ++layer)
        for (std::size_t direction = 0; direction < found.extents.directions; ++direction) {
            kept_tensors<S> const one(layer_weights{file, from, found, layer, direction});
            writer.add(one.tensors, found.of_layers[layer], layer, direction);
        }
    archive made;
    writer.store(made);
    return made;
}

/// The spelling of a convention that has names for so many layers and directions.
inline std::string_view spelling_for(description const& d, stack_extents const& all) {
    for (std::string_view const spelling : d.spellings) {
        bool has_room = true;
        for (block_table const& table : d.tables)
            has_room &= (all.layers == 1 || table.by_layer || has_placeholder(spelling, "layer") ||
                         has_placeholder(spelling, "_layer")) &&
                        (all.directions == 1 ? is_for_one_direction(spelling)
                                             : table.by_direction || has_placeholder(spelling, "|"));
        if (has_room)
            return spelling;
    }
    return d.spellings.front();
}

} // namespace detail

/// Whether weights of one convention can be made those of another: they are of one function.
inline bool is_convertible(description const& from, description const& to) {
    return from.parameters.begin() == to.parameters.begin();
}

/// All layers and directions that a file has under the prefix, in another convention, and in the names that
/// it has for so many unless others are asked for. Numbers are computed with in double where the file has
/// any, and otherwise in float; what adds a setting at run time, as TensorFlow does with a forget bias, gets
/// what is left to store. Throws `std::invalid_argument` for conventions of two functions, and as `read` and
/// `write` do.
inline archive convert(archive const& file, description const& from, description const& to,
                       spelled_as how = {}, std::optional<std::string_view> prefix = {}) {
    if (!is_convertible(from, to))
        fail<std::invalid_argument>(
            {from.called, " and ", to.called,
             " compute different functions, and no order of the numbers makes one of the other; "
             "choose a convention of the same cell"});
    found_weights const found = detail::require_weights(file, from, prefix);
    if (how.spelling.empty())
        how.spelling = detail::spelling_for(to, found.extents);
    for (std::size_t const t : detail::tensors_in_file(from, found))
        if (file.tensor(detail::name_in_file(from, found, t, 0, 0, 0)).type == dtype::f64)
            return detail::convert<double>(file, from, to, found, how);
    return detail::convert<float>(file, from, to, found, how);
}

} // namespace sluice::layout
