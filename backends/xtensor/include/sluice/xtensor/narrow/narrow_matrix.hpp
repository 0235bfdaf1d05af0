// SPDX-License-Identifier: BSL-1.0
// A packed matrix of numbers narrower than a float: bfloat16, or int8 with one scale a column. It lies as
// panels do (xtensor/panels.hpp), in words of 32 bits. A word holds two or four rows of a column:
//
//   bfloat16   word[k / 2][column]    row k in the lower half, row k + 1 in the upper
//   int8       word[k / 4][column]    row k in the lowest byte, row k + 3 in the highest, each as its number
//                                     plus 128;  scale[column]
//
// One load is then as wide as one of floats, and gives two or four rows; each becomes floats by a shift or a
// mask, and by a conversion where it is whole numbers. Rows after the last are zeros.
//
//   W of 3 rows, bfloat16    words [2][columns]:  (w0, w1), (w2, 0)
//
// What is kept of a weight, and what becomes of one that is no number: core/half.hpp, core/int8.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>
#include <sluice/xtensor/panels.hpp>
#include <sluice/xtensor/simd/batches.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace sluice::xtensor {

/// How numbers of type W lie in words: `rows` of a column in each.
///
/// widened<Row, HasRoom, Floats>(words) is row `Row` of them as floats, times `unit` where there is one.
/// HasRoom: registers may hold a constant for it.
template <class W>
struct narrow_words;

template <>
struct narrow_words<bfloat16> {
    static constexpr std::size_t rows = 2;
    static constexpr bool has_scale = false;

    /// The upper half of a float. Without a register to spare for a mask it is moved down and up again, which
    /// a compiler would undo if it saw both.
    template <std::size_t Row, bool HasRoom, class Floats, class Words>
    [[gnu::always_inline]] static Floats widened(Words const& words) {
        if constexpr (Row == 0)
            return (Floats)(words << 16);
#ifdef __AVX2__
        else if constexpr (!HasRoom) {
            Words upper = words >> 16;
            asm("" : "+x"(upper));
            return (Floats)(upper << 16);
        }
#endif
        else
            return (Floats)(words & 0xffff0000u);
    }
    static std::uint32_t word(std::array<float, rows> const& numbers, float) {
        std::uint32_t all = 0;
        for (std::size_t row = 0; row < rows; ++row)
            all |= sluice::detail::bfloat16_of(std::bit_cast<std::uint32_t>(numbers[row])) << (16 * row);
        return all;
    }
};

template <>
struct narrow_words<int8> {
    static constexpr std::size_t rows = 4;
    static constexpr bool has_scale = true;
    static constexpr float unit = 1 << 24;

    /// A byte in the place of the highest, with zeros below it, as a whole number.
    template <std::size_t Row, bool, class Floats, class Words>
    [[gnu::always_inline]] static Floats widened(Words const& words) {
        using whole = detail::whole_vector<float, sizeof(Words) / sizeof(float)>;
        return __builtin_convertvector((whole)highest<Row>(words ^ 0x80808080u), Floats);
    }
    static std::uint32_t word(std::array<float, rows> const& numbers, float scale) {
        std::uint32_t all = 0;
        for (std::size_t row = 0; row < rows; ++row)
            all |= static_cast<std::uint32_t>(static_cast<int>(int8_of(numbers[row], scale)) + 128)
                   << (8 * row);
        return all;
    }

private:
    template <std::size_t Row, class Words>
    [[gnu::always_inline]] static Words highest(Words const& words) {
        if constexpr (Row == 0)
            return words << 24;
        else if constexpr (Row == 3)
            return words & 0xff000000u;
        else
            return moved<Row>(words, std::make_index_sequence<sizeof(Words)>());
    }
    /// A shift and a mask; where the machine moves bytes, one instruction.
    template <std::size_t Row, class Words, std::size_t... Byte>
    [[gnu::always_inline]] static Words moved(Words const& words, std::index_sequence<Byte...>) {
        [[maybe_unused]] constexpr std::size_t size = sizeof(Words);
        using bytes [[maybe_unused]] = typename detail::vector_of<char, size>::type;
#if defined __AVX2__ && defined __clang__
        if constexpr (size >= 32)
            return (Words)__builtin_shufflevector((bytes)words, bytes{},
                                                  (Byte % 4 == 3 ? Byte - 3 + Row : size)...);
        else
#elif defined __AVX2__
        [[maybe_unused]] constexpr auto from = [](std::size_t byte) {
            return static_cast<char>(byte % 4 == 3 ? byte % 16 - 3 + Row : 0x80); // 0x80: a zero
        };
#ifdef __AVX512BW__
        if constexpr (size == 64)
            return (Words)__builtin_ia32_pshufb512_mask((bytes)words, bytes{from(Byte)...}, bytes{}, ~0ull);
        else
#endif
            if constexpr (size == 32)
            return (Words)__builtin_ia32_pshufb256((bytes)words, bytes{from(Byte)...});
        else
#endif
            return (words << (24 - 8 * Row)) & 0xff000000u;
    }
};

