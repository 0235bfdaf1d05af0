// SPDX-License-Identifier: BSL-1.0
// A device that is made of the host, with kernels (sluice/backend/kernels.hpp) that hold the rest of the
// library to their contract:
//
// - Its addresses are those of the host's memory and 2^62, where nothing is: to follow one ends the
//   program.
// - A kernel refuses memory that is not within one block that is alive.
// - Nothing is done before a wait: then all, in order. Without a wait nothing is found.
// - Weights are packed column by column, with a gap after each.
//
// `device_memory::alive` counts the blocks of all devices.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sluice/execute/interpret.hpp>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <stdexcept>
#include <vector>

namespace support {

/// Blocks of memory, and work that waits. Threads may share it.
class device_memory {
public:
    static inline std::atomic<std::ptrdiff_t> alive{0};

    ~device_memory() { wait(); }

    template <class S>
    S* allocate(std::size_t count) {
        std::lock_guard const lock(mutex_);
        S* const host = new S[count + 1]; // so that blocks of no numbers have addresses of their own
        S* const p = std::bit_cast<S*>(std::bit_cast<std::uintptr_t>(host) + distance);
        blocks_[address(p)] = count * sizeof(S);
        ++alive;
        return p;
    }
    template <class S>
    void release(S* p, std::size_t count) {
        S* const host = std::bit_cast<S*>(address(p) - distance);
        add([&] {
            auto const block = blocks_.find(address(p));
            if (block == blocks_.end() || block->second != count * sizeof(S))
                throw std::logic_error("the device is to release memory that is no block of its own");
            blocks_.erase(block);
            --alive;
            return [host] { delete[] host; };
        });
    }
    /// `work` looks for its memory and gives what is to be done.
    template <class Work>
    void add(Work work) {
        std::lock_guard const lock(mutex_);
        work_.push_back(work());
    }
    void wait() {
        std::lock_guard const lock(mutex_);
        for (auto const& work : work_)
            work();
        work_.clear();
    }
    /// Where so many numbers lie indeed.
    template <class S>
    S* find(S* p, std::size_t count) const {
        if (count == 0)
            return nullptr;
        auto const next = blocks_.upper_bound(address(p));
        if (next == blocks_.begin())
            throw std::logic_error("a kernel is given memory that is not the device's");
        auto const& [first, bytes] = *std::prev(next);
        if (address(p) + count * sizeof(S) > first + bytes)
            throw std::logic_error("a kernel is given memory behind the end of a block, or released");
        return std::bit_cast<S*>(address(p) - distance);
    }
    /// [m, n] numbers, rows `ld` apart.
    template <class S>
    S* find(S* p, std::size_t m, std::size_t n, std::size_t ld) const {
        return find(p, m == 0 || n == 0 ? 0 : (m - 1) * ld + n);
    }

private:
    static constexpr std::uintptr_t distance = std::uintptr_t(1) << 62;
    std::mutex mutex_{};
    std::map<std::uintptr_t, std::size_t> blocks_{}; ///< bytes of what is alive
    std::vector<std::function<void()>> work_{};

    static std::uintptr_t address(void const* p) { return std::bit_cast<std::uintptr_t>(p); }
};

class device_kernels {
    using size = std::size_t;
    using here = sluice::xtensor::kernels; ///< copies, and runs blocks of float and double

public:
    static constexpr bool is_host = false;
    static constexpr bool packs = true;

    template <class S>
    S* allocate(size count) const {
        return memory_->allocate<S>(count);
    }
    template <class S>
    void release(S* p, size count) const {
        memory_->release(p, count);
    }
    template <class S>
    void upload(size count, S const* host, S* to) const {
        memory_->add([&] {
            return [to = memory_->find(to, count), numbers = std::vector<S>(host, host + count)] {
                std::copy(numbers.begin(), numbers.end(), to);
            };
        });
    }
    template <class S>
    void download(size count, S const* from, S* host) const {
        memory_->add([&] {
            return [count, from = memory_->find(from, count), host] { std::copy_n(from, count, host); };
        });
    }
    void wait() const { memory_->wait(); }

