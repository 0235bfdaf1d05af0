// SPDX-License-Identifier: BSL-1.0
// What cuDNN's RNN is asked to be: layers of one of its cells. A pseudo-layer is one direction of one layer,
// number layer x directions + direction.
#pragma once

#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/cudnn/rnn/canonical.hpp>
#include <string>
#include <string_view>

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

/// Where its weights lie.
inline weight_layout layout_of(rnn_shape const& s) {
    return dense_layout({.mode = s.mode, .skips_input = s.skips_input, .projects = s.is_projected()},
                        {s.input, s.units, s.projection}, s.layers, s.directions());
}

} // namespace sluice::cudnn
