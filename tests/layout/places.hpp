// SPDX-License-Identifier: BSL-1.0
// What stands at each place of a tensor of a convention, as a text, and the places that frameworks document.
#pragma once

#include <doctest/doctest.h>
#include <functional>
#include <sluice/layout/file.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace places {

using position = std::vector<std::size_t>;
using names = std::vector<std::string>;
/// What stands at a position of a tensor: "W_r(2,3)", "b_r(3)", or "0".
using contents = std::function<std::string(position const&)>;

/// 5 inputs, 7 units; with groups there are 2 of 2 inputs and 5 units, with a projection of 6
/// (tensorflow.cpp).
inline constexpr sluice::sizes usual{.input = 5, .units = 7};

inline std::string number(std::string const& name, std::size_t row, std::size_t column) {
    return name + "(" + std::to_string(row) + "," + std::to_string(column) + ")";
}
/// A bias, to which a setting may be added: "b_f + forget_bias".
inline std::string number(std::string const& name, std::size_t at) {
    std::size_t const end = name.find(' ');
    return name.substr(0, end) + "(" + std::to_string(at) + ")" + (end == name.npos ? "" : name.substr(end));
}

/// [gates units, inputs]: matrices act on columns, the gates one above the other.
inline contents above(names const& gates, std::size_t units = usual.units) {
    return [=](position const& at) { return number(gates[at[0] / units], at[1], at[0] % units); };
}
/// [inputs, gates units]: matrices act on rows, the gates side by side.
inline contents beside(names const& gates, std::size_t units = usual.units) {
    return [=](position const& at) { return number(gates[at[1] / units], at[0], at[1] % units); };
}
/// [inputs + units, gates units]: those that multiply x above those that multiply h.
inline contents beside(names const& of_x, names const& of_h, std::size_t input = usual.input,
                       std::size_t units = usual.units) {
    return [=](position const& at) {
        bool const is_x = at[0] < input;
        return number((is_x ? of_x : of_h)[at[1] / units], is_x ? at[0] : at[0] - input, at[1] % units);
    };
}
/// [gates units], or [rows, gates units].
inline contents biases(names const& gates, std::size_t units = usual.units) {
    return [=](position const& at) {
        return gates[at[0] / units] == "0" ? std::string("0") : number(gates[at[0] / units], at[0] % units);
    };
}
/// The same for each layer and direction of the file, which the first axes count; nothing for one that has
/// none.
inline contents in_each(std::size_t axes, contents const& one) {
    return [=](position const& at) {
        std::string const layer = axes == 2 ? std::to_string(at[0]) : "0";
        std::string const direction = std::to_string(at[axes - 1]);
        return "layer " + layer + " direction " + direction + " " +
               one({at.begin() + static_cast<std::ptrdiff_t>(axes), at.end()});
    };
}

/// Checks the shape of a tensor, and what stands at each of its places.
template <class Convention>
void check(std::string_view called, position const& shape, contents const& expected,
           sluice::sizes const& n = usual, sluice::layout::stack_extents const& all = {}) {
    using namespace sluice::layout;
    description const d = describe<Convention>();
    std::size_t t = 0;
    while (t < d.tensors.size() && d.tensors[t].called != called)
        ++t;
    CAPTURE(called);
    REQUIRE(t < d.tensors.size());
    block_table const& table = d.tables[t];
    REQUIRE(detail::shape_of(d, table, n, all) == shape);
    std::size_t count = 1;
    for (std::size_t const extent : shape)
        count *= extent;
    std::vector<std::string> found(count);
    for (std::size_t layer = 0; layer < (table.by_layer ? all.layers : 1); ++layer)
        for (std::size_t direction = 0; direction < (table.by_direction ? all.directions : 1); ++direction)
            for (block const& b : table.all()) {
                block_place const at = detail::place_of(d, table, b, n, all, layer, direction);
                std::string const before =
                    table.leading_axes() == 0
                        ? ""
                        : "layer " + std::to_string(layer) + " direction " + std::to_string(direction) + " ";
                for (std::size_t r = 0; r < at.rows; ++r)
                    for (std::size_t c = 0; c < at.columns; ++c) {
                        std::string& here = found.at(at.first + r * at.row_stride + c * at.column_stride);
                        CHECK(here.empty());
                        std::string text(b.parameter.view());
                        if (b.plus != sluice::name{})
                            text += " + " + std::string(b.plus.view());
                        if (text.empty())
                            text = "0";
                        else
                            text =
                                d.find(b.parameter.view())->rank > 1 ? number(text, r, c) : number(text, c);
                        here = before + (b.is_negative ? "-" : "") + text;
                    }
            }
    position at(shape.size());
    for (std::string const& one : found) {
        CHECK(one == expected(at));
        for (std::size_t axis = shape.size(); axis-- > 0 && ++at[axis] == shape[axis];)
            at[axis] = 0;
    }
}

/// The name of a tensor in a file, by a spelling of its convention.
template <class Convention>
std::string name_of(std::size_t tensor, std::size_t spelling, std::size_t layer = 0,
                    std::size_t direction = 0, std::size_t group = 0) {
    using namespace sluice::layout;
    description const d = describe<Convention>();
    return detail::name_in_file(d, "m.", d.spellings[spelling], tensor, layer, direction, group);
}

/// Adds the tensors of layers of these sizes to a file, all zeros, as a convention shapes and a spelling
/// calls them.
inline void add_zeros(sluice::archive& to, sluice::layout::description const& d, std::string_view prefix,
                      std::string_view spelling, std::vector<sluice::sizes> const& layers,
                      std::size_t directions = 1) {
    using namespace sluice::layout;
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
        for (std::size_t direction = 0; direction < directions; ++direction)
            for (std::size_t t = 0; t < d.tensors.size(); ++t) {
                bool const is_grouped =
                    detail::has_placeholder(d.tensors[t].called, "group") && !d.ties_groups;
                for (std::size_t group = 0; group < (is_grouped ? layers[layer].groups : 1); ++group) {
                    auto const shape =
                        detail::shape_of(d, d.tables[t], layers[layer], {layers.size(), directions});
                    std::string const called =
                        detail::name_in_file(d, prefix, spelling, t, layer, direction, group);
                    std::size_t count = 1;
                    for (std::size_t const extent : shape)
                        count *= extent;
                    if (!to.contains(called)) // of all layers or directions
                        to.add<float>(called, shape, std::vector<float>(count));
                }
            }
}

template <class Convention, class Page>
inline constexpr bool is_of = std::is_same_v<typename Convention::page, Page>;

} // namespace places