    /// Column c of group g of a matrix, or of its transpose, begins at (g * columns + c) * (rows + 1).
    template <class S>
    struct matrix {
        std::shared_ptr<S> numbers{};
        sluice::matrix_extents extents{};
    };
    template <class S>
    matrix<S> pack(sluice::matrix_extents const& e, sluice::arithmetic_of<S> const* values,
                   bool transposed) const {
        sluice::matrix_extents const n = transposed ? sluice::matrix_extents{e.groups, e.columns, e.rows} : e;
        std::vector<S> packed(n.groups * n.columns * (n.rows + 1));
        for (size g = 0; g < n.groups; ++g)
            for (size r = 0; r < n.rows; ++r)
                for (size c = 0; c < n.columns; ++c)
                    packed[(g * n.columns + c) * (n.rows + 1) + r] =
                        sluice::rounded<S>(values[transposed ? (g * n.columns + c) * n.rows + r
                                                             : (g * n.rows + r) * n.columns + c]);
        std::shared_ptr<S> numbers(allocate<S>(packed.size()),
                                   [k = *this, count = packed.size()](S* p) { k.release(p, count); });
        upload(packed.size(), packed.data(), numbers.get());
        return {std::move(numbers), n};
    }

    template <class S>
    void product(size m, size n, size k, S const* a, size lda, matrix<S> const& w,
                 sluice::matrix_part const& part, S* c, size ldc, bool add) const {
        auto const& e = w.extents;
        if (part.group >= e.groups || part.row + k > e.rows || part.column + n > e.columns)
            throw std::logic_error("a product is given a part that the matrix does not have");
        size const ldw = e.rows + 1, first = (part.group * e.columns + part.column) * ldw + part.row;
        memory_->add([&] {
            return [=, a = memory_->find(a, m, k, lda), c = memory_->find(c, m, n, ldc),
                    w = memory_->find(w.numbers.get() + first, n, k, ldw)] {
                for (size r = 0; r < m; ++r)
                    for (size i = 0; i < n; ++i) {
                        auto sum = sluice::widened(add ? c[r * ldc + i] : S(0));
                        for (size l = 0; l < k; ++l)
                            sum += sluice::widened(a[r * lda + l]) * sluice::widened(w[i * ldw + l]);
                        c[r * ldc + i] = sluice::rounded<S>(sum);
                    }
            };
        });
    }
    template <class S>
    void outer(size m, size n, size k, S const* a, size lda, S const* d, size ldd, S* g, size ldg,
               bool add) const {
        memory_->add([&] {
            return [=, a = memory_->find(a, k, m, lda), d = memory_->find(d, k, n, ldd),
                    g = memory_->find(g, m, n, ldg)] {
                for (size r = 0; r < m; ++r)
                    for (size i = 0; i < n; ++i) {
                        auto sum = sluice::widened(add ? g[r * ldg + i] : S(0));
                        for (size l = 0; l < k; ++l)
                            sum += sluice::widened(a[l * lda + r]) * sluice::widened(d[l * ldd + i]);
                        g[r * ldg + i] = sluice::rounded<S>(sum);
                    }
            };
        });
    }
    template <class S>
    void products(size count, size m, size n, size k, S const* a, size lda, size next_a, matrix<S> const& w,
                  sluice::matrix_part part, S* c, size ldc, size next_c, bool add) const {
        grouped += count;
        for (size g = 0; g < count; ++g, ++part.group)
            product(m, n, k, a + g * next_a, lda, w, part, c + g * next_c, ldc, add);
    }
    template <class S>
    void outers(size count, size m, size n, size k, S const* a, size lda, size next_a, S const* d, size ldd,
                size next_d, S* g, size ldg, size next_g, bool add) const {
        grouped += count;
        for (size i = 0; i < count; ++i)
            outer(m, n, k, a + i * next_a, lda, d + i * next_d, ldd, g + i * next_g, ldg, add);
    }
    static inline std::atomic<size> grouped{0},
        loops{0}; ///< how often groups and loops were given as a whole
    template <class F>
    void as_one(F f) const {
        ++loops;
        f();
    }
    template <class S>
    void total(size m, size n, S const* a, size lda, S* sums, bool add) const {
        memory_->add([&] {
            return [=, a = memory_->find(a, m, n, lda), sums = memory_->find(sums, n)] {
                for (size i = 0; i < n; ++i) {
                    auto sum = sluice::widened(add ? sums[i] : S(0));
                    for (size r = 0; r < m; ++r)
                        sum += sluice::widened(a[r * lda + i]);
                    sums[i] = sluice::rounded<S>(sum);
                }
            };
        });
    }
    template <class S>
    void copy(size m, size n, S const* a, size lda, S* c, size ldc) const {
        memory_->add([&] {
            return [=, a = memory_->find(a, m, n, lda), c = memory_->find(c, m, n, ldc)] {
                here::copy(m, n, a, lda, c, ldc);
            };
        });
    }
    template <class S>
    void clear(size m, size n, S* c, size ldc) const {
        memory_->add([&] { return [=, c = memory_->find(c, m, n, ldc)] { here::clear(m, n, c, ldc); }; });
    }
    template <class Program, class S>
    void pointwise(sluice::block_frame<S> const& frame) const {
        std::vector<bool> loads, stores;
        for (int i = 0; i < Program::loads; ++i)
            loads.push_back(Program::is_per_row(i));
        for (int i = 0; i < Program::stores; ++i)
            stores.push_back(Program::is_store_per_row(i));
        run_block(frame, loads, stores, Program::codes, [](sluice::block_frame<S> const& f) {
            if constexpr (sluice::is_own_arithmetic<S>)
                here::pointwise<Program>(f);
            else
                sluice::interpret_block<typename Program::operations>(Program::plan, Program::block, f);
        });
    }
    /// A block of a plan that is made at run time, which has to live until the next wait.
    template <class Operations, class S>
    void interpret(sluice::plan_view const& p, int b, sluice::block_frame<S> const& frame) const {
        auto const& block = p.blocks[b];
        std::vector<bool> loads, stores;
        for (auto const& load : p.loads.part(block.loads.first, block.loads.count))
            loads.push_back(load.per_row);
        for (auto const& store : p.stores.part(block.stores.first, block.stores.count))
            stores.push_back(store.per_row);
        run_block(frame, loads, stores, block.code.count, [p, b](sluice::block_frame<S> const& f) {
            sluice::interpret_block<Operations, S>(p, b, f);
        });
    }

private:
    std::shared_ptr<device_memory> memory_ = std::make_shared<device_memory>();

