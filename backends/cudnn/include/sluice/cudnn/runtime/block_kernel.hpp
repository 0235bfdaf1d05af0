// SPDX-License-Identifier: BSL-1.0
// Kernels that were compiled, and how those of blocks are launched.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sluice/backend/loop_frame.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/cudnn/runtime/compile.hpp>
#include <sluice/cudnn/runtime/queue.hpp>
#include <sluice/source/loop_source.hpp>
#include <span>

namespace sluice::cudnn::detail {

/// A kernel and what its text says of itself. Those that are no blocks have no layout.
struct block_kernel {
    source_layout layout{};
    cudaKernel_t scalar = nullptr, packed = nullptr;
};

/// Kernels by the address that stands for their text, and the device.
class known_kernels {
public:
    static known_kernels& all() {
        static known_kernels known;
        return known;
    }
    /// `source()` gives the text where it is not yet known.
    template <class Source>
    block_kernel const& find(void const* key, device_facts const& device, Source source,
                             char const* name = "block_scalar") {
        std::lock_guard const lock(mutex_);
        auto& found = all_[{key, device.number}];
        if (!found)
            found = load(source(), device, name);
        return *found;
    }

private:
    static std::unique_ptr<block_kernel> load(printed_kernel const& printed, device_facts const& device,
                                              char const* name) {
        cudaLibrary_t const library = loaded_kernels::all().load(printed.text, device);
        auto made = std::make_unique<block_kernel>();
        made->layout = printed.layout;
        made->scalar = loaded_kernels::kernel(library, name);
        if (printed.layout.packs > 1)
            made->packed = loaded_kernels::kernel(library, "block_packed");
        return made;
    }

