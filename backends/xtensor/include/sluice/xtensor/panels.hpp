// SPDX-License-Identifier: BSL-1.0
// A matrix that is packed to be multiplied with many times: a panel for each vector of columns, in which the
// rows follow each other without a gap.
//
//   panel[p][k][lane] = W[k, p * lanes + lane], zero behind the last column        lanes: of a SIMD vector
//
// Each group has panels of its own. Rows of a part are rows of its panels; columns of a part are whole panels,
// and lanes of those at its two ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <sluice/lower/kernels.hpp>
#include <sluice/xtensor/simd.hpp>
#include <vector>

namespace sluice::xtensor {

/// Numbers that begin with a line of the cache.
template <class S>
using aligned_numbers = std::vector<S, xsimd::aligned_allocator<S, 64>>;

/// Puts W[rows, columns], whose number (k, c) is from[k * row + c * column], into panels `next` numbers apart. What is
/// behind the last column stays as it is.
template <class S>
void fill_panels(std::size_t rows, std::size_t columns, S const* from, std::size_t row, std::size_t column,
                 S* panels, std::size_t next) {
    constexpr std::size_t lanes = simd<S>::lanes;
    for (std::size_t first = 0; first < columns; first += lanes, panels += next) {
        std::size_t const count = std::min(lanes, columns - first);
        if (count == lanes && column == 1) {
            for (std::size_t k = 0; k < rows; ++k)
                simd<S>::store(simd<S>::load(from + k * row + first), panels + k * lanes);
            continue;
        }
        for (std::size_t k = 0; k < rows; ++k) {
            S* const to = panels + k * lanes;
            for (std::size_t c = 0; c < count; ++c)
                to[c] = from[k * row + (first + c) * column];
        }
    }
}

template <class S>
class packed_matrix {
public:
    packed_matrix() = default;
    /// Of the [groups, rows, columns] of a matrix, or of their transposes.
    packed_matrix(matrix_extents const& e, S const* values, bool transposed);

    /// Numbers from one panel to the next.
    std::size_t next() const { return next_; }
    S const* panel(std::size_t group, std::size_t p) const {
        return shared_->panels.data() + (group * per_group_ + p) * next_;
    }
    /// Whether the panels from there on are to be visited from the last to the first: at every second call, so that
    /// those that were used last, which the caches still have, are the first.
    bool turn(std::size_t group, std::size_t p) const {
        auto& last = shared_->is_backward[group * per_group_ + p];
        bool const now = !last.load(std::memory_order_relaxed);
        last.store(now, std::memory_order_relaxed);
        return now;
    }

private:
    static constexpr std::size_t lanes = simd<S>::lanes;
    struct numbers {
        aligned_numbers<S> panels;
        std::vector<std::atomic<bool>> is_backward;
        numbers(std::size_t count, std::size_t size) : panels(count * size), is_backward(count) {}
    };

    matrix_extents extents_{};
    std::size_t per_group_ = 0, next_ = 0;
    std::shared_ptr<numbers> shared_{}; ///< copies have the same
};

template <class S>
packed_matrix<S>::packed_matrix(matrix_extents const& e, S const* values, bool transposed)
    : extents_(transposed ? matrix_extents{e.groups, e.columns, e.rows} : e),
      per_group_((extents_.columns + lanes - 1) / lanes), next_(extents_.rows * lanes),
      shared_(std::make_shared<numbers>(extents_.groups * per_group_, next_)) {
    for (std::size_t g = 0; g < extents_.groups; ++g)
        fill_panels(extents_.rows, extents_.columns, values + g * e.rows * e.columns,
                    transposed ? 1 : e.columns, transposed ? e.columns : 1,
                    shared_->panels.data() + g * per_group_ * next_, next_);
}

} // namespace sluice::xtensor
