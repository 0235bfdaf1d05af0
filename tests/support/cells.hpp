// SPDX-License-Identifier: BSL-1.0
// Every cell that the suites run over, in sizes that are odd, unequal and no multiples of a SIMD width, with
// random parameters. `make<double, sluice::xtensor::planned>()` gives the cell.
#pragma once

#include <mgu/mgu.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>

namespace support {

template <class Cell>
Cell randomized(Cell cell) {
    randomize(cell);
    return cell;
}

template <class Activation>
struct gru_with {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::gru<S, Activation, Backend>({.input = 3, .num_units = 7}));
    }
};
using gru = gru_with<sluice::activation::tanh>;
using relu_gru = gru_with<sluice::activation::relu>;
using softplus_gru = gru_with<sluice::activation::softplus>;

struct cudnn_gru {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::cudnn_gru<S, Backend>({.input = 3, .num_units = 7}));
    }
};

template <sluice::lstm_features With>
struct lstm_with {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::lstm<S, sluice::activation::tanh, With, Backend>(
            {.input = 3, .num_units = 7, .num_proj = With.projection ? 5u : 0u, .forget_bias = 0.5}));
    }
};
using lstm = lstm_with<sluice::lstm_features{}>;
using peephole_lstm = lstm_with<sluice::lstm_features{.peepholes = true}>;
using projected_lstm = lstm_with<sluice::lstm_features{.projection = true}>;
using full_lstm = lstm_with<sluice::lstm_features{.peepholes = true, .projection = true}>;

struct glstm {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::glstm<S, sluice::activation::tanh, false, Backend>(
            {.input = 6, .num_units = 9, .number_of_groups = 3, .forget_bias = 0.5}));
    }
};
struct projected_glstm {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::glstm<S, sluice::activation::softplus, true, Backend>(
            {.input = 6, .num_units = 9, .num_proj = 3, .number_of_groups = 3}));
    }
};

struct dense {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::dense<S, Backend>({.input = 5, .num_units = 3}));
    }
};

struct mgu {
    template <class S, class Backend>
    static auto make() {
        return randomized(sluice::cell<::mgu::equations, S, Backend>({.input = 3, .units = 7}));
    }
};
struct traced {
    template <class S, class Backend>
    static auto make() {
        sluice::cell<own_cells::equations, S, Backend> cell(own_cells::extents);
        cell.set_setting(sluice::key<"leak">{}, S(own_cells::leak));
        return randomized(std::move(cell));
    }
};

/// A cell, the scalar and the backend that runs it.
template <class Which, class S, class Backend>
struct subject {
    using scalar = S;
    using in_double = subject<Which, double, Backend>;
    static auto make() { return Which::template make<S, Backend>(); }
};
template <class Which, class S = double>
using planned = subject<Which, S, sluice::xtensor::planned>;
template <class Which, class S = double>
using reference = subject<Which, S, sluice::xtensor::reference>;

} // namespace support
