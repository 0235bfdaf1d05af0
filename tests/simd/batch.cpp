// SPDX-License-Identifier: BSL-1.0
// Batches of every width that the machine has: each lane as a plain number, to the bits, with NaN,
// infinities, denormal numbers and both zeros among them.
#include <sluice/simd/batch.hpp>
#include <support/widths.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace batch_test {

namespace {

using sluice::batches::batch, sluice::batches::mask, sluice::batches::widest, sluice::batches::bits_as;
using size = std::size_t;
using widths::for_widths;

template <class S>
using whole_of = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;

/// Numbers of all kinds.
template <class S>
std::vector<S> numbers() {
    using limits = std::numeric_limits<S>;
    std::vector<S> all{S(0),
                       S(1),
                       S(0.5),
                       S(1.5),
                       S(2.5),
                       S(0.49999997),
                       limits::min(),
                       limits::max(),
                       limits::denorm_min(),
                       S(1e-40),
                       limits::infinity(),
                       limits::quiet_NaN()};
    for (S const whole : {S(1) / limits::epsilon(), S(2) / limits::epsilon()})
        for (S const by : {S(-1.5), S(-1), S(-0.5), S(0), S(0.5), S(1)})
            all.push_back(whole + by);
    std::mt19937 from(7);
    while (all.size() < 200) {
        all.push_back(std::uniform_real_distribution<S>(S(0), S(9))(from));
        all.push_back(std::bit_cast<S>(static_cast<whole_of<S>>(
            (std::uint64_t(from()) << 32 | from()) & std::numeric_limits<whole_of<S>>::max() / 2)));
    }
    for (size i = 0, count = all.size(); i < count; ++i)
        all.push_back(-all[i]);
    return all;
}

/// The same bits, or both no numbers.
template <class S>
bool is_same(S a, S b) {
    return std::bit_cast<whole_of<S>>(a) == std::bit_cast<whole_of<S>>(b) || (std::isnan(a) && std::isnan(b));
}

template <class B>
std::array<typename B::value_type, B::size> lanes_of(B const& z) {
    std::array<typename B::value_type, B::size> all;
    z.store(all.data());
    return all;
}

/// of_batches(z) against of_numbers(z) in each lane, for all numbers.
template <class S>
void check_all(auto const& of_batches, auto const& of_numbers) {
    for_widths<S>([&]<size L> {
        auto z = numbers<S>();
        z.resize(z.size() / L * L);
        bool all = true;
        for (size i = 0; i < z.size(); i += L) {
            auto const found = lanes_of(of_batches(batch<S, L>::load(z.data() + i)));
            for (size k = 0; k < L; ++k) {
                CAPTURE(z[i + k]);
                CAPTURE(found[k]);
                bool const same = is_same(found[k], static_cast<S>(of_numbers(z[i + k])));
                if (!same)
                    CHECK(same);
                all = all && same;
            }
        }
        CHECK(all);
    });
}
/// And of two numbers, for all pairs.
template <class S>
void check_pairs(auto const& of_batches, auto const& of_numbers) {
    for_widths<S>([&]<size L> {
        auto const z = numbers<S>();
        bool all = true;
        for (S const a : z)
            for (size i = 0; i + L <= z.size(); i += L) {
                auto const found = lanes_of(of_batches(batch<S, L>(a), batch<S, L>::load(z.data() + i)));
                for (size k = 0; k < L; ++k) {
                    bool const same = is_same(found[k], static_cast<S>(of_numbers(a, z[i + k])));
                    if (!same) {
                        CAPTURE(a);
                        CAPTURE(z[i + k]);
                        CAPTURE(found[k]);
                        CHECK(same);
                    }
                    all = all && same;
                }
            }
        CHECK(all);
    });
}
/// 1 where a comparison is true.
constexpr auto one_where = [](auto const& truth, auto z) {
    return select(truth, decltype(z)(1), decltype(z)(0));
};

static_assert(sizeof(batch<float, 4>) == 16 && alignof(batch<float, 4>) == 16);
static_assert(sizeof(batch<double, widest<double>>) == sizeof(batch<float, widest<float>>));
static_assert(sizeof(mask<float, 4>) == 16 && sizeof(mask<double, 2>) == 16);
static_assert(batch<double, 2>::size == 2 && std::is_same_v<batch<double, 2>::value_type, double>);
static_assert(std::is_trivially_copyable_v<batch<float, 4>> &&
              std::is_trivially_default_constructible_v<batch<float, 4>>);
static_assert(std::is_convertible_v<float, batch<float, 4>>, "z * 2 is written so");

} // namespace

