// SPDX-License-Identifier: BSL-1.0
// Tiles of int8 weights in the registers of AMX: every one of them gives the same numbers, to the bit, as
// byte_tiles do row by row, from whatever row of a word on. On machines without them the instructions are
// trapped.
#include <sluice/xtensor/narrow/amx_tiles.hpp>

#include <doctest/doctest.h>
#include <random>
#include <span>
#include <support/trapped_amx.hpp>
#include <vector>

namespace amx_tiles_test {

using namespace sluice::xtensor;
using size = std::size_t;
using support::trapped_amx;

namespace {

constexpr bool are_tested = trapped_amx::is_possible && amx_tiles<>::are_known;

/// Rows of A in digits, with room for those after the last, and a matrix W.
struct operands {
    static constexpr size lanes = simd<float>::lanes, columns = 3 * lanes;
    using digits = digits_of_row<>;

    size k;
    std::vector<std::uint32_t> words;
    std::vector<digits> all;
    narrow_matrix<sluice::int8> w;

    /// From row `first` of W on.
    operands(size rows, size count, size first, std::mt19937& from) : k(count) {
        std::uniform_real_distribution<float> number(-1, 1);
        std::vector<float> values((first + k) * columns), row(k);
        for (float& one : values)
            one = number(from);
        sluice::matrix_columns<float> const whole{values.data(), columns};
        w = narrow_matrix<sluice::int8>(
            packed_matrix<float>({1, first + k, columns}, std::span(&whole, 1), false));
        size const of_row = digits::count * digits::words_of(first % 4, k);
        words.resize((rows + amx_tiles<>::rows_after) * of_row,
                     0x85a3c1ffu); // which is read, and comes to nothing
        for (size r = 0; r < rows; ++r) {
            for (float& one : row)
                one = number(from) * 3;
            std::uint32_t largest = 0;
            REQUIRE(digits::can_write(k, row.data(), largest));
            all.push_back(digits::write(first % 4, k, row.data(), largest, words.data() + r * of_row));
        }
    }
};

/// Whether a tile of so many rows and vectors has the numbers of tiles of one row and one vector.
template <class Tiles>
bool is_same(size high, size wide, size vector, operands const& of, size first, bool add) {
    using ones = byte_tiles<>;
    auto const source = ones::source_of(of.w, 0, first);
    size const ldc = wide * of.lanes + 5;
    std::vector<float> c(high * ldc, 0.5f), same = c;
    for (size r = 0; r < high; ++r)
        for (size v = 0; v < wide; ++v)
            ones::of(1, 1)(of.k, {of.all.data() + r}, source.from(vector + v, 0),
                           same.data() + r * ldc + v * of.lanes, ldc, add);
    {
        amx const registers;
        Tiles::of(high, wide)(of.k, {of.all.data()}, source.from(vector, 0), c.data(), ldc, add);
    }
    return c == same;
}

} // namespace

TEST_CASE_TEMPLATE("amx_tiles: every tile has the sums of digits, to the bit", Format, machine_digits) {
    if constexpr (are_tested) {
        trapped_amx const machine;
        std::mt19937 from(5);
        for (size const k : {64u, 65u, 100u, 128u, 203u})
            for (size first = 0; first < 4; ++first)
                for (size const high : {1u, 2u, 7u, 15u, 16u}) {
                    operands const of(high, k, first, from);
                    CAPTURE(k);
                    CAPTURE(first);
                    CAPTURE(high);
                    CHECK(is_same<amx_tiles<Format>>(high, 1, 0, of, first, first % 2 == 1));
                    CHECK(is_same<amx_tiles<Format>>(high, 1, 1, of, first, first % 2 == 0));
                    CHECK(is_same<amx_tiles<Format>>(high, 2, 0, of, first, first % 2 == 1));
                    CHECK(is_same<amx_tiles<Format>>(high, 2, 1, of, first, first % 2 == 0));
                }
        CHECK((amx::is_there() || machine.count() > 10'000));
    } else
        MESSAGE("this machine's digits are not those of AMX");
}

TEST_CASE_TEMPLATE("amx_tiles: there is one for all rows and vectors that a product asks for", Format,
                   machine_digits) {
    if constexpr (are_tested)
        for (size high = 1; high <= 16; ++high)
            for (size left = 1; left < 5; ++left)
                CHECK((amx_tiles<Format>::of(high, amx_tiles<Format>::width(high, left)) != nullptr));
    CHECK_FALSE(amx_tiles<Format>::are_for(7, 4096, 4096));
    CHECK_FALSE(amx_tiles<Format>::are_for(4096, 4096, 63));
    CHECK_FALSE(amx_tiles<Format>::are_for(8, 64, 64));
    CHECK(amx_tiles<Format>::are_for(16, 768, 256));
}

} // namespace amx_tiles_test
