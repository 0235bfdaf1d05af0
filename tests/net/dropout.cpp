// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/net/dropout.hpp>
#include <stdexcept>
#include <support/both.hpp>
#include <support/tensors.hpp>

namespace dropout_test {

using sluice::dropout;
using sluice::seed;

namespace {

template <class S>
xt::xtensor<S, 3> ones(std::size_t steps, std::size_t batch, std::size_t width) {
    return xt::ones<S>({steps, batch, width});
}

} // namespace

TEST_CASE_TEMPLATE("dropout: kept numbers are scaled, dropped ones are zero, as often as the rate says", S,
                   float, double) {
    dropout const drop(0.25, seed{1});
    std::size_t dropped = 0;
    for (S y : drop(ones<S>(20, 10, 100), 0)) {
        CHECK((y == 0 || y == static_cast<S>(1 / 0.75)));
        dropped += y == 0;
    }
    CHECK(std::abs(static_cast<double>(dropped) - 5000) < 4 * std::sqrt(20000 * 0.25 * 0.75));
}

TEST_CASE("dropout: the mean over many draws is what was given, at every position") {
    dropout const drop(0.4, seed{2});
    int const draws = 4000;
    xt::xtensor<double, 3> sum = xt::zeros<double>({2, 3, 5});
    for (int n = 0; n < draws; ++n)
        sum += drop(ones<double>(2, 3, 5), static_cast<std::uint64_t>(n));
    double const deviation = std::sqrt(0.4 / 0.6 / draws); // of a mean of `draws` numbers
    for (double const s : sum)
        CHECK(std::abs(s / draws - 1) < 5 * deviation);
}

TEST_CASE_TEMPLATE("dropout: rows of a part are masked as in the larger batch", S, float, double) {
    auto const xs = support::random_tensor<S, 3>({3, 7, 5}, "xs");
    for (bool const is_variational : {false, true}) {
        dropout const drop(0.25, seed{2}, "part", is_variational);
        xt::xtensor<S, 3> const all = drop(xs, 3);
        for (std::size_t const first : {0u, 2u, 6u}) {
            xt::xtensor<S, 3> const part = xt::view(xs, xt::all(), xt::range(first, 7));
            CHECK(drop(part, 3, first) == xt::view(all, xt::all(), xt::range(first, 7)));
            CHECK(drop(xt::view(xs, xt::all(), xt::range(first, 7)), 3, first) == drop(part, 3, first));
        }
        CHECK(drop(xs, 3, 1) != all);
    }
}

TEST_CASE_TEMPLATE("dropout: the gradient goes through the same mask", S, float, double) {
    dropout const drop(0.25, seed{2});
    auto const xs = support::random_tensor<S, 3>({2, 7, 13}, "xs");
    auto const ys = drop(xs, 3);
    auto const mask = drop(ones<S>(2, 7, 13), 3);
    int kept = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
        CHECK(ys.data()[i] == xs.data()[i] * mask.data()[i]);
        kept += mask.data()[i] != 0;
    }
    CHECK(kept > 7 * 13);
    CHECK(kept < 2 * 7 * 13);
}

TEST_CASE("dropout: masks differ by draw, seed, name, time, row and feature, and by nothing else") {
    dropout const drop(0.5, seed{2});
    auto const first = drop(ones<double>(8, 9, 10), 0);
    CHECK(dropout(0.5, seed{2})(ones<double>(8, 9, 10), 0) == first);
    CHECK(drop(ones<double>(8, 9, 10), 1) != first);
    CHECK(dropout(0.5, seed{3})(ones<double>(8, 9, 10), 0) != first);
    CHECK(dropout(0.5, seed{2}, "layer1")(ones<double>(8, 9, 10), 0) != first);
    CHECK(xt::view(first, 0) != xt::view(first, 1));
    CHECK(xt::view(first, xt::all(), 0) != xt::view(first, xt::all(), 1));
    CHECK(xt::view(first, xt::all(), xt::all(), 0) != xt::view(first, xt::all(), xt::all(), 1));
    // a part of the tensor has its part of the mask, whatever else there is
    CHECK(drop(ones<double>(3, 2, 4), 0) ==
          xt::view(first, xt::range(0, 3), xt::range(0, 2), xt::range(0, 4)));
    CHECK(drop(xt::xtensor<double, 2>(xt::ones<double>({9, 10})), 0) == xt::view(first, 0));
}

TEST_CASE("dropout: a variational mask is the same at all time steps") {
    auto const mask = dropout(0.5, seed{2}, "", true)(ones<double>(3, 9, 10), 0);
    CHECK(xt::view(mask, 0) == xt::view(mask, 2));
    CHECK(xt::view(mask, 0) == xt::view(dropout(0.5, seed{2}, "")(ones<double>(1, 9, 10), 0), 0));
}

TEST_CASE("dropout: the numbers of a seed are the same on every machine") {
    constexpr sluice::random_field field(seed{7}, "layer0/", 5);
    BOTH(field.at(1, 2).unit(3) == field.at(1, 2).unit(3));
    BOTH(field.at(1, 2).unit(3) != field.at(2, 1).unit(3));
    CHECK(field.at(0, 0).unit(0) == 0.19793117881848088);
    CHECK(field.at(1, 2).unit(3) == 0.099932671621778879);
}

TEST_CASE_TEMPLATE("dropout: rate 0 is the identity, rate 1 gives zeros", S, float, double) {
    xt::xtensor<S, 2> const xs{{1, -2, S(0.1)}, {4, 5, std::numeric_limits<S>::infinity()}};
    CHECK(dropout(0)(xs, 0) == xs);
    CHECK(dropout(1)(xs, 0) == xt::zeros<S>({2, 3}));
    CHECK(dropout(1).rate() == 1);
    xt::xtensor<S, 2> const bad{{std::numeric_limits<S>::quiet_NaN()}};
    CHECK(dropout(1)(bad, 0) == xt::zeros<S>({1, 1}));
}

TEST_CASE("dropout: empty tensors, and refusals") {
    dropout const drop(0.5);
    auto const empty = xt::xtensor<float, 3>::from_shape({4, 0, 3});
    CHECK(drop(empty, 0).shape() == empty.shape());
    auto moved = ones<float>(2, 3, 4);
    auto const taken = std::move(moved);
    CHECK_THROWS_WITH_AS(drop(std::as_const(moved), 0), doctest::Contains("was moved from"),
                         std::invalid_argument);
    for (double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_WITH_AS(dropout{bad}, doctest::Contains("between 0 and 1"), std::invalid_argument);
}

} // namespace dropout_test
