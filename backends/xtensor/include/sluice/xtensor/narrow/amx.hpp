// SPDX-License-Identifier: BSL-1.0
// AMX: eight registers, each of 16 rows of 64 bytes, and an instruction that multiplies two of them.
//
//   C[r, n] += sum over j, i of A[r, 4 j + i] B[j, 4 n + i]        r, n, j < 16;  i < 4
//
// A is bytes with a sign, B bytes without one, C whole numbers of 32 bits. A row of B is therefore 16 words
// of narrow_matrix.hpp, and 16 of its rows are 64 rows of a matrix of int8. (Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, chapter 18, and TDPBSUD in volume 2.)
//
// The system keeps room for these registers only if a program asks for it: is_there() asks. The instructions
// are written for the assembler: no option of the compiler is needed, and a program for AVX-512 uses them on
// every machine that has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#if defined __x86_64__ && defined __linux__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sluice::xtensor {

/// As long as an object of this class lives, its thread has the registers, of 16 rows of 64 bytes each.
class amx {
public:
    static constexpr std::size_t rows = 16, words = 16; ///< of a register

    /// Whether the processor has them, and the system lets this program use them.
    static bool is_there() {
        static bool const found = ask();
        return found;
    }

#if defined __x86_64__ && defined __linux__
    amx() {
        struct alignas(64) { // rows of so many bytes, so many rows, for each register; the rest are zeros
            std::uint8_t palette = 1, first_row = 0;
            std::array<std::uint8_t, 14> unused{};
            std::array<std::uint16_t, 16> row{64, 64, 64, 64, 64, 64, 64, 64};
            std::array<std::uint8_t, 16> count{16, 16, 16, 16, 16, 16, 16, 16};
        } const all;
        static_assert(sizeof(all) == 64);
        asm volatile("ldtilecfg\t%0" : : "m"(all) : "memory");
    }
    ~amx() {
        asm volatile("tilerelease" : : : "memory");
    }

    template <int T>
    static void clear() {
        asm volatile("tilezero\t%%tmm%c0" : : "i"(T));
    }
    /// Its rows, each `step` words after the one before.
    template <int T>
    static void load(std::uint32_t const* from, std::size_t step) {
        asm volatile("tileloadd\t(%0,%1,1), %%tmm%c2" : : "r"(from), "r"(4 * step), "i"(T) : "memory");
    }
    template <int T>
    static void store(std::int32_t* to) {
        asm volatile("tilestored\t%%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(4 * words), "i"(T) : "memory");
    }
    /// C += A B.
    template <int C, int A, int B>
    static void multiply_add() {
        asm volatile("tdpbsud\t%%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
    }
#else // never run
    amx() = default;
    template <int>
    static void clear() {}
    template <int>
    static void load(std::uint32_t const*, std::size_t) {}
    template <int>
    static void store(std::int32_t*) {}
    template <int, int, int>
    static void multiply_add() {}
#endif
    amx(amx const&) = delete;
    amx& operator=(amx const&) = delete;

private:
    static bool ask() {
#if defined __x86_64__ && defined __linux__
        constexpr unsigned has_tiles = 1u << 24, has_bytes = 1u << 25; // of EDX of leaf 7
        constexpr long request_permission = 0x1023, tile_data = 18;    // of arch_prctl
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & has_tiles) != 0 && (d & has_bytes) != 0 &&
               syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
        return false;
#endif
    }
};

} // namespace sluice::xtensor
