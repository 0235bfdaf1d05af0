// SPDX-License-Identifier: BSL-1.0
// Opt-in: the planned lowering with narrow weights, for inference: steps, streams and sequences.
//
//   sluice::cell<sluice::gru, sluice::xtensor::weights<sluice::bfloat16>> small(sizes);
//   sluice::cell<sluice::gru, sluice::xtensor::weights<sluice::int8>> smaller(sizes);
//   sluice::copy_parameters(trained, small);
//
// A step of one row is as fast as its weights are read. In bfloat16 they are half of the bytes, in int8 a
// quarter. Only what products multiply with is narrow: inputs, states, sums, gates and vectors such as biases
// are floats, and so are the cell's parameters, which are rounded where products read them. How far its
// outputs are from those of floats is `quantisation_error` (check/quantisation_error.hpp).
//
// Of a cell of the GRU of 3 inputs and 5 units, W and R are narrow, of [3, 15] and [5, 15], each with 15
// scales in int8; b is not.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <sluice/xtensor/narrow/amx.hpp>
#include <sluice/xtensor/narrow/amx_tiles.hpp>
#include <sluice/xtensor/narrow/byte_tiles.hpp>
#include <sluice/xtensor/narrow/narrow_matrix.hpp>
#include <sluice/xtensor/narrow/narrow_tiles.hpp>
#include <sluice/xtensor/product.hpp>
#include <span>
#include <type_traits>

namespace sluice::xtensor {

namespace detail {

/// Whether a product of bytes is done in registers of AMX.
template <class Format>
bool takes_amx(std::size_t m, std::size_t n, std::size_t k) {
    return amx_tiles<Format>::are_known && amx_tiles<Format>::are_for(m, n, k) && amx::is_there();
}

/// A product with int8 weights: rows that have digits by tiles of bytes, and others as floats.
template <class Format, class Tiles = byte_tiles<Format>>
void multiply_bytes(std::size_t m, std::size_t n, std::size_t k, float const* a, std::size_t lda,
                    narrow_matrix<int8> const& w, matrix_part const& part, float* c, std::size_t ldc,
                    bool add) {
    constexpr std::size_t most = 64; ///< rows at a time
    std::size_t const before = part.row % 4,
                      size = digits_of_row<Format>::count * digits_of_row<Format>::words_of(before, k);
    std::uint32_t* const words = room_for<std::uint32_t>((std::min(m, most) + Tiles::rows_after) * size);
    std::array<digits_of_row<Format>, most> rows;
    [[maybe_unused]] typename Tiles::session const session{};
    for (std::size_t r = 0; r < m;) {
        std::size_t count = 0;
        std::uint32_t largest = 0;
        while (r + count < m && count < most && k <= Tiles::most_rows_of_w &&
               digits_of_row<Format>::can_write(k, a + (r + count) * lda, largest)) {
            rows[count] =
                digits_of_row<Format>::write(before, k, a + (r + count) * lda, largest, words + count * size);
            ++count;
        }
        if (count > 0)
            multiply_panels<Tiles>(count, n, k, {rows.data()}, w, part, c + r * ldc, ldc, add, {});
        else
            multiply_panels<narrow_tiles<int8>>(count = 1, n, k, {a + r * lda, lda, 1}, w, part, c + r * ldc,
                                                ldc, add, {});
        r += count;
    }
}

} // namespace detail

/// The kernels of the planned lowering, with narrow matrices.
template <class W, class Format = machine_digits>
struct narrow_kernels : kernels {
    template <class S>
    using matrix = narrow_matrix<W>;

    template <class S>
    static matrix<S> pack(matrix_extents const& extents, S const* values, bool transposed) {
        return matrix<S>(kernels::pack<S>(extents, values, transposed));
    }
    template <class S>
    static matrix<S> pack(matrix_extents const& extents, std::span<matrix_columns<S> const> parts,
                          bool transposed) {
        return matrix<S>(kernels::pack<S>(extents, parts, transposed));
    }
    static void product(std::size_t m, std::size_t n, std::size_t k, float const* a, std::size_t lda,
                        narrow_matrix<W> const& w, matrix_part const& part, float* c, std::size_t ldc,
                        bool add) {
        if constexpr (std::same_as<W, int8> && Format::digits > 0) {
            if constexpr (amx_tiles<Format>::are_known)
                if (detail::takes_amx<Format>(m, n, k))
                    return detail::multiply_bytes<Format, amx_tiles<Format>>(m, n, k, a, lda, w, part, c, ldc,
                                                                             add);
            detail::multiply_bytes<Format>(m, n, k, a, lda, w, part, c, ldc, add);
        } else
            detail::multiply_panels<narrow_tiles<W>>(m, n, k, {a, lda, 1}, w, part, c, ldc, add, {});
    }
    // Those of floats, which steps of constant sizes would take.
    template <std::size_t N, std::size_t K, std::size_t Row, std::size_t Column, class S>
    static void product_of_row(S const*, narrow_matrix<W> const&, S*, bool, bool = false) = delete;
    template <class Step, class Frame>
    static void step_of_row(Frame const&) = delete;
};

/// Weights that are kept as a bfloat16 or an int8.
template <class W>
struct weights {
    static constexpr bool is_narrow = std::same_as<W, bfloat16> || std::same_as<W, int8>;
    template <class Equations, class S>
    struct lowering
        : plan_lowering<
              Equations, S,
              std::conditional_t<is_narrow && std::same_as<S, float>, narrow_kernels<W>, no_kernels>> {
        static_assert(is_narrow,
                      "sluice: xtensor::weights expects sluice::bfloat16 or sluice::int8 as the type "
                      "in which weights are kept, but is given another");
        static_assert(std::same_as<S, float>,
                      "sluice: xtensor::weights computes in float, but the scalar of the cell is another; "
                      "leave the scalar out, or use the default backend");
        static constexpr bool has_gradient = false; ///< rounded weights have none of their own
    };
};

} // namespace sluice::xtensor
