// SPDX-License-Identifier: BSL-1.0
// A reader, fed with any bytes, gives an archive or throws a checkpoint_error, and takes no more memory and
// steps than its budget says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sanitizer/allocator_interface.h>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <span>

namespace held_memory {

inline thread_local std::ptrdiff_t live = 0, highest = 0;
/// All that malloc gives is counted, zlib's memory and that of exceptions too.
inline int const counted = __sanitizer_install_malloc_and_free_hooks(
    [](void const volatile*, std::size_t size) {
        live += static_cast<std::ptrdiff_t>(size);
        highest = std::max(highest, live);
    },
    [](void const volatile* memory) {
        if (memory != nullptr)
            live -=
                static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(const_cast<void const*>(memory)));
    });

} // namespace held_memory

/// What parse(bytes, budget) gives, or nothing where it refuses the bytes.
template <class Parse>
std::optional<sluice::archive> read_within_budget(std::uint8_t const* data, std::size_t size,
                                                  Parse const& parse) {
    auto const bytes = std::as_bytes(std::span(data, size));
    sluice::checkpoint_budget left(size, "'fuzz'");
    std::optional<sluice::archive> read;
    std::ptrdiff_t const before = held_memory::highest = held_memory::live;
    try {
        read = parse(bytes, left);
    } catch (sluice::checkpoint_error const&) {
    }
    auto const taken = static_cast<std::uint64_t>(held_memory::highest - before);
    if (held_memory::counted == 0 || taken + size > left.most_memory() ||
        left.memory() > left.most_memory() || left.steps() > left.most_steps())
        std::abort();
    return read;
}