    /// Which loads and stores have one number for a row; the instructions; what runs the block.
    template <class S, class Run>
    void run_block(sluice::block_frame<S> const& f, std::vector<bool> const& loads,
                   std::vector<bool> const& stores, int codes, Run run) const {
        using operand = typename sluice::block_frame<S>::operand;
        memory_->add([&] {
            auto const find_all = [&](operand const* given, std::vector<bool> const& per_row) {
                std::vector<operand> found(given, given + per_row.size());
                for (size i = 0; i < found.size(); ++i) {
                    operand& o = found[i];
                    if (!sluice::is_own_arithmetic<S> && per_row[i] && o.data == nullptr)
                        continue; // the number of a setting
                    size const last = per_row[i] ? 0 : f.columns - 1;
                    bool const is_empty = f.rows == 0 || (!per_row[i] && f.columns == 0);
                    o.data = memory_->find(
                        o.data, is_empty ? 0 : static_cast<size>(o.at(f.rows - 1, last) - o.data) + 1);
                }
                return found;
            };
            sluice::block_frame<S> real = f;
            real.kept = memory_->find(f.kept, (loads.size() + static_cast<size>(codes)) * f.kept_row);
            return [real, run, in = find_all(f.loads, loads), out = find_all(f.stores, stores),
                    counts = std::vector<size>(f.counts, f.counts + codes)]() mutable {
                real.loads = in.data();
                real.stores = out.data();
                real.counts = counts.data();
                run(real);
            };
        });
    }
};

struct device {
    template <class Equations, class S>
    using lowering = sluice::plan_lowering<Equations, S, device_kernels>;
};

} // namespace support
