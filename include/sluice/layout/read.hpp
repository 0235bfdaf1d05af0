// SPDX-License-Identifier: BSL-1.0
// Weights as another program wrote them, read into cells and stacks:
//
//   archive const file = safetensors::read("model.safetensors");
//   auto cell = layout::read_cell<layout::pytorch_gru>(file);           // its sizes are those of the tensors
//   layout::read<layout::pytorch_gru>(file, cell, {.prefix = "encoder.", .layer = 1});
//   layout::read<layout::pytorch_gru>(file, net, "encoder.");        // all layers and directions of a stack
//
// The cell is one of the convention's page. One of another function, such as a GRU whose reset gate acts
// before the product in place of one after it, does not compile: no order of the numbers makes one of the
// other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sluice/algebra/compare.hpp>
#include <sluice/cell/cell.hpp>
#include <sluice/checkpoint/stored_numbers.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/layout/find.hpp>
#include <sluice/sequence/stack.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice::layout {
namespace detail {

using sluice::detail::stored_numbers;

/// The weights of one layer and direction.
struct layer_weights {
    archive const& file;
    description const& d;
    found_weights const& found;
    std::size_t layer, direction;

    std::string name(std::size_t t, std::size_t group) const {
        return name_in_file(d, found, t, layer, direction, d.ties_groups ? 0 : group);
    }

    /// values[..] = a parameter, or zeros for a bias that the file does not have.
    template <class S>
    void read(parameter_entry const& parameter, std::span<S> values) const {
        sizes const& n = found.of_layers[layer];
        std::size_t const groups = parameter.extents(n)[0];
        bool is_first = true;
        for (std::size_t const t : tensors_in_file(d, found))
            for (block const& b : d.tables[t].all()) {
                if (b.parameter != parameter.called && b.plus != parameter.called)
                    continue;
                bool const is_half = d.find(b.plus.view()) != nullptr;
                block_place const at = place_of(d, d.tables[t], b, n, found.extents, layer, direction);
                for (std::size_t g = 0; g < groups; ++g)
                    add(stored_numbers<S>(file, name(t, g)), at, b.is_negative, is_half, is_first,
                        values.subspan(g * at.rows * at.columns, at.rows * at.columns));
                is_first = false;
            }
        if (is_first)
            std::ranges::fill(values, rounded<S>(arithmetic_of<S>(0)));
    }
    /// The number of a setting that the convention says something about.
    std::optional<double> setting(std::string_view called) const {
        for (block_table const& table : d.tables)
            for (block const& b : table.all())
                if (b.plus.view() == called)
                    return d.added(called);
        return std::nullopt;
    }
    /// Gives a tensor of a cell its values.
    template <class T>
    void fill(std::string_view called, std::span<std::size_t const> shape, std::span<T> values) const {
        if (parameter_entry const* const parameter = d.find(called))
            read(*parameter, values);
        else if (auto const number = setting(called); number && shape.empty())
            values[0] = rounded<T>(static_cast<arithmetic_of<T>>(*number));
    }

    /// Throws `checkpoint_errors::wrong_shape` unless a cell has the sizes of the file.
    void require_sizes(sizes const& came) const {
        using namespace checkpoint_errors;
        sizes const& n = found.of_layers[layer];
        auto const text = [](sizes const& s) {
            std::string words;
            append({"input ", s.input, ", units ", s.units}, words);
            if (s.projection != 0)
                append({", projection ", s.projection}, words);
            if (s.groups != 1)
                append({", groups ", s.groups}, words);
            return words;
        };
        if (n != came)
            throw wrong_shape(file.subject() + "the weights of " + std::string(d.called) + " under " +
                              shown(found.called) + " are those of a cell with " + text(n) +
                              "; the cell has " + text(came) + ".");
    }

private:
    template <class S>
    static void add(stored_numbers<S> const& from, block_place const& at, bool is_negative, bool is_half,
                    bool is_first, std::span<S> to) {
        for (std::size_t r = 0; r < at.rows; ++r)
            for (std::size_t c = 0; c < at.columns; ++c) {
                S const kept = from[at.first + r * at.row_stride + c * at.column_stride];
                S& target = to[r * at.columns + c];
                if (is_first && !is_negative && !is_half)
                    target = kept;
                else {
                    arithmetic_of<S> value = is_negative ? -widened(kept) : widened(kept);
                    value = is_half ? value / 2 : value;
                    target = rounded<S>(is_first ? value : widened(target) + value);
                }
            }
    }
};

/// Whether parameters of one page can be given to another under the same names.
template <class From, class To>
constexpr bool have_same_parameters() {
    auto const& a = passes<From>::parameters;
    auto const& b = passes<To>::parameters;
    if (a.size() != b.size())
        return false;
    for (int i = 0; i < a.size(); ++i) {
        bool found = false;
        for (int k = 0; k < b.size(); ++k)
            found |= a[i].called == b[k].called && a[i].extents(telling) == b[k].extents(telling);
        if (!found)
            return false;
    }
    return true;
}

template <class Convention, class Page>
constexpr bool require_same_function() {
    constexpr bool is_same = [] {
        if constexpr (std::is_same_v<typename Convention::page, Page>)
            return true;
        else
            return equivalent<typename Convention::page, Page>() &&
                   have_same_parameters<typename Convention::page, Page>();
    }();
    static_assert(is_same,
                  "sluice: a cell is given weights of another function, such as those of a GRU that resets "
                  "before the product to one that resets behind it; no order of the numbers makes one of the "
                  "other: take a cell of the convention's page");
    return is_same;
}

inline void require_layer(found_weights const& found, archive const& file, where const& w) {
    if (w.layer >= found.extents.layers || w.direction >= found.extents.directions) {
        std::string text = file.subject();
        append({"the weights under ", checkpoint_errors::shown(found.called), " are of ",
                found.extents.layers, " layers and ", found.extents.directions,
                " directions; there is no layer ", w.layer, ", direction ", w.direction, "."},
               text);
        throw checkpoint_errors::tensor_missing(text);
    }
}

} // namespace detail

