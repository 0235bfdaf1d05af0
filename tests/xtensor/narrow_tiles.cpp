// SPDX-License-Identifier: BSL-1.0
// Tiles of narrow weights: there is one for all that a product asks for, and every one of them gives the same
// numbers, to the bit, as the smallest, from whatever row of a word on; those are the sums, in double.
#include <sluice/xtensor/narrow/byte_tiles.hpp>
#include <sluice/xtensor/narrow/narrow_tiles.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <random>
#include <span>
#include <vector>

namespace narrow_tiles_test {

using sluice::bfloat16;
using sluice::int8;
using namespace sluice::xtensor;
using size = std::size_t;

namespace {

constexpr size lanes = simd<float>::lanes, columns = 9 * lanes, rows = 9;

/// A few rows, and weights that are kept as a W.
template <class W>
struct operands {
    size k, gap = 3;
    std::vector<float> a, numbers;
    narrow_matrix<W> w;

    explicit operands(size all, std::mt19937& from) : k(all), a(rows * (all + 3)), numbers(all * columns) {
        std::uniform_real_distribution<float> number(-1, 1);
        for (float& one : a)
            one = number(from);
        for (float& one : numbers)
            one = number(from);
        sluice::matrix_columns<float> const whole{numbers.data(), columns};
        w = narrow_matrix<W>(packed_matrix<float>({1, all, columns}, std::span(&whole, 1), false));
        for (size column = 0; column < columns; ++column) { // as they are kept
            float const scale = sluice::int8_scale(numbers.data() + column, all, columns);
            for (size i = 0; i < all; ++i) {
                float& one = numbers[i * columns + column];
                if constexpr (std::is_same_v<W, int8>)
                    one = sluice::int8_value(sluice::int8_of(one, scale), scale);
                else
                    one = static_cast<float>(bfloat16(one));
            }
        }
    }
};

/// A tile of floats, or of digits, on the rows of operands from row `first` of W on.
template <class W>
void run(typename narrow_tiles<W>::function tile, operands<W> const& of, size high, size vector, size first,
         float* c, size ldc, bool add) {
    (void)high;
    auto const source = narrow_tiles<W>::source_of(of.w, 0, first);
    tile(of.k - first, {of.a.data() + first, of.k + of.gap, 1}, source.from(vector, 0), c, ldc, add);
}
template <class Format>
void run_bytes(typename byte_tiles<Format>::function tile, operands<int8> const& of, size high, size vector,
               size first, float* c, size ldc, bool add) {
    using digits = digits_of_row<Format>;
    size const count = of.k - first;
    std::vector<std::vector<std::uint32_t>> words;
    std::vector<digits> all;
    for (size r = 0; r < high; ++r) {
        float const* const x = of.a.data() + r * (of.k + of.gap) + first;
        words.emplace_back(digits::count * digits::words_of(first % 4, count) + 1);
        std::uint32_t largest = 0;
        REQUIRE(digits::can_write(count, x, largest));
        all.push_back(digits::write(first % 4, count, x, largest, words.back().data()));
    }
    auto const source = byte_tiles<Format>::source_of(of.w, 0, first);
    tile(count, {all.data()}, source.from(vector, 0), c, ldc, add);
}

template <class Tiles>
bool has_all() {
    for (size left = 1; left <= 24; ++left)
        for (size m = 1; m < 100; ++m) {
            size const count = (m + Tiles::most_rows - 1) / Tiles::most_rows, high = (m + count - 1) / count;
            if (Tiles::of(m / count, Tiles::width(high, left)) == nullptr ||
                Tiles::of(high, Tiles::width(high, left)) == nullptr)
                return false;
        }
    for (size vectors = 1; vectors <= Tiles::most_of_row; ++vectors)
        if (Tiles::of_row(vectors) == nullptr)
            return false;
    return true;
}

template <class Tiles, class W, class Run>
void check_all(double fineness, Run run_tile) {
    CHECK(has_all<Tiles>());
    std::mt19937 from(11);
    for (size const k : {1u, 2u, 3u, 5u, 8u, 21u})
        for (size first = 0; first < std::min(k, size(5)); ++first)
            for (bool const add : {false, true}) {
                operands<W> const of(k, from);
                std::vector<float> one(rows * columns, 0.5f);
                for (size r = 0; r < Tiles::most_rows; ++r)
                    for (size vector = 0; vector < 9; ++vector) {
                        operands<W> row = of;
                        std::copy_n(of.a.data() + r * (k + of.gap), k, row.a.data());
                        run_tile(Tiles::of(1, 1), row, size(1), vector, first,
                                 one.data() + r * columns + vector * lanes, columns, add);
                    }
                double worst = 0;
                for (size r = 0; r < Tiles::most_rows; ++r)
                    for (size column = 0; column < columns; ++column) {
                        double sum = add ? 0.5 : 0, all = 1;
                        for (size i = first; i < k; ++i) {
                            sum += static_cast<double>(of.a[r * (k + of.gap) + i]) *
                                   static_cast<double>(of.numbers[i * columns + column]);
                            all += std::abs(static_cast<double>(of.numbers[i * columns + column]));
                        }
                        worst = std::max(
                            worst, std::abs(sum - static_cast<double>(one[r * columns + column])) / all);
                    }
                CAPTURE(k);
                CAPTURE(first);
                CHECK(worst < fineness);
                for (size high = 1; high <= Tiles::most_rows; ++high)
                    for (size wide = 1; wide <= Tiles::most_vectors; ++wide)
                        if (auto const tile = Tiles::of(high, wide))
                            for (size const vector : {size(0), size(1)}) {
                                std::vector<float> c(high * columns, 0.5f), same = c;
                                for (size r = 0; r < high; ++r)
                                    std::copy_n(one.data() + r * columns + vector * lanes, wide * lanes,
                                                same.data() + r * columns);
                                run_tile(tile, of, high, vector, first, c.data(), columns, add);
                                CAPTURE(high);
                                CAPTURE(wide);
                                CHECK(c == same);
                            }
            }
}

} // namespace

TEST_CASE_TEMPLATE("narrow_tiles: every tile has the sums, the same to the bit", W, bfloat16, int8) {
    check_all<narrow_tiles<W>, W>(1e-6, [](auto... all) { run<W>(all...); });
}

TEST_CASE("byte_tiles: every tile has the sums of digits, the same to the bit") {
    if constexpr (machine_digits::digits > 0) {
        double const unit = std::exp2(-machine_digits::bits);
        check_all<byte_tiles<>, int8>(unit + 1e-6, [](auto... all) { run_bytes<machine_digits>(all...); });
    } else
        MESSAGE("this machine multiplies no bytes");
}

} // namespace narrow_tiles_test
