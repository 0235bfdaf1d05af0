// SPDX-License-Identifier: BSL-1.0
// Sums that a loop adds to in each of its steps, of numbers that are kept in fewer digits than they are
// computed with. Rounded to 8 binary digits in every step, a sum of half a thousand equal numbers would no
// longer grow. What a step adds is rounded; the sum is in arithmetic, and rounded once, after the loop.
#pragma once

#include <sluice/execute/matrices.hpp>
#include <sluice/execute/pool.hpp>
#include <utility>
#include <vector>

namespace sluice {

template <class S, class Kernels>
class wide_sums {
public:
    using pool_type = std::shared_ptr<memory_pool<S, Kernels>>;

    /// Where numbers are kept as they are computed with, or kernels cannot widen them, sums are made where
    /// they are wanted.
    static constexpr bool are_needed = !is_own_arithmetic<S> && (Kernels::is_host || has_arrange<Kernels, S>);

    void clear() { all_.clear(); }
    /// A sum of so many numbers, which is zeros, and is wanted there after the loop.
    void begin(pool_type const& pool, S* to, std::size_t count) {
        all_.push_back({to, count, numbers_with<S>(pool->kernels()).template room<number>(count),
                        scratch<S, Kernels>(pool, count)});
        put(pool->kernels(), all_.back(), part<S>{}, 0, false);
    }
    /// Adds to the sum that is wanted there what `write(to)` writes.
    template <class F>
    void add(Kernels const& kernels, S* to, F write) {
        for (sum& s : all_)
            if (s.to == to) {
                write(s.step.data());
                put(kernels, s, part<S>{s.step.data(), 0, 1}, 1, true);
            }
    }
    /// After the loop.
    void finish(Kernels const& kernels) const {
        for (sum const& s : all_)
            numbers_with<S>(kernels).arrange(1, s.count, 1, part<number>{s.wide.data(), 0, 1}, part<number>{},
                                             false, strided<S>{s.to, 0, 1}, false);
    }

private:
    using number = arithmetic_of<S>;
    template <class T>
    using part = strided<T const>;
    using numbers = numbers_of<Kernels, S>;
    struct sum {
        S* to;
        std::size_t count;
        typename numbers::template array<number> wide;
        scratch<S, Kernels> step;
    };
    std::vector<sum> all_{};

    static void put(Kernels const& kernels, sum& s, part<S> const& from, double factor, bool add) {
        numbers_with<S>(kernels).arrange(1, s.count, factor, from, part<number>{}, false,
                                         strided<number>{s.wide.data(), 0, 1}, add);
    }
};

} // namespace sluice