TEST_CASE_TEMPLATE("batch: a number in each lane; sums, products and quotients", S, float, double) {
    check_all<S>([](auto z) { return +z; }, [](S z) { return z; });
    check_all<S>([](auto z) { return -z; }, [](S z) { return -z; });
    check_pairs<S>([](auto a, auto b) { return a + b; }, [](S a, S b) { return a + b; });
    check_pairs<S>([](auto a, auto b) { return a - b; }, [](S a, S b) { return a - b; });
    check_pairs<S>([](auto a, auto b) { return a * b; }, [](S a, S b) { return a * b; });
    check_pairs<S>([](auto a, auto b) { return a / b; }, [](S a, S b) { return a / b; });
    check_pairs<S>([](auto a, auto b) { return a += b, a *= b, a /= b, a -= b; },
                   [](S a, S b) {
                       S y = a + b;
                       y *= b, y /= b;
                       return y - b;
                   });
    check_all<S>([](auto z) { return 2 * z; }, [](S z) { return 2 * z; });
}

TEST_CASE_TEMPLATE("batch: comparisons, and the choice that they make", S, float, double) {
    check_pairs<S>([](auto a, auto b) { return one_where(a == b, a); }, [](S a, S b) { return a == b; });
    check_pairs<S>([](auto a, auto b) { return one_where(a != b, a); }, [](S a, S b) { return a != b; });
    check_pairs<S>([](auto a, auto b) { return one_where(a < b, a); }, [](S a, S b) { return a < b; });
    check_pairs<S>([](auto a, auto b) { return one_where(a <= b, a); }, [](S a, S b) { return a <= b; });
    check_pairs<S>([](auto a, auto b) { return one_where(a > b, a); }, [](S a, S b) { return a > b; });
    check_pairs<S>([](auto a, auto b) { return one_where(a >= b, a); }, [](S a, S b) { return a >= b; });
    check_all<S>([](auto z) { return one_where(isnan(z), z); }, [](S z) { return std::isnan(z); });
    check_all<S>([](auto z) { return one_where(isinf(z), z); }, [](S z) { return std::isinf(z); });
    check_all<S>([](auto z) { return one_where(isfinite(z), z); }, [](S z) { return std::isfinite(z); });
    check_pairs<S>([](auto a, auto b) { return select(a < b, a, b - a); },
                   [](S a, S b) { return a < b ? a : b - a; });
    check_pairs<S>([](auto a, auto b) { return one_where((a < b) & (a > 1), a); },
                   [](S a, S b) { return a < b && a > 1; });
    check_pairs<S>([](auto a, auto b) { return one_where((a < b) | (a > 1), a); },
                   [](S a, S b) { return a < b || a > 1; });
    check_pairs<S>([](auto a, auto b) { return one_where((a < b) ^ (a > 1), a); },
                   [](S a, S b) { return (a < b) != (a > 1); });
    check_pairs<S>([](auto a, auto b) { return one_where((a < b && !(a > 1)) || ~(b <= 2), a); },
                   [](S a, S b) { return (a < b && !(a > 1)) || !(b <= 2); });
}

TEST_CASE_TEMPLATE("batch: any and all lanes", S, float, double) {
    for_widths<S>([]<size L> {
        for (size count = 0; count <= L; ++count)
            for (size first = 0; first + count <= L; ++first) {
                std::array<S, L> z{};
                std::fill_n(z.begin() + static_cast<std::ptrdiff_t>(first), count, S(1));
                auto const truth = batch<S, L>::load(z.data()) > batch<S, L>(S(0.5));
                CHECK(any(truth) == (count > 0));
                CHECK(all(truth) == (count == L));
            }
    });
}

TEST_CASE_TEMPLATE("batch: of a number and a NaN, and of two zeros, min and max are the second operand", S,
                   float, double) {
    check_pairs<S>([](auto a, auto b) { return min(a, b); }, [](S a, S b) { return a < b ? a : b; });
    check_pairs<S>([](auto a, auto b) { return max(a, b); }, [](S a, S b) { return a > b ? a : b; });
    check_pairs<S>([](auto a, auto b) { return fmin(a, b); }, [](S a, S b) { return a < b ? a : b; });
    check_pairs<S>([](auto a, auto b) { return fmax(a, b); }, [](S a, S b) { return a > b ? a : b; });
    S const none = std::numeric_limits<S>::quiet_NaN();
    for_widths<S>([&]<size L> { // where the compiler knows one of them
        using some = batch<S, L>;
        for (S const z : lanes_of(min(some(S(3)), some(none))))
            CHECK(std::isnan(z));
        for (S const z : lanes_of(max(some(none), some(S(3)))))
            CHECK(z == 3);
    });
}

