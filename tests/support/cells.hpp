// SPDX-License-Identifier: BSL-1.0
// Every cell that the suites run over, in sizes that are odd, unequal and no multiples of a SIMD width, with
// random parameters. `make<double, sluice::xtensor::planned>()` gives the cell.
#pragma once

#include <mgu/mgu.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
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

/// A page in these sizes.
template <class Page, sluice::sizes Sizes = sluice::sizes{.input = 3, .units = 7}>
struct sized {
    template <class S, class Backend>
    static auto make(sluice::sizes const& n = Sizes) {
        sluice::cell<Page, S, Backend> cell(n);
        cell.visit_tensors([](std::string_view, auto shape, auto values) {
            if (shape.empty()) // a setting
                values[0] = typename decltype(values)::value_type(0.75f);
        });
        return randomized(std::move(cell));
    }
    /// The sizes around so many units and inputs, which are rounded up to fill the groups.
    static sluice::sizes around(std::size_t units, std::size_t input) {
        std::size_t const groups = std::max<std::size_t>(1, Sizes.groups);
        auto const whole = [&](std::size_t columns) { return (columns + groups - 1) / groups * groups; };
        sluice::sizes n = Sizes;
        n.units = whole(units);
        n.input = whole(input);
        if (Sizes.projection != 0)
            n.projection = whole((units + 1) / 2);
        return n;
    }
};

using gru = sized<sluice::gru>;
using relu_gru = sized<sluice::gru_with<sluice::activation::relu>>;
using softplus_gru = sized<sluice::gru_with<sluice::activation::softplus>>;
using cudnn_gru = sized<sluice::cudnn_gru>;
using tanh_rnn = sized<sluice::tanh_rnn>;
using relu_rnn = sized<sluice::relu_rnn>;
using canonical_gru = sized<sluice::canonical_gru>;
using canonical_relu_rnn = sized<sluice::canonical_relu_rnn>;

inline constexpr sluice::sizes projecting{.input = 3, .units = 7, .projection = 5};
using lstm = sized<sluice::lstm>;
using peephole_lstm = sized<sluice::peephole_lstm>;
using projected_lstm = sized<sluice::projected_lstm, projecting>;
using canonical_lstm = sized<sluice::canonical_lstm>;
using canonical_projected_lstm = sized<sluice::canonical_projected_lstm, projecting>;
using full_lstm = sized<sluice::lstm_with<sluice::activation::tanh, true, true>, projecting>;

using glstm = sized<sluice::glstm, sluice::sizes{.input = 6, .units = 9, .groups = 3}>;
using projected_glstm = sized<sluice::glstm_with<sluice::activation::softplus, true>,
                              sluice::sizes{.input = 6, .units = 9, .projection = 3, .groups = 3}>;

using dense = sized<sluice::dense, sluice::sizes{.input = 5, .units = 3}>;
using mgu = sized<::mgu>;
using traced = sized<own_cells::traced, own_cells::extents>;

/// A cell, the scalar and the backend that runs it.
template <class Which, class S, class Backend>
struct subject {
    using scalar = S;
    using in_double = subject<Which, double, Backend>;
    static auto make() { return Which::template make<S, Backend>(); }
    static auto make(std::size_t units, std::size_t input) {
        return Which::template make<S, Backend>(Which::around(units, input));
    }
};
template <class Which, class S = double>
using planned = subject<Which, S, sluice::xtensor::planned>;
template <class Which, class S = double>
using reference = subject<Which, S, sluice::xtensor::reference>;

} // namespace support
