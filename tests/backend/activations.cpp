// SPDX-License-Identifier: BSL-1.0
// Sigmoid and tanh of batches against those of the C library, for numbers of every exponent; what a state that
// decays comes to, and the processor's setting behind it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/xtensor.hpp>
#include <span>
#include <support/tensors.hpp>
#include <type_traits>
#include <vector>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace activations_test {

using namespace support;
using namespace sluice::literals;
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

/// Numbers of all exponents and both signs, denormal ones too, those where sums and powers of 2 change, and edges.
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

template <class F, class Accuracy, class S>
std::vector<S> values(std::vector<S> const& z) {
    using number = sluice::xtensor::simd<S>;
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
template <class F, class Accuracy, class S>
double error(bool relative) {
    auto const z = numbers<S>();
    auto const y = values<F, Accuracy>(z);
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        auto const expected = exact(F(), z[i]);
        if (relative && std::abs(expected) < static_cast<long double>(smallest<S>))
            continue;
        auto const off = std::abs(static_cast<long double>(y[i]) - expected);
        worst = worse(worst, static_cast<double>(relative ? off / std::abs(expected) : off));
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

// Whole cells.

namespace {

template <class Backend>
auto run_gru(std::size_t steps) {
    sluice::cell<sluice::gru, float, Backend> cell({.input = 3, .units = 37});
    randomize(cell);
    auto const xs = random_sequence<float>(steps, 5, 3);
    auto const run = unroll(cell, xs, random_map(cell.zero_state(5), "state"));
    auto const g = backward(cell, run, random_like(run.outputs, "dys"));
    return std::pair(run.outputs, g.parameters);
}

/// A state that is halved at every step, unless something comes in.
struct halving {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = 0.5_n * h + tanh(x * W<"h">));
    }();
};

template <class Tensor>
int denormals(Tensor const& values) {
    int found = 0;
    for (auto const value : values)
        found += std::fpclassify(value) == FP_SUBNORMAL;
    return found;
}

} // namespace

TEST_CASE("activations: the fast policy computes nearly the same, and not the same") {
    auto const [y, g] = run_gru<sluice::xtensor::planned>(9);
    auto const [fast_y, fast_g] = run_gru<sluice::xtensor::fast>(9);
    CHECK(distance(fast_y, y) < 2e-4);
    CHECK(distance(fast_y, y) > 1e-7);
    CHECK(map_distance(fast_g, g) < 2e-3);
}

#if defined(__x86_64__) || defined(__aarch64__)

TEST_CASE_TEMPLATE("activations: a state that decays becomes zero, and no denormal", S, float, double) {
    sluice::cell<sluice::lstm, S> cell(
        {.input = 2, .units = 19}); // all gates in the middle, nothing comes in
    cell.update([](auto, std::span<S> values) { std::fill(values.begin(), values.end(), S(0)); });
    std::size_t const steps = 3001;
    auto const xs = xt::xtensor<S, 3>(xt::zeros<S>({steps, std::size_t(3), std::size_t(2)}));
    auto const run = unroll(cell, xs, random_map(cell.zero_state(3), "state"));
    CHECK(denormals(run.outputs) == 0);
    CHECK(run.outputs(20, 2, 18) != 0);
    CHECK(run.state["c"_s](2, 18) == 0);

    sluice::cell<halving, S> half({.input = 2, .units = 19});
    randomize(half);
    auto const state = random_map(half.zero_state(3), "state");
    auto const kept = unroll(half, xs, state);
    CHECK(denormals(kept.outputs) == 0);
    CHECK(kept.outputs(steps - 1, 2, 18) == 0);
    CHECK(kept.outputs(50, 2, 18) != 0);
    auto dys = xt::xtensor<S, 3>(xt::zeros<S>(kept.outputs.shape()));
    xt::view(dys, steps - 1) = S(1);
    auto const g = backward(half, kept, dys);
    CHECK(denormals(g.inputs) == 0);
    CHECK(g.inputs(steps - 20, 2, 1) != 0);

    sluice::stream live(half, 3);
    live.set_state(state);
    xt::xtensor<S, 2> const x = xt::zeros<S>({3, 2});
    for (std::size_t t = 0; t < steps; ++t)
        if (denormals(live.step(x)) > 0)
            FAIL("a denormal at step " << t);
    CHECK(live.step(x)(2, 18) == 0);
}

#endif
#ifdef __x86_64__

TEST_CASE("activations: the processor's setting is what it was before a cell ran") {
    unsigned const flags = 0x3f, before = _mm_getcsr() & ~flags, upward = 0x4000, flushed = 0x8040;
    auto const control = [&] { return _mm_getcsr() & ~flags; };
    for (unsigned const set :
         {before, before | upward, before | 0x8000u, before | 0x0040u, before | flushed}) {
        _mm_setcsr(set);
        sluice::cell<halving, float> cell({.input = 2, .units = 3});
        auto const xs = random_sequence<float>(4, 2, 2);
        auto const run = unroll(cell, xs, cell.zero_state(2));
        unsigned const unrolled = control();
        backward(cell, run, random_like(run.outputs, "dys"));
        unsigned const differentiated = control();
        _mm_setcsr(before);
        CHECK(unrolled == set);
        CHECK(differentiated == set);
    }
}

#endif

} // namespace activations_test
