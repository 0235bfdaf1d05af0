// SPDX-License-Identifier: BSL-1.0
// What cuDNN's RNN is asked to be, layers of one of its cells, and where its weights lie; the parameters
// of an accepted cell as cuDNN's, and cuDNN's gradients as those of the cell.
//
//   cuDNN's W_f = - W_i^T,  b_f = b + forget_bias, ...      a linear map: what is no parameter is 0
//   gradient of W_i = - (that of W_f)^T, ...                its transpose
//
// The map is a list of blocks, mapped_block, which cudnn/rnn/resident_weights.hpp goes through on the
// device.
//
// A pseudo-layer is one direction of one layer, number layer x directions + direction. Its parameters lie
// in the weight space where `weight_places` says, by cuDNN's linLayerID: for a GRU W of the reset gate,
// the update gate, the candidate are 0, 1, 2, and their R 3, 4, 5; for an LSTM W of the input gate, the
// forget gate, the new input, the output gate are 0 to 3, R 4 to 7, the projection 8; a plain RNN has W 0
// and R 1. W is [hidden, input], R [hidden, projection], the projection [projection, hidden], row by row;
// the bias of each number is [hidden].
#pragma once

#include <array>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/cudnn/rnn/accepted.hpp>
#include <sluice/net/lowering.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cudnn {

constexpr std::string_view name_of(rnn_mode m) {
    constexpr std::string_view words[] = {"relu RNN", "tanh RNN", "LSTM", "GRU"};
    return words[static_cast<int>(m)];
}
/// How many W, and how many R, a pseudo-layer has.
constexpr std::size_t gates_of(rnn_mode m) {
    return cell_form{.mode = m}.gates();
}

struct rnn_shape {
    rnn_mode mode = rnn_mode::gru;
    std::size_t layers = 1;
    bool bidirectional = false;
    bool skips_input = false;
    std::size_t input = 0;
    std::size_t units = 0;
    std::size_t projection = 0; ///< the width of h: as many as units where nothing is projected
    double dropout = 0;         ///< rate between layers

    std::size_t directions() const { return bidirectional ? 2 : 1; }
    std::size_t pseudo_layers() const { return layers * directions(); }
    std::size_t output() const { return directions() * projection; }
    bool is_projected() const { return projection != units; }
    bool has_cell_state() const { return mode == rnn_mode::lstm; }
    /// The width of what a layer reads.
    std::size_t input_of(std::size_t layer) const { return layer == 0 ? input : output(); }

    friend bool operator==(rnn_shape const&, rnn_shape const&) = default;
};

/// "2 layers of GRU, bidirectional, input 40, units 128, dropout 0.2"
inline std::string in_words(rnn_shape const& s) {
    std::string text;
    append({s.layers, s.layers == 1 ? " layer of " : " layers of ", name_of(s.mode),
            s.bidirectional ? ", bidirectional" : "", ", input ", s.input, s.skips_input ? " (skipped)" : "",
            ", units ", s.units},
           text);
    if (s.is_projected())
        append({", projection ", s.projection}, text);
    if (s.dropout > 0 && s.layers > 1)
        append({", dropout ", s.dropout}, text);
    return text;
}

/// Where a pseudo-layer's parameters begin, in numbers from the beginning of the weight space, by linLayerID.
struct weight_places {
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);
    static constexpr std::size_t most = 9;
    std::array<std::size_t, most> matrices{}; ///< `absent` for those that the layer does not have
    std::array<std::size_t, most> biases{};
};

struct weight_layout {
    std::vector<weight_places> layers{}; ///< of each pseudo-layer
    std::size_t size = 0;                ///< numbers of all
};

/// The layout with two biases a gate. All matrices come first: W, R and the projection of each pseudo-layer.
/// All biases follow: b_W and b_R of each.
inline weight_layout layout_of(rnn_shape const& s) {
    weight_layout all;
    std::size_t const gates = gates_of(s.mode);
    auto const take = [&](std::size_t& place, std::size_t count) {
        place = all.size;
        all.size += count;
    };
    for (std::size_t l = 0; l < s.layers; ++l)
        for (std::size_t d = 0; d < s.directions(); ++d) {
            weight_places at;
            at.matrices.fill(weight_places::absent);
            at.biases.fill(weight_places::absent);
            for (std::size_t k = 0; k < gates && !(l == 0 && s.skips_input); ++k)
                take(at.matrices[k], s.units * s.input_of(l));
            for (std::size_t k = gates; k < 2 * gates; ++k)
                take(at.matrices[k], s.units * s.projection);
            if (s.is_projected())
                take(at.matrices[2 * gates], s.projection * s.units);
            all.layers.push_back(at);
        }
    for (weight_places& at : all.layers)
        for (std::size_t k = 0; k < 2 * gates; ++k)
            take(at.biases[k], s.units);
    return all;
}

