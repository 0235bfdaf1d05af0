// SPDX-License-Identifier: BSL-1.0
// Layers of cells, one after the other, each in one direction or two: what a layer gives is, of both directions
// side by side, what the next one is given. The reverse direction runs over a sequence whose steps are flipped
// within its length, and its outputs are flipped back.
#pragma once

#include <algorithm>
#include <sluice/sluice.hpp>
#include <utility>
#include <vector>

namespace reference {

/// Each row's steps in the opposite order; those behind its length stay. No lengths: all steps count.
template <class S>
xt::xtensor<S, 3> flipped(xt::xtensor<S, 3> const& sequence, std::vector<std::size_t> const& lengths) {
    auto result = sequence;
    auto const [steps, batch, width] = sequence.shape();
    for (std::size_t r = 0; r < batch; ++r) {
        std::size_t const length = lengths.empty() ? steps : lengths[r];
        for (std::size_t t = 0; t < length; ++t)
            for (std::size_t i = 0; i < width; ++i)
                result(t, r, i) = sequence(length - 1 - t, r, i);
    }
    return result;
}

/// Features [first, first + width).
template <class S>
xt::xtensor<S, 3> features(xt::xtensor<S, 3> const& all, std::size_t first, std::size_t width) {
    return xt::view(all, xt::all(), xt::all(), xt::range(first, first + width));
}

template <class Cell>
class by_hand {
    using S = typename Cell::scalar_type;

public:
    using sequence = xt::xtensor<S, 3>;
    using state = typename Cell::state_type;
    using lengths = std::vector<std::size_t>;

    /// Of every layer and direction, in the order layer * directions + direction, as the states below.
    by_hand(std::vector<Cell> cells, std::vector<bool> reversed)
        : cells_(std::move(cells)), reversed_(std::move(reversed)) {}

    std::vector<Cell> const& cells() const { return cells_; }

    struct run {
        sequence outputs{};
        std::vector<state> last{};
        lengths ends{};
        std::vector<sluice::unrolled<Cell>> tapes{};
    };
    run unroll(sequence xs, std::vector<state> const& first, lengths const& ends) const {
        run result{.ends = ends};
        for (std::size_t row = 0; row < cells_.size(); row += reversed_.size()) {
            std::vector<sequence> sides;
            for (std::size_t d = 0; d < reversed_.size(); ++d) {
                auto one =
                    sluice::unroll(cells_[row + d], turned(xs, d, ends), first[row + d], {.lengths = ends});
                result.last.push_back(one.state);
                sides.push_back(turned(one.outputs, d, ends));
                result.tapes.push_back(std::move(one));
            }
            xs = sides.size() == 1 ? sides[0] : sequence(xt::concatenate(xt::xtuple(sides[0], sides[1]), 2));
        }
        result.outputs = xs;
        return result;
    }

    struct gradients {
        sequence inputs{};
        std::vector<state> first{};
        std::vector<typename Cell::parameters_type> parameters{};
    };
    gradients backward(run const& of, sequence dys, std::vector<state> const& dlast) const {
        gradients result{.first = dlast,
                         .parameters = std::vector<typename Cell::parameters_type>(cells_.size())};
        for (std::size_t row = cells_.size(); row > 0;) {
            row -= reversed_.size();
            sequence dxs;
            for (std::size_t d = 0; d < reversed_.size(); ++d) {
                std::size_t const width = cells_[row + d].output_size();
                auto one =
                    sluice::backward(cells_[row + d], of.tapes[row + d],
                                     turned(features(dys, d * width, width), d, of.ends), dlast[row + d]);
                sequence const back = turned(one.inputs, d, of.ends);
                dxs = d == 0 ? back : sequence(dxs + back);
                result.first[row + d] = std::move(one.state);
                result.parameters[row + d] = std::move(one.parameters);
            }
            dys = dxs;
        }
        result.inputs = dys;
        return result;
    }

private:
    std::vector<Cell> cells_;
    std::vector<bool> reversed_; ///< of each direction

    sequence turned(sequence const& steps, std::size_t direction, lengths const& ends) const {
        return reversed_[direction] ? flipped(steps, ends) : steps;
    }
};

} // namespace reference
