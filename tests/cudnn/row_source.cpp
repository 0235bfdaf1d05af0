// SPDX-License-Identifier: BSL-1.0
// The kernels that are no blocks of a plan, started by themselves: sums over rows, a row copied into many,
// numbers arranged.
#include <sluice/cudnn/kernels/row_source.hpp>

#include <doctest/doctest.h>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <support/tensors.hpp>

namespace row_source_test {

using namespace sluice::cudnn;
using detail::start, detail::word_of;

template <class S>
double tolerance() {
    return sizeof(S) == 8 ? 1e-14 : sizeof(S) == 4 ? 1e-5 : 1e-2;
}
template <class S>
bool near(S came, double expected) {
    return std::abs(sluice::in_double(came) - expected) <= tolerance<S>() * (1 + std::abs(expected));
}

TEST_CASE_TEMPLATE("row source: the sum over rows, which lie apart", S, float, double, sluice::half) {
    static char key = 0;
    for (auto const& extents :
         {std::pair<std::size_t, std::size_t>{1, 1}, {0, 3}, {15, 31}, {16, 32}, {33, 65}}) {
        std::size_t const m = extents.first, n = extents.second;
        CAPTURE(m);
        CAPTURE(n);
        std::size_t const lda = n + 3;
        auto const a = support::random_tensor<S, 1>({m * lda + 1}, "a");
        auto const given = send(a);
        for (bool const add : {false, true}) {
            auto sums = send(support::random_tensor<S, 1>({n + 2}, "before"));
            auto const before = fetch(sums);
            start(*given.work(), &key, detail::total_source<S>, "total", dim3(detail::parts_of(n, 32)),
                  dim3(32, 16),
                  std::array{word_of(given.data()), std::uint64_t(lda), std::uint64_t(m),
                             word_of(sums.data()), std::uint64_t(n), std::uint64_t(add)});
            auto const found = fetch(sums);
            for (std::size_t c = 0; c < n; ++c) {
                double sum = add ? sluice::in_double(before(c)) : 0;
                for (std::size_t r = 0; r < m; ++r)
                    sum += sluice::in_double(a(r * lda + c));
                CHECK(near(found(c), sum));
            }
            for (std::size_t c = n; c < n + 2; ++c)
                CHECK(sluice::in_double(found(c)) == sluice::in_double(before(c)));
        }
    }
}

TEST_CASE("row source: a row is copied into many, and what lies between them stays") {
    static char key = 0;
    for (auto const& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {5, 3}, {9, 70}}) {
        std::size_t const ldc = n + 2;
        auto const a = support::random_tensor<float, 1>({n}, "a");
        auto const before = support::random_tensor<float, 1>({m * ldc}, "before");
        auto const given = send(a);
        auto rows = send(before);
        start(*given.work(), &key, detail::spread_source<float>, "spread",
              dim3(detail::parts_of(m, 4), detail::parts_of(n, 32)), dim3(32, 4),
              std::array{word_of(given.data()), word_of(rows.data()), std::uint64_t(ldc), std::uint64_t(m),
                         std::uint64_t(n)});
        auto const found = fetch(rows);
        for (std::size_t i = 0; i < m * ldc; ++i)
            CHECK(found(i) == (i % ldc < n ? a(i % ldc) : before(i)));
    }
}

/// 3 x 5 numbers: factor a by, or a / by, or what of them there is, added or not.
template <class S, bool KeptA, bool KeptBy, bool KeptTo>
void check_arrange(bool has_a, bool has_by, bool divide, bool add) {
    using number = sluice::arithmetic_of<S>;
    CAPTURE(has_a);
    CAPTURE(has_by);
    CAPTURE(divide);
    CAPTURE(add);
    static char key = 0;
    auto const a = support::random_tensor<std::conditional_t<KeptA, S, number>, 1>({60}, "a");
    auto by = support::random_tensor<std::conditional_t<KeptBy, S, number>, 1>({60}, "by");
    for (auto& one : by) // to be divided by
        one = sluice::rounded<std::conditional_t<KeptBy, S, number>>(
            std::copysign(0.5 + std::abs(sluice::in_double(one)), sluice::in_double(one)));
    auto const before = support::random_tensor<std::conditional_t<KeptTo, S, number>, 1>({60}, "to");
    auto const a_there = send(a);
    auto const by_there = send(by);
    auto to_there = send(before);
    start(*to_there.work(), &key, detail::arrange_source<S, KeptA, KeptBy, KeptTo>, "arrange", dim3(1),
          dim3(256),
          std::array{has_a ? word_of(a_there.data()) : 0, std::uint64_t(1), std::uint64_t(4),
                     has_by ? word_of(by_there.data()) : 0, std::uint64_t(7), std::uint64_t(0),
                     word_of(to_there.data()), std::uint64_t(11), std::uint64_t(2), std::uint64_t(3),
                     std::uint64_t(5), std::uint64_t(divide), std::uint64_t(add), word_of(-1.5)});
    auto const found = fetch(to_there);
    std::vector<double> expected(60);
    for (std::size_t i = 0; i < 60; ++i)
        expected[i] = sluice::in_double(before(i));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            double value = -1.5 * (has_a ? sluice::in_double(a(i + 4 * j)) : 1);
            double const other = sluice::in_double(by(7 * i));
            value = !has_by ? value : divide ? value / other : value * other;
            double& to = expected[11 * i + 2 * j];
            to = add ? to + value : value;
        }
    for (std::size_t i = 0; i < 60; ++i)
        CHECK(near(found(i), expected[i]));
}

TEST_CASE("row source: numbers are put elsewhere, scaled, divided and added, kept or not") {
    for (bool const add : {false, true}) {
        for (bool const divide : {false, true}) {
            check_arrange<float, true, true, true>(true, true, divide, add);
            check_arrange<sluice::half, true, false, true>(false, true, divide, add);
            check_arrange<sluice::half, false, true, false>(true, true, divide, add);
        }
        check_arrange<sluice::half, true, false, true>(true, false, false, add);
        check_arrange<float, true, true, true>(false, false, true, add); // the factor alone
    }
}

} // namespace row_source_test
