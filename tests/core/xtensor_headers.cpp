// SPDX-License-Identifier: BSL-1.0
// Tensors of numbers that are kept, as numbers to compute with; and where the numbers of an expression lie.
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/core/half.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <support/both.hpp>
#include <vector>

namespace xtensor_test {

using sluice::bfloat16;
using sluice::detail::copy_values, sluice::detail::is_always_row_major, sluice::detail::row_major_numbers;

namespace {

float in_float(bfloat16 number) {
    return static_cast<float>(number);
}

} // namespace

TEST_CASE("xtensor: tensors are converted as a whole, and those that need not be are left where they are") {
    xt::xtensor<float, 1> const numbers{1.f, 0.1f, -2.f};
    xt::xtensor<bfloat16, 1> const kept = sluice::rounded_tensor<bfloat16>(numbers);
    xt::xtensor<bfloat16, 1> const from_double =
        sluice::rounded_tensor<bfloat16>(xt::xtensor<double, 1>{0.1});
    xt::xtensor<float, 1> const back = sluice::widened_tensor(kept);
    CHECK(in_float(kept(1)) == in_float(bfloat16(0.1f)));
    CHECK(in_float(from_double(0)) == in_float(bfloat16(0.1f)));
    CHECK(back(2) == -2.f);
    CHECK(back(1) == static_cast<float>(bfloat16(0.1f)));
    CHECK(&sluice::widened_tensor(numbers) == &numbers);
    CHECK(&sluice::rounded_tensor<float>(numbers) == &numbers);
    CHECK(&sluice::rounded_tensor<bfloat16>(kept) == &kept);
}

TEST_CASE("xtensor: numbers that lie side by side are found, those of views from where the view begins") {
    xt::xtensor<float, 2> const all{{1, 2, 3}, {4, 5, 6}};
    CHECK(row_major_numbers<float>(all) == all.data());
    CHECK(row_major_numbers<double>(all) == nullptr);
    CHECK(row_major_numbers<float>(xt::view(all, 1)) == all.data() + 3);
    CHECK(row_major_numbers<float>(xt::view(all, xt::range(1, 2), xt::all())) == all.data() + 3);
    CHECK(row_major_numbers<float>(xt::view(all, xt::all(), xt::range(0, 2))) == nullptr);
    CHECK(row_major_numbers<float>(xt::view(all, xt::all(), 1)) == nullptr);
    CHECK(row_major_numbers<float>(all + 1) == nullptr);
    CHECK(row_major_numbers<float>(xt::xtensor<float, 2, xt::layout_type::column_major>(all)) == nullptr);
    // an axis of one number may have any stride
    xt::xtensor<float, 2, xt::layout_type::column_major> const row{{1, 2, 3}};
    CHECK(row_major_numbers<float>(row) == row.data());
    xt::xtensor<float, 2> const none = xt::xtensor<float, 2>::from_shape({0, 3});
    CHECK(row_major_numbers<float>(none) == nullptr);
    BOTH(is_always_row_major<xt::xtensor<float, 2>, float>);
    BOTH(!is_always_row_major<xt::xtensor<float, 2>, double>);
    BOTH(!is_always_row_major<xt::xtensor<float, 2, xt::layout_type::column_major>, float>);
    BOTH(!is_always_row_major<xt::xtensor<float, 2, xt::layout_type::dynamic>, float>);
}

TEST_CASE("xtensor: the values of anything are copied row by row, in the numbers that are asked for") {
    xt::xtensor<double, 2> const all{{1, 2, 3}, {4, 5, 6}};
    std::array<std::size_t, 2> const whole{2, 3}, turned{3, 2}, part{2, 2};
    auto const copied = []<class S, std::size_t Rank>(auto const& values,
                                                      std::array<std::size_t, Rank> const& shape, S filler) {
        std::vector<S> to(xt::compute_size(shape) + 1, filler);
        copy_values(values, shape, to.data());
        CHECK(to.back() == filler); // nothing is written after the last one
        to.pop_back();
        return to;
    };
    CHECK(copied(all, whole, -1.0) == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(copied(all, whole, -1.0f) == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(copied(xt::transpose(all), turned, -1.0) == std::vector<double>{1, 4, 2, 5, 3, 6});
    CHECK(copied(2 * all, whole, -1.0f) == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(copied(xt::view(all, xt::all(), xt::range(1, 3)), part, -1.0) == std::vector<double>{2, 3, 5, 6});
    bfloat16 narrow[6];
    copy_values(all / 3, whole, narrow);
    CHECK(in_float(narrow[0]) == in_float(bfloat16(static_cast<float>(1.0 / 3))));
}

} // namespace xtensor_test
