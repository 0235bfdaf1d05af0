// SPDX-License-Identifier: BSL-1.0
// A checkpoint of numbers that safetensors is told no element type for.
// expect: sluice: a checkpoint holds float, double, half, bfloat16, std::int64_t, std::uint64_t, and scalars that have an element type of safetensors; give yours one
#include <cstdint>
#include <sluice/checkpoint/checkpoint.hpp>

struct brain16 {
    std::uint16_t bits = 0;
};
#ifdef ACCEPT
template <>
inline constexpr std::optional<sluice::dtype> sluice::dtype_entry<brain16> = sluice::dtype::bf16;
#endif

struct numbers {
    brain16 one{};

    template <class F>
    void visit_tensors(F&& f) const {
        f(std::string_view("one"), std::span<std::size_t const>(), std::span<brain16 const>(&one, 1));
    }
    template <class F>
    void visit_tensors(F&& f) {
        f(std::string_view("one"), std::span<std::size_t const>(), std::span<brain16>(&one, 1));
    }
};

void store_all(sluice::archive& a, numbers const& n) {
    sluice::store(a, n);
}
