// SPDX-License-Identifier: BSL-1.0
// A layer: the same page in one direction or in both, over whole sequences.
//
//   unidirectional   y_t = forward cell of x_0 .. x_t                       [time, batch, output]
//   reversed         y_t = backward cell of x_(end) .. x_t
//   bidirectional    y_t = [forward y_t, backward y_t]                      [time, batch, 2 output]
//
// The reverse direction of a sequence begins at its own end: with lengths, row b at lengths[b] - 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/lower/stack_options.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/layer_inputs.hpp>
#include <sluice/sequence/unroll.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice {

namespace detail {

/// Row b of [time, batch, features], of which the first lengths[b] steps come in reverse order; its own
/// inverse.
template <class S>
xt::xtensor<S, 3> reverse_in_time(xt::xtensor<S, 3> const& values, std::span<std::size_t const> lengths) {
    auto const [steps, batch, width] = values.shape();
    auto result = xt::xtensor<S, 3>::from_shape(values.shape());
    for (std::size_t t = 0; t < steps; ++t)
        for (std::size_t b = 0; b < batch; ++b) {
            std::size_t const end = lengths.empty() ? steps : lengths[b];
            std::size_t const from = t < end ? end - 1 - t : t;
            std::copy_n(values.data() + (from * batch + b) * width, width,
                        result.data() + (t * batch + b) * width);
        }
    return result;
}

/// The options of the same sequences in reverse order: a row that starts anew before step t does so, on its
/// way back, before step t - 1.
inline unroll_options reversed(unroll_options const& options, std::size_t steps, std::size_t batch) {
    if (options.resets.is_none())
        return options;
    auto const resets = options.resets.values();
    xt::xtensor<bool, 2> back = xt::zeros<bool>({steps, batch});
    for (std::size_t b = 0; b < batch; ++b) {
        std::size_t const end = options.lengths.empty() ? steps : options.lengths[b];
        for (std::size_t t = 1; t < end; ++t)
            back(end - t, b) = resets[t * batch + b];
    }
    return {.lengths = options.lengths, .resets = back};
}

/// Copies the features of `from` from the first one on to those of `to`, as many as both have.
template <class S>
void copy_features(xt::xtensor<S, 3> const& from, std::size_t first_from, xt::xtensor<S, 3>& to,
                   std::size_t first_to) {
    std::size_t const wide = from.shape()[2], into = to.shape()[2];
    std::size_t const width = std::min(wide - first_from, into - first_to);
    std::size_t const rows = from.shape()[0] * from.shape()[1];
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(from.data() + r * wide + first_from, width, to.data() + r * into + first_to);
}

/// sum += more, of the same shape.
template <class Sum, class More>
void add_to(Sum& sum, More const& more) {
    using scalar = typename Sum::value_type;
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum.data()[i] = rounded<scalar>(widened(sum.data()[i]) + widened(more.data()[i]));
}

} // namespace detail

template <any_cell Cell>
class layer {
    using tensor = xt::xtensor<typename Cell::scalar_type, 3>;

public:
    using cell_type = Cell;

    layer(direction way, std::vector<Cell> cells) : way_(way), cells_(std::move(cells)) {}

    /// Of each direction, forward first.
    std::vector<Cell>& cells() { return cells_; }
    std::vector<Cell> const& cells() const { return cells_; }
    std::size_t input_size() const {
        using page = typename Cell::page_type;
        return input_width<page>(detail::read_input<page>(), cells_.front().extents());
    }
    std::size_t output_size() const { return cells_.size() * cells_.front().output_size(); }

    /// The outputs, where f(direction, xs, options) gives those of one direction, in the order of its steps.
    template <class F>
    tensor run(tensor xs, unroll_options const& options, F const& f) const {
        if (cells_.size() == 1)
            return is_reversed(0) ? run_reversed(0, xs, options, f) : f(0, std::move(xs), options);
        auto const forward = f(0, xs, options);
        auto const back = run_reversed(1, xs, options, f);
        auto ys = tensor::from_shape({forward.shape()[0], forward.shape()[1], output_size()});
        detail::copy_features(forward, 0, ys, 0);
        detail::copy_features(back, 0, ys, forward.shape()[2]);
        return ys;
    }

    /// The gradient of the input, where f(direction, gradient of its outputs) gives that of one direction, or
    /// an empty one, in the order of its steps.
    template <class F>
    tensor backward(tensor const& dys, std::span<std::size_t const> lengths, F const& f) const {
        if (cells_.size() == 1)
            return is_reversed(0) ? backward_reversed(0, dys, lengths, f) : f(0, dys);
        auto part = tensor::from_shape({dys.shape()[0], dys.shape()[1], cells_[0].output_size()});
        detail::copy_features(dys, 0, part, 0);
        auto dxs = f(0, part);
        detail::copy_features(dys, cells_[0].output_size(), part, 0);
        auto const more = backward_reversed(1, part, lengths, f);
        detail::add_to(dxs, more);
        return dxs;
    }

private:
    direction way_;
    std::vector<Cell> cells_;

    bool is_reversed(std::size_t d) const { return way_ == direction::reversed || d == 1; }

    template <class F>
    tensor run_reversed(std::size_t d, tensor const& xs, unroll_options const& options, F const& f) const {
        return detail::reverse_in_time(f(d, detail::reverse_in_time(xs, options.lengths),
                                         detail::reversed(options, xs.shape()[0], xs.shape()[1])),
                                       options.lengths);
    }
    template <class F>
    tensor backward_reversed(std::size_t d, tensor const& dys, std::span<std::size_t const> lengths,
                             F const& f) const {
        tensor const dxs = f(d, detail::reverse_in_time(dys, lengths));
        return dxs.size() == 0 ? dxs : detail::reverse_in_time(dxs, lengths);
    }
};

} // namespace sluice
