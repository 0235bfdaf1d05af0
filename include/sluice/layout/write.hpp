// SPDX-License-Identifier: BSL-1.0
// Weights as another program reads them, written from cells and stacks:
//
//   archive file;
//   layout::write<layout::keras_gru>(file, cell);
//   safetensors::write("keras.safetensors", file);
//
//   layout::write<layout::keras_gru>(file, cell, {.weights = dtype::bf16});   // or f16, or i8
//
// A parameter that a convention has in several places, as PyTorch has two biases for each gate, goes into the
// first of them, and zeros into the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sluice/checkpoint/narrow.hpp>
#include <sluice/layout/read.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::layout {

/// How names are spelled in what is written, and in which type its numbers are.
struct spelled_as {
    std::string_view prefix = {};
    std::string_view spelling =
        {}; ///< one of the convention's, or one of one's own; left out, the convention's first
    std::optional<dtype> weights = {}; ///< bf16, f16 or i8; left out, as they are
};

namespace detail {

/// The tensors of one cell by name.
template <class S>
struct cell_tensors {
    struct values {
        std::string called;
        std::span<S const> numbers;
    };
    std::vector<values> parameters{};
    std::vector<std::pair<std::string, double>> settings{};

    void add(std::string_view called, std::span<S const> numbers) {
        parameters.push_back({std::string(called), numbers});
    }
    S const* find(std::string_view called) const {
        for (values const& v : parameters)
            if (v.called == called)
                return v.numbers.data();
        return nullptr;
    }
    double setting(std::string_view called) const {
        for (auto const& [name, value] : settings)
            if (name == called)
                return value;
        return 0;
    }
};

/// The tensors of a convention as they are filled.
template <class S>
class weights_writer {
public:
    weights_writer(description const& d, spelled_as const& how, stack_extents const& all)
        : d_(d), how_(how), all_(all) {
        spelling_ = how.spelling.empty() ? d.spellings.front() : how.spelling;
        if (!is_spelling(spelling_) ||
            (!has_placeholder(spelling_, "tensor") && !has_placeholder(spelling_, "number")))
            fail<std::invalid_argument>(
                {"a spelling expects {tensor} or {number}, and {layer}, {_layer}, {group}, {any} or "
                 "{forward|backward} where they are needed, but got ",
                 checkpoint_errors::shown(spelling_)});
        bool const one_layer = !has_placeholder(spelling_, "layer") && !has_placeholder(spelling_, "_layer");
        for (block_table const& table : d.tables)
            if ((all.layers > 1 && one_layer && !table.by_layer) ||
                (all.directions > 1 && !has_placeholder(spelling_, "|") && !table.by_direction))
                fail<std::invalid_argument>({d.called, " has no names for ", all.layers, " layers and ",
                                             all.directions, " directions in the spelling ",
                                             checkpoint_errors::shown(spelling_),
                                             "; choose another of its spellings"});
    }

    void add(cell_tensors<S> const& cell, sizes const& n, std::size_t layer, std::size_t direction) {
        for (std::size_t t = 0; t < d_.tensors.size(); ++t) {
            block_table const& table = d_.tables[t];
            bool const is_grouped = has_placeholder(d_.tensors[t].called, "group");
            for (std::size_t g = 0; g < (is_grouped ? n.groups : 1); ++g) {
                bool const is_tied = d_.ties_groups && g > 0;
                made& to = tensor_called(
                    name_in_file(d_, how_.prefix, spelling_, t, layer, direction, d_.ties_groups ? 0 : g),
                    shape_of(d_, table, n, all_), table);
                for (block const& b : table.all()) {
                    if (b.parameter == name{})
                        continue;
                    block_place const at = place_of(d_, table, b, n, all_, layer, direction);
                    std::size_t const first = g * at.rows * at.columns;
                    for (std::size_t r = 0; r < at.rows; ++r)
                        for (std::size_t c = 0; c < at.columns; ++c) {
                            S const value = value_of(cell, t, b, first + r * at.columns + c);
                            S& place = to.values[at.first + r * at.row_stride + c * at.column_stride];
                            if (is_tied && differ(widened(place), widened(value)))
                                fail<std::invalid_argument>(
                                    {d_.called, " has one kernel for all groups, but those of ",
                                     b.parameter.view(),
                                     " differ between groups; write an untied convention"});
                            place = value;
                        }
                }
            }
        }
    }

    /// Adds all to an archive; as I8 only tensors of nothing but matrices, with a scale for each column of
    /// the tensor (checkpoint/stored_numbers.hpp). Throws as `archive::add`, and as `store` of a checkpoint
    /// for weights that do not fit; nothing is added then.
    void store(archive& to) const {
        archive together = to;
        for (made const& one : tensors_)
            if (how_.weights)
                sluice::detail::add_narrow<S>(together, one.called, one.shape, one.values, *how_.weights,
                                              one.columns);
            else
                together.add<S>(one.called, one.shape, one.values);
        to = std::move(together);
    }

private:
    struct made {
        std::string called;
        std::vector<std::size_t> shape;
        std::vector<S> values;
        std::optional<std::size_t> columns; ///< the axis along which they lie, of matrices
    };
    description const& d_;
    spelled_as const& how_;
    stack_extents all_;
    std::string_view spelling_{};
    std::vector<made> tensors_{};