namespace detail {

/// What the maps below read of an accepted page.
struct layer_mapping {
    cell_form form{};
    view<match_term> terms{};
    normal_form_view const* widths = nullptr;
    view<parameter_entry> canonical{}, given{};
};

template <class Page>
layer_mapping mapping_of() {
    static_assert(accepts<Page>(), "sluice: only the parameters of a page that cuDNN accepts are mapped; "
                                   "sluice::cudnn::why_not<page>() says why it does not");
    using seen = recognised<Page>;
    return {seen::form, seen::found::value.terms, &normal_form_of<passes<Page>>::value,
            passes<typename seen::target>::parameters, passes<Page>::parameters};
}

/// One of cuDNN's parameters in the weight space, [rows, columns].
struct canonical_place {
    std::size_t first, rows, columns;
};
inline canonical_place place_in(layer_mapping const& map, int number, sizes const& n,
                                weight_places const& at) {
    layer_sizes const layer = map.form.sizes_for(n);
    parameter_entry const& e = map.canonical[number];
    auto const [groups, rows, columns] =
        e.extents({.input = layer.input, .units = layer.hidden, .projection = layer.projection});
    std::size_t id = map.form.skips_input && e.rank == 2 ? map.form.gates() : 0;
    for (int k = 0; k < number; ++k)
        id += map.canonical[k].rank == e.rank;
    return {e.rank == 2 ? at.matrices[id] : at.biases[id], rows, columns};
}

template <class A>
A factor_of(match_term const& t, std::vector<A> const& settings) {
    double factor = t.factor;
    for (int k = 0; k < t.count; ++k) {
        bool const inverse = t.of[k] < 0;
        double const s = settings[static_cast<std::size_t>(inverse ? -1 - t.of[k] : t.of[k])];
        factor *= inverse ? 1 / s : s;
    }
    return static_cast<A>(factor);
}

/// Throws `std::invalid_argument` unless all of cuDNN's parameters lie among so many numbers.
inline void require_room(layer_mapping const& map, sizes const& n, weight_places const& at,
                         std::size_t numbers) {
    for (int p = 0; p < map.canonical.size(); ++p) {
        canonical_place const to = place_in(map, p, n, at);
        if (to.first > numbers || to.rows * to.columns > numbers - to.first)
            fail<std::invalid_argument>({"a parameter of ", to.rows, " x ", to.columns,
                                         " numbers is to lie from number ", to.first,
                                         " of cuDNN's weights on, which are ", numbers});
    }
}

/// Where numbers [rows, columns] lie in an array.
struct strided_place {
    std::size_t first = 0, row = 0, column = 0;

    std::size_t at(std::size_t r, std::size_t c) const { return first + r * row + c * column; }
    friend bool operator==(strided_place const&, strided_place const&) = default;
};

/// A term of the map: numbers [rows, columns] of a cell's parameter, each at its place in the array of all,
/// and those of cuDNN's, each at its place in the weight space, that they are added to.
struct mapped_block {
    std::size_t rows = 0, columns = 0;
    strided_place given{}, canonical{};
    double factor = 1;
    bool is_constant = false; ///< the factor itself, of no parameter
    bool is_trained = false;
};

/// The map of a layer and direction. Throws `std::invalid_argument` where cuDNN's numbers do not lie among so
/// many, or the parameters do not have what it wants of them.
template <class A>
std::vector<mapped_block> blocks_of(layer_mapping const& map, sizes const& n, std::vector<A> const& settings,
                                    std::span<tensor_place const> places, weight_places const& at,
                                    std::size_t numbers) {
    require_room(map, n, at, numbers);
    std::vector<mapped_block> all;
    for (match_term const& t : map.terms) {
        canonical_place const to = place_in(map, t.to, n, at);
        mapped_block made{.rows = t.transposed ? to.columns : to.rows,
                          .columns = t.transposed ? to.rows : to.columns,
                          .factor = static_cast<double>(factor_of(t, settings)),
                          .is_constant = t.from < 0};
        made.canonical = {to.first, t.transposed ? 1 : to.columns, t.transposed ? to.columns : 1};
        if (t.from >= 0) {
            tensor_place const& place = places[static_cast<std::size_t>(t.from)];
            made.is_trained = map.given[t.from].trained;
            made.given.first = place.first;
            if (!t.everywhere) {
                std::size_t const row = t.rows.from < 0 ? 0 : extent(graph_width{map.widths, t.rows.from}, n);
                std::size_t const column =
                    t.columns.from < 0 ? 0 : extent(graph_width{map.widths, t.columns.from}, n);
                if (row + made.rows > place.extents[1] || column + made.columns > place.extents[2])
                    fail<std::invalid_argument>({"the parameter ", place.called, " of shape ", place.shape(),
                                                 " gives cuDNN ", made.rows, " x ", made.columns,
                                                 " numbers from row ", row, ", column ", column,
                                                 " on, which it does not have"});
                made.given = {place.first + row * place.extents[2] + column, place.extents[2], 1};
            }
        }
        all.push_back(made);
    }
    return all;
}

} // namespace detail

/// The map of one layer and direction as blocks of numbers; `numbers` are those of the weight space.
template <class Page, class A>
std::vector<detail::mapped_block> blocks_of(sizes const& n, std::vector<A> const& settings,
                                            std::span<tensor_place const> places, weight_places const& at,
                                            std::size_t numbers) {
    return detail::blocks_of(detail::mapping_of<Page>(), n, settings, places, at, numbers);
}

} // namespace sluice::cudnn
