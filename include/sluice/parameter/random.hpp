// SPDX-License-Identifier: BSL-1.0
//
// Random numbers that are the same on every machine, compiler, optimisation level and mathematics library.
//
//   integers   xoshiro256** 1.0                 Blackman, Vigna, arXiv 1805.01407
//   seeding    splitmix64 of the seed, mixed with the FNV-1a hash of the stream's name
//   fields     splitmix64 of one coordinate after the other
//   normals    von Neumann trials, comparisons only   Karney, arXiv 1303.6257, algorithm N
//
// A stream has a name, for a parameter its own: adding a parameter leaves the numbers of all others alone.
//
// Floating-point results use only operations that IEEE 754 rounds exactly (comparison, division, std::fma),
// and no sum of an inexact product that a compiler could contract. No log, cos or exp. This holds with
// -march=native and -ffp-contract=fast; it is not promised under -ffast-math.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/core/fnv.hpp>
#include <span>
#include <stdexcept>
#include <string_view>

namespace sluice {

/// The number from which all random numbers of one object follow.
struct seed {
    std::uint64_t value = 0;

    friend constexpr bool operator==(seed, seed) = default;
};

namespace detail {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

/// splitmix64's function of its counter.
constexpr std::uint64_t split(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// k 2^-53 of the upper 53 bits.
constexpr double unit(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace detail

/// One stream of random numbers; its state can be read, restored and stored (see visit_tensors).
class random_stream {
    static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53);

public:
    using state_type = std::array<std::uint64_t, 4>;
    using result_type = std::uint64_t; // a uniform random bit generator in the standard's sense

    constexpr explicit random_stream(sluice::seed seed, std::string_view stream = {}) {
        std::uint64_t counter = detail::split(seed.value + detail::golden) ^ fnv(stream);
        for (auto& word : words_) // four different counters, so at most one of the four words is zero
            word = detail::split(counter += detail::golden);
    }

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    /// 64 random bits.
    constexpr result_type operator()() {
        auto const result = std::rotl(words_[1] * 5, 7) * 9;
        auto const shifted = words_[1] << 17;
        words_[2] ^= words_[0];
        words_[3] ^= words_[1];
        words_[1] ^= words_[2];
        words_[0] ^= words_[3];
        words_[2] ^= shifted;
        words_[3] = std::rotl(words_[3], 45);
        return result;
    }

    /// An integer in [0, bound), each equally likely.
    constexpr std::uint64_t below(std::uint64_t bound) {
        if (bound == 0)
            throw std::invalid_argument(
                "sluice: random_stream::below: expected a bound of at least 1, but it is 0");
        auto const rest =
            (std::uint64_t{0} - bound) % bound; // 2^64 mod bound: values below it would weigh more
        for (;;)
            if (auto const bits = (*this)(); bits >= rest)
                return bits % bound;
    }

    /// k 2^-53 with 0 <= k < 2^53: in [0, 1), exact.
    constexpr double unit() { return detail::unit((*this)()); }

    /// (k + 1/2) 2^-52 with -2^52 <= k < 2^52: in (-1, 1), exact, never zero, x and -x equally likely.
    constexpr double symmetric_unit() {
        auto const k = static_cast<std::int64_t>((*this)() >> 11) - (std::int64_t{1} << 52);
        return static_cast<double>(2 * k + 1) * 0x1p-53;
    }

    /// In [low, high]: centre + symmetric_unit * half width, rounded once.
    double uniform(double low, double high) {
        if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high))
            throw std::invalid_argument(
                "sluice: random_stream::uniform: expected two finite bounds, the lower one first");
        double const half = std::fma(-0.5, low, 0.5 * high);
        double const centre = std::fma(0.5, low, 0.5 * high);
        return std::clamp(std::fma(symmetric_unit(), half, centre), low, high);
    }

    /// True with the given probability: always at 1, never at 0.
    constexpr bool bernoulli(double probability) {
        if (!(probability >= 0 && probability <= 1))
            throw std::invalid_argument(
                "sluice: random_stream::bernoulli: expected a probability between 0 and 1");
        return unit() < probability;
    }

    /// Standard normal: k + x is proposed with the density of a geometric k and a uniform x, and accepted
    /// with the probability that makes it exp(-(k + x)^2 / 2).
    constexpr double normal() {
        for (;;) {
            int k = 0;
            while (happens_exp_minus(0.5))
                ++k;
            if (!happens_exp_minus(0.5, k * (k - 1)))
                continue;
            double const x = unit();
            double const twice = 2 * k;
            if (!happens_exp_minus(x * (twice + x) / (twice + 2), k + 1))
                continue;
            double const size = k + x;
            return (*this)() >> 63 ? -size : size;
        }
    }

    /// mean + stddev * normal(), rounded once.
    double normal(double mean, double stddev) {
        if (!(stddev >= 0) || !std::isfinite(stddev) || !std::isfinite(mean))
            throw std::invalid_argument(
                "sluice: random_stream::normal: expected a finite mean and a finite standard "
                "deviation of at least 0");
        return std::fma(stddev, normal(), mean);
    }

    constexpr state_type const& state() const { return words_; }

    constexpr void set_state(state_type const& state) {
        if (state == state_type{})
            throw std::invalid_argument("sluice: random_stream::set_state: the state is all zeros, which "
                                        "this generator never leaves; "
                                        "expected a state that state() returned");
        words_ = state;
    }

    /// Storable: one tensor "state" of four words.
    template <class F>
    void visit_tensors(F&& f) const {
        constexpr std::array<std::size_t, 1> shape{4};
        f(std::string_view("state"), std::span<std::size_t const>(shape),
          std::span<std::uint64_t const>(words_));
    }
    template <class F>
    void visit_tensors(F&& f) {
        constexpr std::array<std::size_t, 1> shape{4};
        auto words = words_;
        f(std::string_view("state"), std::span<std::size_t const>(shape), std::span<std::uint64_t>(words));
        set_state(words);
    }

    friend constexpr bool operator==(random_stream const&, random_stream const&) = default;

private:
    /// True with probability exp(-p), 0 <= p <= 1: the length of the falling run p > u1 > u2 > ... is even.
    constexpr bool happens_exp_minus(double p) {
        bool even = true;
        for (double u = unit(); u < p; u = unit()) {
            p = u;
            even = !even;
        }
        return even;
    }

    constexpr bool happens_exp_minus(double p, int times) {
        while (times-- > 0)
            if (!happens_exp_minus(p))
                return false;
        return true;
    }

    state_type words_{};
};

/// Random numbers each of which belongs to a position: the same whatever is asked for before, besides, or on
/// other threads. Fields of one seed differ by name and number.
class random_field {
public:
    constexpr random_field(sluice::seed seed, std::string_view called, std::uint64_t number)
        : key_(next(detail::split(seed.value + detail::golden) ^ fnv(called), number)) {}

    /// One row of the field.
    class row {
    public:
        /// In [0, 1), exact.
        constexpr double unit(std::uint64_t column) const { return detail::unit(next(key_, column)); }

    private:
        friend class random_field;
        constexpr explicit row(std::uint64_t key) : key_(key) {}
        std::uint64_t key_;
    };
    constexpr row at(std::uint64_t page, std::uint64_t line) const {
        return row(next(next(key_, page), line));
    }

private:
    static constexpr std::uint64_t next(std::uint64_t key, std::uint64_t position) {
        return detail::split(detail::split(key + detail::golden) + position * detail::golden);
    }
    std::uint64_t key_;
};

} // namespace sluice