/// Gives a cell the weights of one layer and direction; settings that the convention says nothing about stay.
/// Throws `checkpoint_error` where the file does not have them, or those of other sizes; nothing changes
/// then.
template <convention C, any_cell Cell>
void read(archive const& file, Cell& cell, where const& w = {}) {
    if constexpr (detail::require_same_function<C, typename Cell::page_type>()) {
        description const d = describe<C>();
        found_weights const found = detail::require_weights(file, d, w.prefix);
        detail::require_layer(found, file, w);
        detail::layer_weights const weights{file, d, found, w.layer, w.direction};
        weights.require_sizes(cell.extents());
        Cell filled = cell;
        filled.visit_tensors(
            [&](std::string_view called, auto shape, auto values) { weights.fill(called, shape, values); });
        cell = std::move(filled);
    }
}

/// A cell of the convention's page, with the sizes and weights of the file. Throws as `read`.
template <convention C, class Scalar = float, class... Policies>
cell<typename C::page, Scalar, Policies...> read_cell(archive const& file, where const& w = {}) {
    description const d = describe<C>();
    found_weights const found = detail::require_weights(file, d, w.prefix);
    detail::require_layer(found, file, w);
    cell<typename C::page, Scalar, Policies...> made(found.of_layers[w.layer]);
    read<C>(file, made, {found.called, w.layer, w.direction});
    return made;
}

/// Gives a stack of cells of the convention's page the weights of all layers and directions. Throws as for a
/// cell, and `checkpoint_errors::wrong_shape` where the stack has other layers or directions.
template <convention C, any_stack Stack>
void read(archive const& file, Stack& net, std::optional<std::string_view> prefix = {}) {
    if constexpr (detail::require_same_function<C, typename Stack::template page_at<0>>()) {
        description const d = describe<C>();
        found_weights const found = detail::require_weights(file, d, prefix);
        if (found.extents.layers != net.layers() || found.extents.directions != net.directions()) {
            std::string text = file.subject();
            append({"the weights under ", checkpoint_errors::shown(found.called), " are of ",
                    found.extents.layers, " layers and ", found.extents.directions,
                    " directions; the stack has ", net.layers(), " and ", net.directions(), "."},
                   text);
            throw checkpoint_errors::wrong_shape(text);
        }
        auto const each = [&](auto const& f) {
            for (std::size_t l = 0; l < found.extents.layers; ++l)
                for (std::size_t direction = 0; direction < found.extents.directions; ++direction)
                    f(detail::layer_weights{file, d, found, l, direction}, net.prefix(l, direction));
        };
        for (std::size_t l = 0; l < net.layers(); ++l)
            for (std::size_t direction = 0; direction < net.directions(); ++direction)
                detail::layer_weights{file, d, found, l, direction}.require_sizes(
                    net.as_net().layers[l].ways[direction].extents);
        Stack filled = net;
        filled.visit_tensors([&](std::string_view called, auto shape, auto values) {
            each([&](detail::layer_weights const& weights, std::string const& before) {
                if (called.starts_with(before))
                    weights.fill(called.substr(before.size()), shape, values);
            });
        });
        net = std::move(filled);
    }
}

} // namespace sluice::layout