TEST_CASE_TEMPLATE("batch: signs, and roots", S, float, double) {
    check_all<S>([](auto z) { return abs(z); }, [](S z) { return std::abs(z); });
    check_all<S>([](auto z) { return fabs(z); }, [](S z) { return std::fabs(z); });
    check_pairs<S>([](auto a, auto b) { return copysign(a, b); },
                   [](S a, S b) { return std::copysign(a, b); });
    check_pairs<S>([](auto a, auto b) { return fdim(a, b); }, [](S a, S b) { return std::fdim(a, b); });
    check_all<S>([](auto z) { return sqrt(z); }, [](S z) { return std::sqrt(z); });
}

TEST_CASE_TEMPLATE("batch: whole numbers near a number", S, float, double) {
    check_all<S>([](auto z) { return nearbyint(z); }, [](S z) { return std::nearbyint(z); });
    check_all<S>([](auto z) { return rint(z); }, [](S z) { return std::rint(z); });
    check_all<S>([](auto z) { return trunc(z); }, [](S z) { return std::trunc(z); });
    check_all<S>([](auto z) { return round(z); }, [](S z) { return std::round(z); });
    check_all<S>([](auto z) { return floor(z); }, [](S z) { return std::floor(z); });
    check_all<S>([](auto z) { return ceil(z); }, [](S z) { return std::ceil(z); });
}

TEST_CASE_TEMPLATE("batch: a fused product and sum, of all pairs", S, float, double) {
#if defined(__FMA__) || defined(__aarch64__)
    constexpr auto expected = [](S a, S b) { return std::fma(a, b, S(1.25)); };
    constexpr auto negated = [](S a, S b) { return std::fma(-a, b, S(1.25)); };
#else
    constexpr auto expected = [](S a, S b) { return a * b + S(1.25); };
    constexpr auto negated = [](S a, S b) { return S(1.25) - a * b; };
#endif
    check_pairs<S>([](auto a, auto b) { return fma(a, b, decltype(a)(S(1.25))); }, expected);
    check_pairs<S>([](auto a, auto b) { return fma(-a, b, decltype(a)(S(1.25))); }, negated);
}

TEST_CASE_TEMPLATE("batch: operations on bits, and whole numbers as wide", S, float, double) {
    using whole = whole_of<S>;
    auto const on_bits = [](auto f) {
        return [f](S a, S b) {
            return std::bit_cast<S>(static_cast<whole>(f(std::bit_cast<whole>(a), std::bit_cast<whole>(b))));
        };
    };
    check_pairs<S>([](auto a, auto b) { return a & b; }, on_bits([](whole a, whole b) { return a & b; }));
    check_pairs<S>([](auto a, auto b) { return a | b; }, on_bits([](whole a, whole b) { return a | b; }));
    check_pairs<S>([](auto a, auto b) { return a ^ b; }, on_bits([](whole a, whole b) { return a ^ b; }));
    check_pairs<S>([](auto a, auto) { return ~a; }, on_bits([](whole a, whole) { return ~a; }));
    for_widths<S>([]<size L> {
        using wholes = batch<whole, L>;
        std::array<whole, L> bits;
        for (size i = 0; i < L; ++i)
            bits[i] = static_cast<whole>(0x9e3779b97f4a7c15 * (i + 1));
        auto const z = wholes::load(bits.data());
        auto const sum = lanes_of(z + wholes(whole(7))), less = lanes_of(z - wholes(whole(7)));
        auto const left = lanes_of(z << 5), right = lanes_of(z >> 5);
        auto const both = lanes_of(z & wholes(whole(255))), either = lanes_of(z | wholes(whole(255)));
        auto const again = lanes_of(bits_as<wholes>(bits_as<batch<S, L>>(z)));
        for (size i = 0; i < L; ++i) {
            CHECK(sum[i] == static_cast<whole>(bits[i] + 7));
            CHECK(less[i] == static_cast<whole>(bits[i] - 7));
            CHECK(left[i] == static_cast<whole>(bits[i] << 5));
            CHECK(right[i] == bits[i] >> 5);
            CHECK(both[i] == (bits[i] & 255));
            CHECK(either[i] == (bits[i] | 255));
        }
        CHECK(again == bits);
    });
}

} // namespace batch_test
