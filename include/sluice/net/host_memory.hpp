// SPDX-License-Identifier: BSL-1.0
// The host's memory as nets (net/net.hpp) use it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/reverse.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

template <class S, class Kernels>
struct host_memory {
    using scalar = S;
    using kernels = Kernels;
    using tensor = xt::xtensor<S, 3>;
    using ends = std::vector<std::size_t>;
    struct mask {}; ///< it is drawn again

    static tensor make(std::size_t steps, std::size_t batch, std::size_t width) {
        return tensor::from_shape({steps, batch, width});
    }
    static tensor send(tensor given) { return given; }
    static ends ends_of(std::vector<std::size_t> const& lengths) { return lengths; }

    static void clear(std::size_t rows, std::size_t width, S* to, std::size_t row) {
        for (std::size_t r = 0; r < rows; ++r)
            std::fill_n(to + r * row, width, S(0));
    }
    static void copy(std::size_t rows, std::size_t width, S const* from, std::size_t from_row, S* to,
                     std::size_t to_row) {
        for (std::size_t r = 0; r < rows; ++r)
            std::copy_n(from + r * from_row, width, to + r * to_row);
    }
    /// to += from
    static void add(std::size_t count, S const* from, S* to) {
        for (std::size_t i = 0; i < count; ++i)
            to[i] = rounded<S>(widened(to[i]) + widened(from[i]));
    }
    /// Each row of `to` becomes `from`.
    static void repeat(std::size_t rows, std::size_t width, S const* from, S* to) {
        for (std::size_t r = 0; r < rows; ++r)
            std::copy_n(from, width, to + r * width);
    }
    /// to += the sum of all rows, in double.
    static void add_rows(std::size_t rows, std::size_t width, S const* from, S* to) {
        for (std::size_t k = 0; k < width; ++k) {
            double sum = in_double(to[k]);
            for (std::size_t r = 0; r < rows; ++r)
                sum += in_double(from[r * width + k]);
            to[k] = rounded<S>(sum);
        }
    }
    static void reverse(std::size_t steps, std::size_t batch, std::size_t width, S const* from,
                        std::size_t from_row, S* to, std::size_t to_row, ends const& lengths) {
        detail::reverse_in_time(steps, batch, width, from, from_row, to, to_row, lengths);
    }
    static void spread(tensor const& from, tensor& to) { to = xt::broadcast(from, to.shape()); }

    static mask drop(dropout const& how, std::uint64_t draw, std::size_t first_row, tensor& values) {
        values = how(std::move(values), draw, first_row);
        return {};
    }
    static void drop_again(dropout const& how, std::uint64_t draw, std::size_t first_row, mask const&,
                           tensor& gradients) {
        gradients = how(std::move(gradients), draw, first_row);
    }
};

} // namespace sluice
