// SPDX-License-Identifier: BSL-1.0
// What nets do with numbers of the host between their layers.
#include <sluice/net/host_memory.hpp>

#include <doctest/doctest.h>
#include <sluice/backend/kernels.hpp>
#include <sluice/core/half.hpp>
#include <vector>

namespace host_memory_test {

namespace {

template <class S>
using memory = sluice::host_memory<S, sluice::no_kernels>;
using numbers = std::vector<double>;

} // namespace

TEST_CASE("host memory: rows lie apart, and no other number is written") {
    numbers to{1, 2, 3, 4, 5, 6};
    memory<double>::clear(2, 2, to.data(), 3);
    CHECK(to == numbers{0, 0, 3, 0, 0, 6});
    numbers const from{7, 8, 9, 10};
    memory<double>::copy(2, 1, from.data(), 2, to.data() + 1, 3);
    CHECK(to == numbers{0, 7, 3, 0, 9, 6});
    memory<double>::add(4, from.data(), to.data());
    CHECK(to == numbers{7, 15, 12, 10, 9, 6});
    memory<double>::clear(0, 2, nullptr, 2);
    memory<double>::add(0, nullptr, nullptr);
}

TEST_CASE("host memory: half numbers are added in arithmetic, and rounded once") {
    using sluice::half;
    std::vector<half> to{sluice::rounded<half>(2048.f)}, from{sluice::rounded<half>(1.f)};
    memory<half>::add(1, from.data(), to.data());
    CHECK(sluice::widened(to[0]) == 2048.f); // 2049 lies between two numbers, and the even one is this
}

TEST_CASE("host memory: a mask of one step or row is spread over all") {
    auto to = memory<double>::make(2, 3, 2);
    memory<double>::spread(xt::xtensor<double, 3>{{{1, 2}}}, to);
    CHECK(to == xt::xtensor<double, 3>{{{1, 2}, {1, 2}, {1, 2}}, {{1, 2}, {1, 2}, {1, 2}}});
    memory<double>::spread(xt::xtensor<double, 3>{{{1, 2}, {3, 4}, {5, 6}}}, to);
    CHECK(to == xt::xtensor<double, 3>{{{1, 2}, {3, 4}, {5, 6}}, {{1, 2}, {3, 4}, {5, 6}}});
}

TEST_CASE("host memory: values and their gradients are dropped alike") {
    sluice::dropout const how(0.5, sluice::seed{3});
    auto values = memory<double>::make(5, 3, 7), gradients = values;
    values.fill(1);
    gradients.fill(3);
    auto const mask = memory<double>::drop(how, 4, 2, values);
    memory<double>::drop_again(how, 4, 2, mask, gradients);
    CHECK(values == how(xt::xtensor<double, 3>(xt::ones<double>({5, 3, 7})), 4, 2));
    CHECK(gradients == 3 * values);
    CHECK(xt::amin(values)() == 0);
    CHECK(xt::amax(values)() == 2);
}

} // namespace host_memory_test