    static bool differ(arithmetic_of<S> a, arithmetic_of<S> b) {
        return !(a == b) && !(std::isnan(a) && std::isnan(b));
    }
    made& tensor_called(std::string const& called, std::vector<std::size_t> const& shape,
                        block_table const& table) {
        for (made& one : tensors_)
            if (one.called == called) {
                if (one.shape != shape)
                    fail<std::invalid_argument>({d_.called, " has one tensor ",
                                                 checkpoint_errors::shown(called), " for all layers, ",
                                                 one.shape, " in the first, but another needs ", shape,
                                                 "; write each layer's cell to an archive of its own"});
                return one;
            }
        std::size_t count = 1;
        for (std::size_t const extent : shape)
            count *= extent;
        tensors_.push_back({called, shape, std::vector<S>(count, rounded<S>(arithmetic_of<S>(0))),
                            columns_in(table, shape.size())});
        return tensors_.back();
    }
    std::optional<std::size_t> columns_in(block_table const& table, std::size_t axes) const {
        if (std::ranges::any_of(table.all(),
                                [&](block const& b) { return d_.measure_of(table, b)->rank < 2; }))
            return std::nullopt;
        return table.is_transposed ? axes - 1 : static_cast<std::size_t>(table.leading_axes());
    }
    /// Whether no block before this one has its parameter.
    bool is_first(std::size_t tensor, block const& wanted) const {
        for (std::size_t t = 0; t <= tensor; ++t)
            for (block const& b : d_.tables[t].all()) {
                if (&b == &wanted)
                    return true;
                if (b.parameter == wanted.parameter)
                    return false;
            }
        return true;
    }
    S value_of(cell_tensors<S> const& cell, std::size_t t, block const& b, std::size_t i) const {
        if (!is_first(t, b))
            return rounded<S>(arithmetic_of<S>(0));
        S const value = cell.find(b.parameter.view())[i];
        arithmetic_of<S> more = 0;
        if (S const* const second = cell.find(b.plus.view()))
            more = widened(second[i]);
        else if (b.plus != name{})
            more = static_cast<arithmetic_of<S>>(cell.setting(b.plus.view()) - d_.added(b.plus.view()));
        if (more == 0 && !b.is_negative)
            return value;
        arithmetic_of<S> const sum = more == 0 ? widened(value) : widened(value) + more;
        return rounded<S>(b.is_negative ? -sum : sum);
    }
};

/// What a cell of a net holds.
template <any_net Net>
auto tensors_of(Net const& net, std::size_t layer = 0, std::size_t direction = 0) {
    using scalar = typename Net::scalar_type;
    auto const& cell = net.as_net().layers[layer].ways[direction];
    cell_tensors<scalar> found;
    for (tensor_place const& place : cell.places)
        found.add(place.called, place.in(net.parameters().values()));
    auto const add_settings = [&]<class Page>() {
        for (setting_entry const& entry : passes<Page>::settings)
            found.settings.emplace_back(entry.called.view(), in_double(cell.settings[found.settings.size()]));
    };
    if constexpr (any_cell<Net>)
        add_settings.template operator()<typename Net::page_type>();
    else
        net.with_page_of(layer, add_settings);
    return found;
}

} // namespace detail

/// Adds the weights of a cell to an archive, as layer 0 forward in time. Throws
/// `checkpoint_errors::duplicate_key` where a name is there already, and `std::invalid_argument` where the
/// convention cannot say what the cell has; nothing is added then.
template <convention C, any_cell Cell>
void write(archive& to, Cell const& cell, spelled_as const& how = {}) {
    if constexpr (detail::require_same_function<C, typename Cell::page_type>()) {
        description const d = describe<C>();
        detail::weights_writer<typename Cell::scalar_type> writer(d, how, {});
        writer.add(detail::tensors_of(cell), cell.extents(), 0, 0);
        writer.store(to);
    }
}

/// Adds the weights of all layers and directions of a stack. Throws as for a cell.
template <convention C, any_stack Stack>
void write(archive& to, Stack const& net, spelled_as const& how = {}) {
    if constexpr (detail::require_same_function<C, typename Stack::template page_at<0>>()) {
        description const d = describe<C>();
        detail::weights_writer<typename Stack::scalar_type> writer(d, how, {net.layers(), net.directions()});
        for (std::size_t l = 0; l < net.layers(); ++l)
            for (std::size_t direction = 0; direction < net.directions(); ++direction)
                writer.add(detail::tensors_of(net, l, direction),
                           net.as_net().layers[l].ways[direction].extents, l, direction);
        writer.store(to);
    }
}

} // namespace sluice::layout
