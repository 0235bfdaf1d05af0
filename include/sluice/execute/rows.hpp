// SPDX-License-Identifier: BSL-1.0
// Which rows of a batch run at which time steps, and where they restart.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice {

/// A mask [time, batch]: true where a row restarts before a step. It is made of any expression of that
/// rank and of bool; by default there is none. Throws `std::invalid_argument` for another rank.
class reset_mask {
public:
    using value_type = bool;

    reset_mask() = default;
    template <class E>
    reset_mask(xt::xexpression<E> const& mask) {
        constexpr bool is_mask = std::is_same_v<typename E::value_type, bool>;
        static_assert(is_mask,
                      "sluice: resets are a mask of bool; a comparison makes one of numbers: done > 0");
        static_assert(detail::may_have_rank<E, 2>,
                      "sluice: resets are a mask of shape [time, batch], of rank 2");
        auto const& values = mask.derived_cast();
        if (values.dimension() != 2)
            fail<std::invalid_argument>({"resets are a mask of shape [time, batch], but got one of shape ",
                                         detail::extents_in(values.shape())});
        detail::require_numbers("the mask of resets", values);
        if constexpr (is_mask && detail::may_have_rank<E, 2>) { // otherwise it is refused above
            xt::xtensor<bool, 2> const all = values;
            shape_ = {all.shape()[0], all.shape()[1]};
            values_ = all.storage();
        }
    }

    bool is_none() const { return shape_[0] == 0 && shape_[1] == 0; }
    /// Throws `std::invalid_argument` unless there is none, or one of this shape.
    void require_shape(std::string_view who, std::size_t steps, std::size_t batch) const {
        if (is_none())
            return;
        detail::require_same_shape(who, "resets", std::array{steps, batch}, shape_);
        detail::require_numbers("the mask of resets", *this);
    }
    std::array<std::size_t, 2> const& shape() const { return shape_; }
    std::size_t size() const { return values_.size(); }
    std::span<bool const> values() const { return {values_.data(), values_.size()}; }

private:
    // Not a tensor, which every file would compile.
    std::array<std::size_t, 2> shape_{};
    xt::uvector<bool> values_{};
};

/// The rows of a batch over time.
struct row_times {
    std::size_t batch = 0;                  ///< from a row of the mask to the next
    std::span<std::size_t const> lengths{}; ///< of each row, or none: all are full
    std::span<bool const> resets{};         ///< [time, batch], or none
    bool continues = false; ///< step 0 follows other steps, and rows may restart before it too

    bool runs(std::size_t t, std::size_t row) const { return lengths.empty() || t < lengths[row]; }
    /// f(first, last) for rows of so many that run in step t and lie side by side.
    template <class F>
    void for_running(std::size_t t, std::size_t rows, F f) const {
        for (std::size_t first = 0, last = 0; first < rows; first = last + 1) {
            for (last = first; last < rows && runs(t, last);)
                ++last;
            if (last > first)
                f(first, last);
        }
    }
    /// Whether the states of a row are set back before step t. Before the first step they are what they are
    /// set to.
    bool starts_anew(std::size_t t, std::size_t row) const {
        return !resets.empty() && (t > 0 || continues) && resets[t * batch + row] && runs(t, row);
    }
};

/// The rows of a batch over time, with memory of their own.
class kept_rows {
public:
    explicit kept_rows(row_times const& rows)
        : batch_(rows.batch), lengths_(rows.lengths.begin(), rows.lengths.end()),
          resets_(rows.resets.size()) {
        std::copy_n(rows.resets.data(), resets_.size(), resets_.data());
    }
    /// As long as this lives.
    row_times rows() const { return {batch_, lengths_, {resets_.data(), resets_.size()}}; }

private:
    std::size_t batch_;
    std::vector<std::size_t> lengths_;
    xt::uvector<bool> resets_;
};

} // namespace sluice
