// SPDX-License-Identifier: BSL-1.0
// The registers of AMX: what is loaded is stored, and products of bytes are the sums over all 64, with a sign
// on the left side and none on the right. On machines without them the instructions are trapped.
#include <sluice/xtensor/narrow/amx.hpp>

#include <doctest/doctest.h>
#include <random>
#include <string>
#include <support/trapped_amx.hpp>
#include <type_traits>
#include <vector>

namespace amx_test {

using sluice::xtensor::amx;

static_assert(!std::is_copy_constructible_v<amx> && !std::is_copy_assignable_v<amx>);
static_assert(amx::rows == 16 && amx::words == 16);

namespace {

/// Rows of 16 words, each `step` words after the one before.
struct numbers {
    std::size_t step;
    std::vector<std::uint32_t> words;

    numbers(std::size_t far, std::mt19937& from) : step(far), words(16 * far) {
        for (auto& word : words)
            word = static_cast<std::uint32_t>(from());
    }
    int byte(std::size_t row, std::size_t i) const {
        return static_cast<int>(words[row * step + i / 4] >> (8 * (i % 4)) & 0xff);
    }
};

} // namespace

TEST_CASE("amx: a register is multiplied with another, bytes with a sign by bytes without one") {
    if constexpr (support::trapped_amx::is_possible) {
        support::trapped_amx const machine;
        MESSAGE(std::string(amx::is_there() ? "this machine has them" : "they are trapped"));
        std::mt19937 from(3);
        numbers const a(21, from), b(35, from);
        std::vector<std::int32_t> c(17 * 16, 77), twice(16 * 16);
        {
            amx const registers;
            amx::clear<5>();
            amx::load<2>(a.words.data(), a.step);
            amx::load<1>(b.words.data(), b.step);
            amx::multiply_add<5, 2, 1>();
            amx::store<5>(c.data());
            amx::multiply_add<5, 2, 1>();
            amx::store<5>(twice.data());
        }
        for (std::size_t r = 0; r < 16; ++r)
            for (std::size_t n = 0; n < 16; ++n) {
                std::int32_t sum = 0;
                for (std::size_t k = 0; k < 64; ++k) {
                    int const x = a.byte(r, k);
                    sum += (x < 128 ? x : x - 256) * b.byte(k / 4, 4 * n + k % 4);
                }
                CHECK(c[r * 16 + n] == sum);
                CHECK(twice[r * 16 + n] == 2 * sum);
            }
        CHECK(c[16 * 16] == 77);
        CHECK((amx::is_there() || machine.count() == 9));
    } else
        MESSAGE("this machine has no such instructions");
}

TEST_CASE("amx: a thread's registers are zeros when they are asked for again") {
    if constexpr (support::trapped_amx::is_possible) {
        support::trapped_amx const machine;
        std::vector<std::uint32_t> const ones(16 * 16, 1);
        std::vector<std::int32_t> c(16 * 16, 77);
        {
            amx const registers;
            amx::load<0>(ones.data(), 16);
        }
        amx const registers;
        amx::store<0>(c.data());
        CHECK(c == std::vector<std::int32_t>(16 * 16));
    } else
        MESSAGE("this machine has no such instructions");
}

} // namespace amx_test
