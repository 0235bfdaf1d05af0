// SPDX-License-Identifier: BSL-1.0
// Input that a cell refuses: what was expected and what came is in the message, and nothing has changed.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/core/xtensor.hpp>
#include <support/tensors.hpp>

using namespace support;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

template <class S>
auto make() {
    return sluice::projected_lstm<S>({.input = 3, .num_units = 7, .num_proj = 5}, sluice::seed{1});
}

} // namespace

TEST_CASE_TEMPLATE("a step refuses another rank, width, batch or state", S, float, double) {
    auto const cell = make<S>();
    auto state = random_map(cell.zero_state(2), "state");
    auto const before = state;

    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 2>(xt::ones<S>({2, 4})), state),
                         Contains("expects x of shape [batch, 3], but got [2, 4]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 2>(xt::ones<S>({3, 2})), state),
                         Contains("expects x of shape [batch, 3], but got [3, 2]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xarray<S>(xt::ones<S>({3})), state),
                         Contains("expects x of shape [batch, 3], but got [3]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 3>(xt::ones<S>({1, 2, 3})), state),
                         Contains("but got [1, 2, 3]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 1>(xt::ones<S>({3})), state), Contains("but got [3]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 2>(xt::ones<S>({4, 3})), state),
                         Contains("a state c of shape [4, 7], but got [2, 7]"), bad);

    xt::xtensor<S, 2> const x = xt::ones<S>({2, 3});
    state["c"_s] = xt::ones<S>({2, 6});
    CHECK_THROWS_WITH_AS(cell(x, state), Contains("a state c of shape [2, 7], but got [2, 6]"), bad);
    state["c"_s] = before["c"_s];
    CHECK(same_map(state, before));
    CHECK(cell(x, state).output.shape() == std::array<std::size_t, 2>{2, 5});
    CHECK(same_map(state, before));
}

TEST_CASE_TEMPLATE("assign refuses another shape", S, float, double) {
    auto cell = make<S>();
    auto const before = cell.parameters();
    auto const version = cell.version();
    CHECK_THROWS_WITH_AS(cell.assign("W_i"_s, xt::ones<S>({7, 3})),
                         Contains("values of W_i of shape [3, 7], but got [7, 3]"), bad);
    CHECK_THROWS_WITH_AS(cell.assign("b_i"_s, xt::xtensor<S, 1>(xt::ones<S>({8}))),
                         Contains("values of b_i of shape [7], but got [8]"), bad);
    CHECK_THROWS_WITH_AS(cell.assign("W_i"_s, xt::xarray<S>(xt::ones<S>({21}))),
                         Contains("of shape [3, 7], but got [21]"), bad);
    CHECK_THROWS_WITH_AS(cell.assign("W_P"_s, xt::xarray<S>(S(1))), Contains("of shape [7, 5], but got []"),
                         bad);
    CHECK(same_map(cell.parameters(), before));
    CHECK(cell.version() == version);

    // expressions, other element types and layouts are converted; the old values may take part
    cell.assign("W_i"_s, S(2) * cell.parameters()["W_i"_s]);
    CHECK(same_bits(cell.parameters()["W_i"_s], xt::xtensor<S, 2>(S(2) * before["W_i"_s])));
    xt::xtensor<S, 2, xt::layout_type::column_major> const turned = before["W_i"_s];
    cell.assign("W_i"_s, turned);
    CHECK(same_map(cell.parameters(), before));
    cell.assign("W_i"_s, xt::xtensor<S, 2>(xt::transpose(xt::xtensor<S, 2>(xt::transpose(before["W_i"_s])))));
    CHECK(same_map(cell.parameters(), before));
    cell.assign("b_i"_s, xt::xarray<S>(xt::ones<S>({7})));
    CHECK(cell.parameters()["b_i"_s] == xt::ones<S>({7}));
    CHECK(cell.version() != version);
}

TEST_CASE("sizes that equations cannot have are refused when the cell is made") {
    CHECK_THROWS_WITH_AS(sluice::gru<float>({.input = 0, .num_units = 3}), Contains("size that is zero"),
                         bad);
    CHECK_THROWS_AS(sluice::gru<float>({.input = 3}), bad);
    CHECK_THROWS_AS(sluice::projected_lstm<float>({.input = 3, .num_units = 7}), bad);
    CHECK_THROWS_AS(sluice::lstm<float>({.input = 3, .num_units = 7, .num_proj = 2}), bad);
    CHECK_THROWS_AS((sluice::cell<mgu::equations>({.input = 3, .units = 4, .groups = 2})), bad);
    CHECK_THROWS_AS((sluice::cell<mgu::equations>({.units = 4})), bad);
    CHECK_NOTHROW((sluice::cell<mgu::equations>({.input = 3, .units = 4})));
    CHECK_THROWS_AS(
        sluice::gru<float>({.input = 3, .num_units = 4, .bias_initializer = sluice::initial::orthogonal{}}),
        bad);
}