    std::mutex mutex_{};
    std::map<std::pair<void const*, int>, std::unique_ptr<block_kernel>> all_{};
};

/// Starts the kernel `name` of a text that is no block; `key` is an address that stands for both.
template <class Source>
void start(queue& q, void const* key, Source source, char const* name, dim3 grid, dim3 block,
           std::span<std::uint64_t const> argument) {
    launch_command next;
    next.kernel = known_kernels::all()
                      .find(
                          key, q.device,
                          [&] {
                              return printed_kernel{source(), {}};
                          },
                          name)
                      .scalar;
    next.grid = grid;
    next.block = block;
    q.submit(next, argument);
}

inline std::uint64_t word_of(void const* address) {
    return std::bit_cast<std::uintptr_t>(address);
}
/// The next power of two, `most` at most.
inline unsigned power_of_two(std::size_t at_least, unsigned most) {
    unsigned found = 1;
    while (found < at_least && found < most)
        found *= 2;
    return found;
}
/// So many blocks of a grid as parts of `size` make up `count`.
inline unsigned parts_of(std::size_t count, std::size_t size) {
    std::size_t const parts = count / size + (count % size != 0);
    if (parts > 0x7fffffff)
        fail<std::invalid_argument>(
            {"a kernel on a CUDA device expects at most 2^31 - 1 blocks of threads, but ", count,
             " rows ask for more; run shorter sequences or smaller batches"});
    return static_cast<unsigned>(parts);
}

/// Appends numbers without a gap.
template <class Number, class Of>
void add_numbers(std::vector<std::uint64_t>& words, std::size_t count, Of number_of) {
    std::size_t const first = words.size();
    words.insert(words.end(), (count * sizeof(Number) + 7) / 8, std::uint64_t(0));
    for (std::size_t i = 0; i < count; ++i) {
        Number const one = number_of(i);
        std::memcpy(reinterpret_cast<char*>(&words[first]) + i * sizeof(Number), &one, sizeof(Number));
    }
}
inline void require_argument(std::vector<std::uint64_t> const& words) {
    if (words.size() * 8 > 32764)
        fail<std::invalid_argument>({"a kernel on a CUDA device takes at most 32764 bytes of arguments, and "
                                     "a block of these equations has ",
                                     words.size() * 8,
                                     "; write them with fewer lines that depend on each other"});
}
/// A grid of threads for rows and columns: `threads` for each piece of a row.
inline void cover(launch_command& next, std::size_t rows, std::size_t columns, std::size_t piece,
                  std::size_t threads) {
    unsigned const across = power_of_two(threads, 128);
    std::size_t const pieces = piece == 0 || columns == 0 ? 1 : columns / piece; // no grid may be empty
    next.block = dim3(across, 128 / across);
    next.grid = dim3(parts_of(rows, next.block.y), std::max(1u, parts_of(threads, across)),
                     static_cast<unsigned>(std::min<std::size_t>(pieces, 65535)));
    if (next.grid.y > 65535)
        fail<std::invalid_argument>({"a kernel on a CUDA device expects rows of at most ", 65535 * 128,
                                     " columns, but got ", columns});
}

/// The argument of a block's kernel, as source_layout describes it.
template <class S>
std::vector<std::uint64_t> argument_of(source_layout const& layout, block_frame<S> const& f) {
    using number = arithmetic_of<S>;
    std::size_t const loads = static_cast<std::size_t>(layout.loads);
    std::vector<std::uint64_t> words;
    words.reserve(4 * (loads + static_cast<std::size_t>(layout.stores)) + 4 + layout.counts.size() + loads);
    auto const add = [&](typename block_frame<S>::operand const& o) {
        words.insert(words.end(), {word_of(o.data), o.row, o.width, o.group});
    };
    std::for_each(f.loads, f.loads + layout.loads, add);
    std::for_each(f.stores, f.stores + layout.stores, add);
    words.insert(words.end(), {f.rows, f.columns, f.piece});
    if (layout.has_matrices)
        words.insert(words.end(), {f.matrices.groups, f.matrices.rows, f.matrices.columns});
    for (int const i : layout.counts)
        words.push_back(f.counts[i]);
    if (layout.has_numbers)
        add_numbers<number>(words, loads, [&](std::size_t i) { return f.loads[i].number; });
    require_argument(words);
    return words;
}

/// Runs a block. `wide_load(i)` and `wide_store(i)` say which operands have columns.
template <class S>
void run_block(queue& q, block_kernel const& known, block_frame<S> const& f, bool (*wide_load)(int),
               bool (*wide_store)(int)) {
    if (f.columns > 0x7fffffff)
        fail<std::invalid_argument>(
            {"a kernel on a CUDA device expects rows of at most 2^31 - 1 columns, but got ", f.columns});
    source_layout const& layout = known.layout;
    std::size_t packs = static_cast<std::size_t>(layout.packs);
    auto const fits = [&](typename block_frame<S>::operand const& o) {
        bool const is_cut = o.width < f.columns;
        return word_of(o.data) % 16 == 0 && o.row % packs == 0 && (!is_cut || o.group % packs == 0);
    };
    bool packed = packs > 1 && f.piece % packs == 0;
    for (int i = 0; i < layout.loads && packed; ++i)
        packed = !wide_load(i) || fits(f.loads[i]);
    for (int i = 0; i < layout.stores && packed; ++i)
        packed = !wide_store(i) || fits(f.stores[i]);
    packs = packed ? packs : 1;

    launch_command next;
    next.kernel = packed ? known.packed : known.scalar;
    std::size_t const threads = f.piece / packs;
    if (layout.has_reduction) {
        next.block = dim3(std::max(32u, power_of_two(threads, 128)));
        next.grid = dim3(parts_of(f.rows, 1));
    } else if (layout.has_matrices) {
        standing const& m = f.matrices;
        std::size_t const all = m.groups * std::max({m.matrix(), m.rows, m.columns});
        cover(next, f.rows, all, all, all);
    } else {
        cover(next, f.rows, f.columns, f.piece, threads);
    }
    q.submit(next, argument_of(layout, f));
}

/// The same of a text that is compiled when it is first run; `key` is an address that stands for it.
template <class S>
void run_block(queue& q, void const* key, printed_kernel (*source)(), block_frame<S> const& f,
               bool (*wide_load)(int), bool (*wide_store)(int)) {
    run_block(q, known_kernels::all().find(key, q.device, source), f, wide_load, wide_store);
}

/// Runs the loop of a plan.
template <class S>
void run_loop(queue& q, block_kernel const& known, printed_loop const& printed, loop_frame<S> const& f) {
    using number = arithmetic_of<S>;
    if (f.steps > 0x7fffffff)
        fail<std::invalid_argument>(
            {"a recurrence on a CUDA device expects at most 2^31 - 1 time steps, but got ", f.steps});
    std::vector<std::uint64_t> words;
    for (strided_view<S> const& o : f.operands)
        words.insert(words.end(), {word_of(o.data), o.time, o.row, o.width, o.group, o.shift, o.slot_count});
    words.insert(words.end(), {f.rows, f.columns, f.piece, f.steps, f.backward});
    for (auto const& [block, instruction] : printed.counts)
        words.push_back(f.count(f.about, block, instruction));
    if (printed.has_numbers)
        add_numbers<number>(words, f.operands.size(), [&](std::size_t i) { return f.operands[i].number; });
    require_argument(words);
    launch_command next;
    next.kernel = known.scalar;
    cover(next, f.rows, f.columns, f.piece, f.piece);
    q.submit(next, words);
}

/// The same of a text that is compiled when it is first run.
template <class S>
void run_loop(queue& q, void const* key, printed_loop const& printed, loop_frame<S> const& f) {
    auto const source = [&] { return printed_kernel{printed.text, {}}; };
    run_loop(q, known_kernels::all().find(key, q.device, source), printed, f);
}

} // namespace sluice::cudnn::detail