/// Of so many floats in a batch, as a packed_matrix.
template <class W, std::size_t Lanes = widest<float>>
class narrow_matrix {
    using words = narrow_words<W>;

public:
    narrow_matrix() = default;
    explicit narrow_matrix(packed_matrix<float, Lanes> const& of);

    panel_places<Lanes> const& places() const { return places_; } ///< of words
    std::uint32_t const* panels(std::size_t group) const { return shared_->panels.data() + group * words_; }
    /// Of each column, as far as the last vector goes; where W has none, nothing.
    float const* scales(std::size_t group) const { return shared_->scales.data() + group * columns_; }

    /// Bytes that it takes.
    std::size_t bytes() const {
        return shared_ == nullptr ? 0 : 4 * (shared_->panels.size() + shared_->scales.size());
    }

private:
    struct numbers {
        aligned_numbers<std::uint32_t> panels;
        aligned_numbers<float> scales;
    };

    panel_places<Lanes> places_{};
    std::size_t words_ = 0;   ///< of a group
    std::size_t columns_ = 0; ///< of a group that have a scale
    std::shared_ptr<numbers const> shared_{};
};

template <class W, std::size_t Lanes>
narrow_matrix<W, Lanes>::narrow_matrix(packed_matrix<float, Lanes> const& of) {
    auto const& [groups, height, width] = of.extents();
    auto const& from = of.places();
    std::size_t const vectors = from.vectors_of(width), high = (height + words::rows - 1) / words::rows;
    places_ = places_.of(high, width);
    words_ = places_.panels_of(width) * places_.next;
    columns_ = words::has_scale ? vectors * Lanes : 0;
    auto made = std::make_shared<numbers>(
        numbers{aligned_numbers<std::uint32_t>(groups * words_), aligned_numbers<float>(groups * columns_)});
    for (std::size_t i = 0; i < groups * vectors * Lanes; ++i) {
        std::size_t const group = i / (vectors * Lanes), column = i % (vectors * Lanes);
        std::size_t const vector = column / Lanes, lane = column % Lanes;
        float const* const w = of.panels(group) + from(vector) + lane;
        [[maybe_unused]] float scale = 0;
        if constexpr (words::has_scale) {
            scale = int8_scale(w, height, from.step);
            made->scales[group * columns_ + column] = scale;
        }
        std::size_t const to = group * words_ + places_(vector) + lane;
        for (std::size_t k = 0; k < high; ++k) {
            std::array<float, words::rows> rows{};
            for (std::size_t row = 0; row < words::rows && k * words::rows + row < height; ++row)
                rows[row] = w[(k * words::rows + row) * from.step];
            made->panels[to + k * places_.step] = words::word(rows, scale);
        }
    }
    shared_ = std::move(made);
}

} // namespace sluice::xtensor
