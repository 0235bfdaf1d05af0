// SPDX-License-Identifier: BSL-1.0
// Sequences between layers: each row turned round within its length, and masks that repeat.
#include <sluice/cudnn/kernels/sequence_kernels.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <support/tensors.hpp>

namespace sequence_kernels_test {

using namespace sluice::cudnn;

/// Turned by hand, in rows of the device that lie apart.
template <class S>
void check_turn(std::size_t steps, std::size_t batch, std::size_t width,
                std::vector<std::size_t> const& lengths) {
    CAPTURE(steps);
    CAPTURE(batch);
    CAPTURE(width);
    std::size_t const a_row = width + 2, c_row = width + 5, all = steps * batch;
    auto const a = support::random_tensor<S, 1>({all * a_row}, "a");
    auto const before = support::random_tensor<S, 1>({all * c_row}, "before");
    auto const given = send(a);
    auto turned = send(before), back = send(before);
    auto ends = xt::xtensor<std::size_t, 1>::from_shape({lengths.size()});
    std::copy(lengths.begin(), lengths.end(), ends.begin());
    auto const ends_there = send(ends);
    std::size_t const* const there = lengths.empty() ? nullptr : ends_there.data();
    sequence_kernels const kernels(given.work());
    kernels.reverse(steps, batch, width, given.data(), a_row, turned.data(), c_row, there);
    kernels.reverse(steps, batch, width, static_cast<S const*>(turned.data()), c_row, back.data(), c_row,
                    there);
    auto const found = fetch(turned), again = fetch(back);
    for (std::size_t t = 0; t < steps; ++t)
        for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t i = 0; i < c_row; ++i) {
                std::size_t const end = lengths.empty() ? steps : lengths[b];
                std::size_t const from = t < end ? end - 1 - t : t, at = (t * batch + b) * c_row + i;
                S const expected = i < width ? a((from * batch + b) * a_row + i) : before(at);
                CHECK(sluice::in_double(found(at)) == sluice::in_double(expected));
                S const first = i < width ? a((t * batch + b) * a_row + i) : before(at);
                CHECK(sluice::in_double(again(at)) == sluice::in_double(first));
            }
}

TEST_CASE("sequence kernels: each row is turned round within its length, and once more back") {
    check_turn<float>(1, 1, 1, {});
    check_turn<float>(7, 3, 5, {});
    check_turn<float>(7, 3, 5, {7, 0, 4});
    check_turn<double>(2, 5, 33, {1, 2, 2, 0, 1});
    check_turn<sluice::half>(3, 2, 130, {3, 2});
}

TEST_CASE("sequence kernels: of nothing no kernel is started") {
    auto const q = queue::of_this_thread();
    sequence_kernels const kernels(q);
    float const* const none = nullptr;
    kernels.reverse(0, 3, 5, none, 5, static_cast<float*>(nullptr), 5, nullptr);
    kernels.reverse(2, 0, 5, none, 5, static_cast<float*>(nullptr), 5, nullptr);
    kernels.reverse(2, 3, 0, none, 5, static_cast<float*>(nullptr), 5, nullptr);
    kernels.mask(0, none, none, 5, static_cast<float*>(nullptr));
    CHECK_NOTHROW(q->wait());
}

TEST_CASE_TEMPLATE("sequence kernels: masks repeat, and a mask of 0 is 0 whatever it meets", S, float, double,
                   sluice::bfloat16) {
    using number = sluice::arithmetic_of<S>;
    constexpr std::size_t count = 523, period = 7;
    auto a = support::random_tensor<S, 1>({count}, "a");
    a(0) = sluice::rounded<S>(std::numeric_limits<number>::infinity());
    a(period) = sluice::rounded<S>(std::numeric_limits<number>::quiet_NaN());
    auto m = support::random_tensor<number, 1>({period}, "m", 2);
    m(0) = 0;
    m(3) = number(-0.0);
    auto const given = send(a);
    auto const masks = send(m);
    tensor<S, 1> masked({count});
    sequence_kernels(given.work()).mask(count, given.data(), masks.data(), period, masked.data());
    auto const found = fetch(masked);
    for (std::size_t i = 0; i < count; ++i) {
        S const expected =
            m(i % period) == 0 ? S() : sluice::rounded<S>(sluice::widened(a(i)) * m(i % period));
        CHECK(sluice::in_double(found(i)) == sluice::in_double(expected));
    }
}

} // namespace sequence_kernels_test
