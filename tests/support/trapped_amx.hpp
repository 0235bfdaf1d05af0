// SPDX-License-Identifier: BSL-1.0
// AMX for machines without it: their processor traps its instructions, and they are done here, as the manual
// says (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: LDTILECFG, TILELOADD,
// TILESTORED, TILEZERO, TILERELEASE, TDPBSUD). So the code that a compiler makes of them runs everywhere.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sluice/xtensor/narrow/amx.hpp>
#if defined __x86_64__ && defined __linux__
#include <ucontext.h>
#endif

namespace support {

#if defined __x86_64__ && defined __linux__

/// Does the instructions as long as it lives, if the machine does not. One at a time, in one thread.
class trapped_amx {
public:
    static constexpr bool is_possible = true;

    trapped_amx() {
        state() = {};
        if (sluice::xtensor::amx::is_there())
            return;
        struct sigaction with {};
        with.sa_sigaction = trap;
        with.sa_flags = SA_SIGINFO;
        sigaction(SIGILL, &with, &before_);
        is_set_ = true;
    }
    ~trapped_amx() {
        if (is_set_)
            sigaction(SIGILL, &before_, nullptr);
    }
    trapped_amx(trapped_amx const&) = delete;
    trapped_amx& operator=(trapped_amx const&) = delete;

    /// How many instructions were done here.
    static std::size_t count() { return state().count; }

private:
    struct registers {
        std::array<std::uint8_t, 64> configuration{};
        std::array<std::array<std::array<std::uint8_t, 64>, 16>, 8> numbers{};
        std::size_t count = 0;

        int rows(int tile) const { return configuration[static_cast<std::size_t>(48 + tile)]; }
        int bytes(int tile) const {
            auto const at = static_cast<std::size_t>(16 + 2 * tile);
            return configuration[at] + 256 * configuration[at + 1];
        }
        std::uint8_t& at(int tile, int row, int byte) {
            return numbers[static_cast<std::size_t>(tile)][static_cast<std::size_t>(row)]
                          [static_cast<std::size_t>(byte)];
        }
    };
    static registers& state() {
        static registers all;
        return all;
    }

    struct sigaction before_ {};
    bool is_set_ = false;

