// SPDX-License-Identifier: BSL-1.0
// Words that are made of others are those, as types.
#include <doctest/doctest.h>
#include <sluice/expr/composed.hpp>
#include <type_traits>

namespace composed_test {

using namespace sluice::equation;

namespace {

constexpr auto z = gate<"z">;
constexpr auto keys = size<"keys">;

template <class A, class B>
constexpr bool same(A, B) {
    return std::is_same_v<A, B> && std::is_empty_v<A>;
}

} // namespace

TEST_CASE("composed: normalisations are quotients by a mean or a sum of squares") {
    CHECK(same(l2_norm(z), z * rsqrt(sum(square(z)) + 1e-6_n)));
    CHECK(same(l2_norm<4>(z, 1e-12_n), z * rsqrt(sum<4>(square(z)) + 1e-12_n)));
    CHECK(same(l2_norm<groups>(z, 1), l2_norm<groups>(z, 1_n)));
    CHECK(same(rms_norm<4>(z, p<"g">), z * rsqrt(mean<4>(square(z)) + 1e-5_n) * p<"g">));
    CHECK(same(softmax(z), exp(z - reduce<sluice::operation::offset>(z)) /
                               sum(exp(z - reduce<sluice::operation::offset>(z)))));
}

TEST_CASE("composed: a rotation has the real parts in the first half") {
    constexpr auto re = slice<0, keys>(h);
    constexpr auto im = slice<keys, keys>(h);
    CHECK(same(rotate<keys>(h, z), concat(re * cos(z) - im * sin(z), re * sin(z) + im * cos(z))));
    CHECK(same(rotate<keys>(h, 1), rotate<keys>(h, 1_n)));
}

TEST_CASE("composed: a convolution is a sum of delays, from this step on") {
    CHECK(same(convolution<1>(x), vector<"c_0"> * x));
    CHECK(same(convolution<3>(x),
               vector<"c_0"> * x + (vector<"c_1"> * delay<1>(x) + vector<"c_2"> * delay<2>(x))));
    CHECK(same(convolution<2, "k", keys>(z), vector<"k_0"> * z + vector<"k_1"> * delay<1, keys>(z)));
    CHECK(same(convolution<2>(h), vector<"c_0"> * h + vector<"c_1"> * delay<1>(h)));
}

TEST_CASE("composed: an update that is repeated is told its number") {
    constexpr auto update = [](auto of, auto i) { return tanh(of * matrix<sluice::numbered<"M", i>>); };
    CHECK(same(repeat<1>(h, update), tanh(h * matrix<"M0">)));
    CHECK(same(repeat<3>(h, update), tanh(tanh(tanh(h * matrix<"M0">) * matrix<"M1">) * matrix<"M2">)));
}

} // namespace composed_test
