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

/// f(number of a, number of b) for features [first, first + width of b) of a, and all of b.
template <class A, class B, class F>
void with_features(A& a, std::size_t first, B& b, F f) {
    auto const [steps, batch, width] = b.shape();
    for (std::size_t t = 0; t < steps; ++t)
        for (std::size_t r = 0; r < batch; ++r)
            for (std::size_t i = 0; i < width; ++i)
                f(a(t, r, first + i), b(t, r, i));
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
            std::size_t const width = cells_[row].output_size();
            sequence both({xs.shape()[0], xs.shape()[1], reversed_.size() * width});
            for (std::size_t d = 0; d < reversed_.size(); ++d) {
                auto one =
                    sluice::unroll(cells_[row + d], turned(xs, d, ends), first[row + d], {.lengths = ends});
                result.last.push_back(one.state);
                auto const side = turned(one.outputs, d, ends);
                with_features(both, d * width, side, [](S& to, S from) { to = from; });
                result.tapes.push_back(std::move(one));
            }
            xs = std::move(both);
        }
        result.outputs = std::move(xs);
        return result;
    }

    struct gradients {
        sequence inputs{};
        std::vector<state> first{};
        std::vector<typename Cell::parameters_type> parameters{};
    };
    gradients backward(run const& of, sequence dys, std::vector<state> const& dlast) const {
        gradients result{.first = dlast};
        result.parameters.resize(cells_.size());
        for (std::size_t row = cells_.size(); row > 0;) {
            row -= reversed_.size();
            std::size_t const width = cells_[row].output_size();
            sequence dxs;
            for (std::size_t d = 0; d < reversed_.size(); ++d) {
                sequence side({dys.shape()[0], dys.shape()[1], width});
                with_features(dys, d * width, side, [](S from, S& to) { to = from; });
                auto one = sluice::backward(cells_[row + d], of.tapes[row + d], turned(side, d, of.ends),
                                            dlast[row + d]);
                auto const back = turned(one.inputs, d, of.ends);
                if (d == 0)
                    dxs = back;
                else
                    with_features(dxs, 0, back, [](S& to, S from) { to += from; });
                result.first[row + d] = std::move(one.state);
                result.parameters[row + d] = std::move(one.parameters);
            }
            dys = std::move(dxs);
        }
        result.inputs = std::move(dys);
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