    /// An instruction of the kind that AMX has: three bytes C4, an opcode, a byte of registers, an address.
    struct instruction {
        int opcode, prefix, first, second, third; ///< registers: reg, r/m, vvvv
        bool has_address;
        std::uint64_t base, index; ///< in bytes
        std::size_t length;
    };
    static std::uint64_t general(ucontext_t const& of, int number) {
        constexpr std::array<int, 16> places{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15};
        return static_cast<std::uint64_t>(of.uc_mcontext.gregs[places[static_cast<std::size_t>(number)]]);
    }
    static bool decode(ucontext_t const& of, std::uint8_t const* at, instruction& found) {
        if (at[0] != 0xc4 || (at[1] & 0x1f) != 2 || (at[2] & 0x84) != 0) // 0F38, of 128 bits, W0
            return false;
        int const above = ~at[1], modes = at[4] >> 6;
        int const of_first = (above >> 4) & 8, of_index = (above >> 3) & 8, of_base = (above >> 2) & 8;
        found = {.opcode = at[3],
                 .prefix = at[2] & 3,
                 .first = of_first | ((at[4] >> 3) & 7),
                 .second = of_base | (at[4] & 7),
                 .third = (~at[2] >> 3) & 15,
                 .has_address = modes != 3,
                 .base = 0,
                 .index = 0,
                 .length = 5};
        if (!found.has_address)
            return true;
        int base = found.second;
        if ((base & 7) == 4) { // a byte more: scale, index, base
            std::uint8_t const more = at[found.length++];
            int const index = of_index | ((more >> 3) & 7);
            base = of_base | (more & 7);
            found.index = index == 4 ? 0 : general(of, index) << (more >> 6);
        }
        std::int32_t far = 0;
        bool const is_far = modes == 2 || (modes == 0 && (base & 7) == 5);
        if (modes == 1)
            far = static_cast<std::int8_t>(at[found.length++]);
        else if (is_far) {
            std::memcpy(&far, at + found.length, 4);
            found.length += 4;
        }
        bool const is_of_next = modes == 0 && (found.second & 7) == 5, has_none = modes == 0 && is_far;
        found.base = is_of_next ? reinterpret_cast<std::uint64_t>(at) + found.length
                     : has_none ? 0
                                : general(of, base);
        found.base += static_cast<std::uint64_t>(std::int64_t(far));
        return true;
    }
    static bool run(instruction const& of) {
        enum : int { none, p66, pf3, pf2 };
        registers& all = state();
        auto const at = [&](int row) {
            return reinterpret_cast<std::uint8_t*>(of.base + static_cast<std::uint64_t>(row) * of.index);
        };
        if (of.opcode == 0x49 && of.prefix == none && of.has_address) { // LDTILECFG
            all = {.configuration = {}, .numbers = {}, .count = all.count};
            std::memcpy(all.configuration.data(), at(0), 64);
            for (int tile = 0; tile < 8; ++tile)
                if (all.rows(tile) > 16 || all.bytes(tile) > 64)
                    return false;
            return all.configuration[0] == 1;
        }
        if (of.opcode == 0x49 && of.prefix == none && of.first == 0 && of.second == 0) { // TILERELEASE
            all.configuration = {};
            return true;
        }
        if (all.configuration[0] != 1)
            return false;
        if (of.opcode == 0x49 && of.prefix == pf2 && !of.has_address) // TILEZERO
            all.numbers[static_cast<std::size_t>(of.first)] = {};
        else if (of.opcode == 0x4b && of.prefix == pf2 && of.has_address) { // TILELOADD
            all.numbers[static_cast<std::size_t>(of.first)] = {};
            for (int r = 0; r < all.rows(of.first); ++r)
                std::memcpy(&all.at(of.first, r, 0), at(r), static_cast<std::size_t>(all.bytes(of.first)));
        } else if (of.opcode == 0x4b && of.prefix == pf3 && of.has_address) { // TILESTORED
            for (int r = 0; r < all.rows(of.first); ++r)
                std::memcpy(at(r), &all.at(of.first, r, 0), static_cast<std::size_t>(all.bytes(of.first)));
        } else if (of.opcode == 0x5e && of.prefix == pf3 && !of.has_address) // TDPBSUD
            return multiply_add(of.first, of.second, of.third);
        else
            return false;
        return true;
    }
    static bool multiply_add(int c, int a, int b) {
        registers& all = state();
        if (c == a || c == b || a == b || all.rows(c) != all.rows(a) || all.bytes(c) != all.bytes(b) ||
            all.bytes(a) != 4 * all.rows(b))
            return false;
        for (int r = 0; r < all.rows(c); ++r)
            for (int n = 0; n < all.bytes(c) / 4; ++n) {
                std::int32_t sum = 0;
                std::memcpy(&sum, &all.at(c, r, 4 * n), 4);
                for (int k = 0; k < all.bytes(a); ++k)
                    sum += static_cast<std::int8_t>(all.at(a, r, k)) * all.at(b, k / 4, 4 * n + k % 4);
                std::memcpy(&all.at(c, r, 4 * n), &sum, 4);
            }
        return true;
    }
    static void trap(int signal, siginfo_t*, void* context) {
        auto& of = *static_cast<ucontext_t*>(context);
        auto& next = of.uc_mcontext.gregs[REG_RIP];
        instruction found{};
        if (decode(of, reinterpret_cast<std::uint8_t const*>(next), found) && run(found)) {
            next += static_cast<greg_t>(found.length);
            ++state().count;
        } else
            std::signal(signal, SIG_DFL); // and it comes again
    }
};

#else

struct trapped_amx {
    static constexpr bool is_possible = false;
    static std::size_t count() { return 0; }
};

#endif

} // namespace support
