// SPDX-License-Identifier: BSL-1.0
// Sigmoid and tanh of batches against those of the C library, for numbers of every exponent.
#include <sluice/xtensor/simd/activations.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <type_traits>
#include <vector>

namespace activations_test {

namespace activation = sluice::activation;
using sluice::xtensor::accurate;
using sluice::xtensor::approximate;

namespace {

template <class S>
using bits_of = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
template <class S>
constexpr S infinity = std::numeric_limits<S>::infinity();
template <class S>
constexpr S smallest = std::numeric_limits<S>::min();

/// Numbers of all exponents and both signs, denormal ones too, those where sums and powers of 2 change, and
/// edges.
template <class S>
std::vector<S> numbers() {
    std::vector<S> all{0,    S(-0.0), 1,      -1,       smallest<S>, -smallest<S>, infinity<S>, -infinity<S>,
                       S(9), S(17.4), S(-88), S(-87.3), S(-708.3),   S(-709),      S(40),       S(-40)};
    all.push_back(std::numeric_limits<S>::max());
    all.push_back(std::numeric_limits<S>::denorm_min());
    bits_of<S> const step = sizeof(S) == 4 ? 4099 : static_cast<bits_of<S>>(0x1p64 / 300007);
    bits_of<S> bits = 0;
    do {
        if (S const z = std::bit_cast<S>(bits); z == z)
            all.push_back(z);
        bits += step;
    } while (bits >= step);
    for (int k = -200000; k < 200000; ++k)
        all.push_back(S(k) / 2048 + S(k) / 4194304);
    return all;
}

template <class F, class Accuracy, class S, std::size_t Lanes = sluice::xtensor::widest<S>>
std::vector<S> values(std::vector<S> const& z) {
    using number = sluice::xtensor::simd<S, Lanes>;
    using function = typename sluice::xtensor::batch_function<F, Accuracy>::type;
    std::vector<S> padded = z, found(z.size() + number::lanes);
    padded.resize(found.size());
    for (std::size_t i = 0; i < z.size(); i += number::lanes)
        number::store(function::value(number::load(padded.data() + i)), found.data() + i);
    found.resize(z.size());
    return found;
}

template <class S>
long double exact(activation::sigmoid, S z) {
    return 1 / (1 + std::exp(-static_cast<long double>(z)));
}
template <class S>
long double exact(activation::tanh, S z) {
    return std::tanh(static_cast<long double>(z));
}

/// The largest difference, relative where the value has a relative error: where it is normal.
template <class F, class Accuracy, class S, std::size_t Lanes = sluice::xtensor::widest<S>>
double error(bool relative) {
    auto const z = numbers<S>();
    auto const y = values<F, Accuracy, S, Lanes>(z);
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        auto const expected = exact(F(), z[i]);
        if (relative && std::abs(expected) < static_cast<long double>(smallest<S>))
            continue;
        auto const off = std::abs(static_cast<long double>(y[i]) - expected);
        double const one = static_cast<double>(relative ? off / std::abs(expected) : off);
        worst = one <= worst ? worst : one; // a NaN is the worst
    }
    return worst;
}

template <class F, class Accuracy, class S>
S value(S z) {
    return values<F, Accuracy>(std::vector<S>{z})[0];
}

template <class Accuracy, class S>
void check_shape() {
    auto const nothing = std::numeric_limits<S>::quiet_NaN();
    for (S const z : {nothing, -nothing, std::bit_cast<S>(std::bit_cast<bits_of<S>>(nothing) + 12345)}) {
        CHECK(std::isnan(value<activation::tanh, Accuracy>(z)));
        CHECK(std::isnan(value<activation::sigmoid, Accuracy>(z)));
    }
    auto positive = numbers<S>();
    std::erase_if(positive, [](S z) { return std::signbit(z); });
    auto negative = positive;
    for (S& z : negative)
        z = -z;
    auto const up = values<activation::tanh, Accuracy>(positive),
               down = values<activation::tanh, Accuracy>(negative);
    bool odd = true, bounded = true;
    for (std::size_t i = 0; i < up.size(); ++i) {
        odd = odd && down[i] == -up[i] && std::signbit(down[i]) && !std::signbit(up[i]);
        bounded = bounded && up[i] <= 1;
    }
    for (S const y : values<activation::sigmoid, Accuracy>(numbers<S>()))
        bounded = bounded && y >= 0 && y <= 1;
    CHECK(odd);
    CHECK(bounded);
}

} // namespace

TEST_CASE_TEMPLATE("activations: activations of batches are as exact as they say", S, float, double) {
    double const bound = sizeof(S) == 4 ? 3e-7 : 6e-16;
    CHECK(error<activation::tanh, accurate, S>(true) < bound);
    CHECK(error<activation::sigmoid, accurate, S>(true) < bound);
    constexpr std::size_t least = 16 / sizeof(S); // lanes of the narrowest batch, which short steps have
    CHECK(error<activation::tanh, accurate, S, least>(true) < bound);
    CHECK(error<activation::sigmoid, accurate, S, least>(true) < bound);
    check_shape<accurate, S>();
}

TEST_CASE_TEMPLATE("activations: activations of batches end exactly", S, float, double) {
    bool const is_float = sizeof(S) == 4;
    for (S const z :
         {is_float ? S(9.1) : S(19.1), S(25), S(1000), std::numeric_limits<S>::max(), infinity<S>}) {
        CHECK(value<activation::tanh, accurate>(z) == 1);
        CHECK(value<activation::tanh, accurate>(-z) == -1);
        CHECK(value<activation::sigmoid, accurate>(2 * z) == 1);
    }
    CHECK(value<activation::sigmoid, accurate>(is_float ? S(17.4) : S(37)) == 1);
    for (S const z :
         {is_float ? S(-87.4) : S(-708.4), S(-1000), -std::numeric_limits<S>::max(), -infinity<S>})
        CHECK(value<activation::sigmoid, accurate>(z) == 0);
    CHECK(value<activation::sigmoid, accurate>(is_float ? S(-87.3) : S(-708.3)) >= smallest<S>);
    CHECK(value<activation::sigmoid, accurate>(S(-0.0)) == S(0.5));
    CHECK(value<activation::tanh, accurate>(std::numeric_limits<S>::denorm_min()) ==
          std::numeric_limits<S>::denorm_min());
}

TEST_CASE_TEMPLATE("activations: approximate activations are as exact as they say, and rise", S, float,
                   double) {
    CHECK(error<activation::tanh, approximate, S>(true) <
          1.0); // of the smallest normal numbers; below 1 all lies in range
    CHECK(error<activation::tanh, approximate, S>(true) < 6e-5);
    CHECK(error<activation::sigmoid, approximate, S>(false) < 3e-5);
    CHECK(error<activation::tanh, approximate, S>(false) > 1e-6); // they are not the others
    check_shape<approximate, S>();
    std::vector<S> z;
    for (int k = -8000; k <= 8000; ++k)
        z.push_back(S(k) / 1000);
    for (auto const& y :
         {values<activation::tanh, approximate>(z), values<activation::sigmoid, approximate>(z)})
        CHECK(std::is_sorted(y.begin(), y.end()));
}

} // namespace activations_test
