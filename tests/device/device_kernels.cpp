// SPDX-License-Identifier: BSL-1.0
// Numbers that are put elsewhere on the device, scaled and added, against the same on the host.
#include <cmath>
#include <doctest/doctest.h>
#include <random>
#include <sluice/cudnn.hpp>
#include <sluice/execute/matrices.hpp>

namespace kernels_test {

using sluice::strided;

template <class T>
std::vector<T> random_numbers(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(0.5f, 2);
    std::vector<T> numbers;
    for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(sluice::rounded<T>(static_cast<sluice::arithmetic_of<T>>(uniform(bits))));
    return numbers;
}

struct on_device {
    sluice::cudnn::kernels kernels{};

    template <class T>
    std::shared_ptr<T> send(std::vector<T> const& numbers) const {
        std::shared_ptr<T> there(kernels.allocate<T>(numbers.size()),
                                 [k = kernels, n = numbers.size()](T* p) { k.release(p, n); });
        kernels.upload(numbers.size(), numbers.data(), there.get());
        return there;
    }
};

/// In 7 x 5 numbers; the strides say which of those that there are.
template <class From, class By, class To>
void check(double factor, bool has_a, bool has_by, bool divide, bool add) {
    constexpr std::size_t rows = 7, columns = 5, room = 200;
    on_device const device;
    auto const a = random_numbers<From>(room, 1);
    auto const by = random_numbers<By>(room, 2);
    auto expected = random_numbers<To>(room, 3);
    auto const a_there = device.send(a);
    auto const by_there = device.send(by);
    auto const to_there = device.send(expected);
    auto const arrange = [&](auto const& with, From const* from, By const* other, To* to) {
        with.arrange(rows, columns, factor, strided<From const>{has_a ? from + 3 : nullptr, 2, 17},
                     strided<By const>{has_by ? other + 1 : nullptr, 0, 3}, divide,
                     strided<To>{to + 2, 11, 2}, add);
    };
    arrange(sluice::host_numbers{}, a.data(), by.data(), expected.data());
    arrange(device.kernels, a_there.get(), by_there.get(), to_there.get());
    std::vector<To> came(room);
    device.kernels.download(room, to_there.get(), came.data());
    device.kernels.wait();
    double const tolerance = sizeof(To) == 8 ? 1e-15 : sizeof(To) == 4 ? 1e-6 : 1e-2;
    for (std::size_t i = 0; i < room; ++i)
        CHECK(std::abs(sluice::in_double(came[i]) - sluice::in_double(expected[i])) <
              tolerance * (1 + std::abs(sluice::in_double(expected[i]))));
}

TEST_CASE_TEMPLATE("arrange: numbers are arranged on the device as on the host", S, float, double,
                   sluice::half, sluice::bfloat16) {
    using number = sluice::arithmetic_of<S>;
    for (bool const add : {false, true}) {
        check<S, S, S>(1, true, false, false, add);
        check<S, number, S>(-0.75, true, true, false, add);
        check<number, S, number>(2, true, true, true, add);
        check<number, number, S>(3, false, true, true, add);
        check<S, number, number>(0, false, false, false, add);
    }
}

TEST_CASE("arrange: none is arranged where there are no rows or columns") {
    on_device const device;
    auto const there = device.send(std::vector<float>{1, 2});
    for (std::size_t const rows : {0, 3})
        device.kernels.arrange(rows, 3 - rows, 9, strided<float const>{}, strided<float const>{}, false,
                               strided<float>{there.get(), 0, 0}, false);
    std::vector<float> came(2);
    device.kernels.download(2, there.get(), came.data());
    device.kernels.wait();
    CHECK(came == std::vector<float>{1, 2});
}

TEST_CASE("arrange: the device knows its own memory") {
    on_device const device;
    std::vector<float> const here(7);
    auto const there = device.send(here);
    CHECK(device.kernels.holds(there.get()));
    CHECK(device.kernels.holds(there.get() + 6));
    CHECK_FALSE(device.kernels.holds(here.data()));
    CHECK_FALSE(device.kernels.holds(nullptr));
}

} // namespace kernels_test
