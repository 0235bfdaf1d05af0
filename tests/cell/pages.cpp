// SPDX-License-Identifier: BSL-1.0
// A page that a user writes: with initial values and settings of its own it is made as the stock cells are.
// Policies stand after it in any order.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace pages_test {

using namespace support;
using namespace sluice::literals;

namespace {

namespace words {
using namespace sluice::equation;
/// An echo state that learns: the recurrent matrix starts as an orthogonal one.
struct echo {
    static constexpr std::string_view name = "echo";
    static constexpr auto equations = sluice::lines(
        next(h) = h + setting<"dt">(0.5_n) * (tanh(x * W<"h"> + h * R<"h"> + b<"h">) - h * vector<"q">));

    struct initial_values {
        double gain = 1;

        sluice::start operator()(sluice::parameter_role const& p, sluice::sizes const&) const {
            return p.called.view() == "R_h" ? sluice::start{sluice::init::orthogonal{gain}}
                                            : default_start(p);
        }
    };
};
} // namespace words
using words::echo;

/// R R^T of an orthogonal R is the identity, times the square of the gain.
template <class Matrix>
double square_of_gain(Matrix const& r) {
    double sum = 0;
    for (std::size_t i = 0; i < r.shape()[1]; ++i)
        sum += static_cast<double>(r(0, i)) * static_cast<double>(r(0, i));
    return sum;
}

constexpr sluice::sizes sizes{.input = 3, .units = 5};

} // namespace

TEST_CASE("pages: sizes, a seed, how the parameters start, settings: one order for all cells") {
    sluice::cell<echo, double> const plain(sizes);
    CHECK(square_of_gain(plain.parameters()["R_h"_s]) == doctest::Approx(1));
    CHECK(plain.parameters()["b_h"_s] == xt::zeros<double>({5}));
    CHECK(plain.setting("dt"_s) == 0.5);

    sluice::cell<echo, double> const twice(sizes, sluice::seed{7}, {.gain = 2});
    CHECK(square_of_gain(twice.parameters()["R_h"_s]) == doctest::Approx(4));
    sluice::cell<echo, double> const slow(sizes, sluice::seed{7}, {{"dt", 0.25}});
    CHECK(slow.setting("dt"_s) == 0.25);
    CHECK(same_bits(slow.parameters()["W_h"_s], twice.parameters()["W_h"_s]));
    sluice::cell<echo, double> const both(sizes, sluice::seed{7}, {.gain = 2}, {{"dt", 0.25}});
    CHECK(same_map(both.parameters(), twice.parameters()));
    CHECK(both.setting("dt"_s) == 0.25);

    using fixed = sluice::cell<echo, double, sluice::extents<sizes>>;
    CHECK(same_map(fixed(sluice::seed{7}, {.gain = 2}, {{"dt", 0.25}}).parameters(), both.parameters()));
    CHECK(same_map(fixed(sluice::seed{7}, {{"dt", 0.25}}).parameters(), slow.parameters()));

    sluice::cell<sluice::lstm, double> const stock(
        sizes, sluice::seed{7}, {.kernel_initializer = sluice::init::ones{}}, {{"forget_bias", 0.25}});
    CHECK(stock.parameters()["R_o"_s] == xt::ones<double>({5, 5}));
    CHECK(stock.setting("forget_bias"_s) == 0.25);
}

TEST_CASE("pages: what an initial value gets wrong is refused when the cell is made") {
    CHECK_THROWS_WITH_AS((sluice::cell<echo>(sizes, {}, {.gain = std::nan("")})),
                         doctest::Contains("orthogonal: expected a finite gain"), std::invalid_argument);
}

TEST_CASE("policies: in any order they name one type") {
    using sluice::cell, sluice::extents, sluice::xtensor::reference;
    CHECK(std::is_same_v<cell<::mgu>, cell<::mgu, sluice::open_extents, sluice::default_backend, float>>);
    CHECK(std::is_same_v<cell<::mgu, double, reference>, cell<::mgu, reference, double>>);
    CHECK(std::is_same_v<cell<::mgu, extents<sizes>, reference, double>,
                         cell<::mgu, double, extents<sizes>, reference>>);
    CHECK(!std::is_same_v<cell<::mgu, double>, cell<::mgu>>);
    CHECK(std::is_same_v<cell<::mgu, reference>::scalar_type, float>);
    CHECK(std::is_same_v<cell<::mgu, reference>::page_type, ::mgu>);
}

TEST_CASE("pages: pages have names, and the stock ones sources") {
    CHECK(echo::name == "echo");
    CHECK(sluice::gru::name == "GRU");
    CHECK(sluice::gru_with<sluice::activation::relu>::name == "GRU");
    for (std::string_view const source :
         {sluice::gru::source, sluice::cudnn_gru::source, sluice::lstm::source,
          sluice::projected_lstm::source, sluice::glstm::source})
        CHECK(source.find("arXiv") != std::string_view::npos);
}

} // namespace pages_test
