// SPDX-License-Identifier: BSL-1.0
// The buffer of cuDNN's layers: its size, where each region lies, and the conversions to tensors and back.
#pragma once

#include <limits>
#include <sequence/cudnn.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <support/both.hpp>

namespace cudnn_test {

using sluice::direction;
using sluice::input_mode;

/// Where a parameter of a layer lies if all matrices come first, as constants of the page.
template <class Page>
constexpr std::size_t offset(std::string_view called, sluice::sizes const& n) {
    std::size_t at = 0;
    for (bool const matrices : {true, false})
        for (sluice::parameter_entry const& p : sluice::passes<Page>::parameters) {
            if ((p.rank == 2) != matrices)
                continue;
            if (p.called.view() == called)
                return at;
            auto const extents = p.extents(n);
            at += extents[0] * extents[1] * extents[2];
        }
    return std::numeric_limits<std::size_t>::max();
}
/// Where a parameter lies in the buffer.
template <class Net>
std::size_t place(Net const& net, std::string_view called) {
    auto const& array = net.parameters().array();
    return array.places()[array.place_of(called)].first;
}

/// The sizes of layers in one direction and in both.
struct row {
    std::size_t layers, units, input;
    std::size_t forward, both;
};

template <class Net>
std::size_t size(row const& r, direction way, input_mode mode = input_mode::linear_input) {
    sluice::canonical_initial_values const zeros{.kernel_initializer = sluice::init::zeros{}};
    Net const net({.num_layers = r.layers,
                   .num_units = r.units,
                   .input_size = r.input,
                   .input_mode = mode,
                   .direction = way},
                  {}, zeros);
    CHECK(net.parameter_count() == net.params_size());
    return net.params_size();
}
template <class Net>
void are_sizes(std::initializer_list<row> rows, input_mode mode = input_mode::linear_input) {
    for (row const& r : rows) {
        CAPTURE(r.layers);
        CAPTURE(r.units);
        CAPTURE(r.input);
        CHECK(size<Net>(r, direction::unidirectional, mode) == r.forward);
        CHECK(size<Net>(r, direction::bidirectional, mode) == r.both);
    }
}

template <class Net>
void conversions_are_inverse(sluice::cudnn_options const& options) {
    CAPTURE(name_of(options.direction));
    CAPTURE(name_of(options.input_mode));
    CAPTURE(Net::rnn_mode());
    using scalar = typename Net::scalar_type;
    Net net(options);
    std::vector<scalar> params(net.params_size());
    for (std::size_t i = 0; i < params.size(); ++i)
        params[i] = static_cast<scalar>(i + 1);
    auto const canonical = net.params_to_canonical(params);
    CHECK(net.canonical_to_params(canonical) == params);

    // the tensors are the regions, in order, row by row: layer, direction, W before R; then the biases
    scalar next = 1;
    std::size_t const each = canonical.weights.size() / (net.num_layers() * net.directions());
    for (std::size_t k = 0; k < canonical.weights.size(); ++k) {
        auto const& w = canonical.weights[k];
        std::size_t const layer = k / each / net.directions();
        bool const of_input = k % each < each / 2;
        std::size_t const in = !of_input   ? options.num_units
                               : layer > 0 ? net.directions() * options.num_units
                               : net.input_mode() == input_mode::skip_input ? 0
                                                                            : options.input_size;
        CHECK(w.shape() == std::array<std::size_t, 2>{options.num_units, in});
        for (scalar const value : w)
            CHECK(value == next++);
    }
    CHECK(canonical.biases.size() == canonical.weights.size());
    for (auto const& b : canonical.biases) {
        CHECK(b.shape() == std::array<std::size_t, 1>{options.num_units});
        for (scalar const value : b)
            CHECK(value == next++);
    }
    CHECK(static_cast<std::size_t>(next) == params.size() + 1);
}

/// In all directions and modes of input.
template <class Net>
void all_conversions_are_inverse() {
    for (auto const way : both_ways) {
        conversions_are_inverse<Net>({.num_layers = 3, .num_units = 2, .input_size = 5, .direction = way});
        conversions_are_inverse<Net>({.num_layers = 2,
                                      .num_units = 3,
                                      .input_size = 3,
                                      .input_mode = input_mode::skip_input,
                                      .direction = way});
        conversions_are_inverse<Net>({.num_layers = 1,
                                      .num_units = 3,
                                      .input_size = 3,
                                      .input_mode = input_mode::auto_select,
                                      .direction = way});
    }
}

} // namespace cudnn_test
