// SPDX-License-Identifier: BSL-1.0
// Input that a cell refuses: what was expected and what came is in the message, and nothing has changed.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <support/tensors.hpp>
#include <utility>

namespace bad_input_test {

using namespace support;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

template <class S>
auto make() {
    return sluice::cell<sluice::projected_lstm, S>({.input = 3, .units = 7, .projection = 5},
                                                   sluice::seed{1});
}

} // namespace

TEST_CASE_TEMPLATE("bad input: a step refuses another rank, width, batch or state", S, float, double) {
    auto const cell = make<S>();
    auto state = random_map(cell.zero_state(2), "state");
    auto const before = state;

    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 2>(xt::ones<S>({2, 4})), state),
                         Contains("expects x of shape [batch, 3], but got [2, 4]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xtensor<S, 2>(xt::ones<S>({3, 2})), state),
                         Contains("expects x of shape [batch, 3], but got [3, 2]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xarray<S>(xt::ones<S>({3})), state),
                         Contains("expects x of shape [batch, 3], but got [3]"), bad);
    CHECK_THROWS_WITH_AS(cell(xt::xarray<S>(xt::ones<S>({1, 2, 3})), state), Contains("but got [1, 2, 3]"),
                         bad);
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

TEST_CASE_TEMPLATE("bad input: assign refuses another shape", S, float, double) {
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

TEST_CASE_TEMPLATE("bad input: sizes that multiply to more than memory can have are refused, and named", S,
                   float, double) {
    constexpr std::size_t top = std::size_t(1) << 63, all = static_cast<std::size_t>(-1);
    auto const gru = [](std::size_t input, std::size_t units) {
        return sluice::cell<sluice::gru, S>({.input = input, .units = units});
    };
    CHECK_THROWS_WITH_AS(gru(top, 2), Contains("widths input = 9223372036854775808 and units = 2"), bad);
    CHECK_THROWS_WITH_AS(gru(3, top), Contains("more numbers than memory"), bad);
    CHECK_THROWS_WITH_AS(gru(all, all), Contains("more numbers than memory"), bad);
    CHECK_THROWS_WITH_AS(gru(std::size_t(1) << 32, std::size_t(1) << 32), Contains("about W_r"), bad);
    CHECK_THROWS_AS(gru(3, static_cast<std::size_t>(1) << 31), bad); // two matrices fit, not three
    CHECK_THROWS_WITH_AS((sluice::cell<sluice::dense, S>({.input = 1, .units = top})), Contains("about W_y"),
                         bad);
    CHECK_THROWS_AS((void)sluice::parameter_count<::mgu>({.input = top, .units = 2}), bad);
    CHECK_THROWS_AS((void)sluice::parameter_count<sluice::glstm>({.input = 2, .units = 2, .groups = 0}), bad);
    CHECK_THROWS_AS((sluice::cell<sluice::glstm, S>({.input = 2, .units = 2, .groups = 0})), bad);
    CHECK_THROWS_AS((sluice::cell<sluice::glstm, S>({.input = 2, .units = 2, .groups = top})), bad);

    auto const cell = make<S>();
    CHECK_THROWS_WITH_AS(cell.zero_state(top), Contains("of shape [9223372036854775808, 7]"), bad);
    CHECK_THROWS_WITH_AS(cell.zero_state(all), Contains("of shape [18446744073709551615, 7]"), bad);
    CHECK(cell.zero_state(0)["c"_s].size() == 0);
    auto const many = xt::ones<S>({std::size_t(1) << 62, std::size_t(4), std::size_t(3)}); // lazy: no memory
    CHECK_THROWS_WITH_AS(sluice::unroll(cell, many, cell.zero_state(4)),
                         Contains("x of shape [4611686018427387904, 4, 3]"), bad);
    auto const wide = xt::ones<S>({std::size_t(1) << 58, std::size_t(1), std::size_t(3)});
    CHECK_THROWS_WITH_AS(sluice::unroll(cell, wide, cell.zero_state(1)), Contains("more numbers than memory"),
                         bad);
}

TEST_CASE_TEMPLATE("bad input: what was moved from is refused", S, float, double) {
    auto cell = make<S>();
    xt::xtensor<S, 2> x = xt::ones<S>({2, 3});
    xt::xtensor<S, 3> xs = xt::ones<S>({4, 2, 3});
    auto state = cell.zero_state(2);
    auto const expected = cell(x, state);

    auto const kept_state = std::move(state);
    CHECK_THROWS_WITH_AS(cell(x, state), Contains("a state was moved from"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state), Contains("a state was moved from"), bad);
    auto const kept_x = std::move(x);
    CHECK_THROWS_WITH_AS(cell(x, kept_state), Contains("the x of a step was moved from"), bad);
    auto const kept_xs = std::move(xs);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, kept_state), Contains("the x of unroll was moved from"), bad);

    auto kept = std::move(cell);
    auto const gone = [](auto&& call) {
        CHECK_THROWS_WITH_AS(call(), Contains("the cell was moved from"), std::logic_error);
    };
    gone([&] { (void)cell(kept_x, kept_state); });
    gone([&] { (void)unroll(cell, kept_xs, kept_state); });
    gone([&] { (void)cell.parameters(); });
    gone([&] { (void)cell.setting("forget_bias"_s); });
    gone([&] { cell.assign("W_i"_s, xt::ones<S>({3, 7})); });
    gone([&] { cell.update([](auto, std::span<S>) {}); });
    gone([&] { cell.set_setting("forget_bias"_s, S(1)); });
    gone([&] { std::as_const(cell).visit_tensors([](auto, auto, auto) {}); });
    auto copy = cell; // of nothing
    gone([&] { (void)copy.parameters(); });

    CHECK(same_bits(kept(kept_x, kept_state).output, expected.output));
    cell = kept;
    CHECK(same_bits(cell(kept_x, kept_state).output, expected.output));
    auto& same = cell;
    cell = std::move(same);
    gone([&] { (void)cell.parameters(); });
}

TEST_CASE("bad input: sizes that equations cannot have are refused when the cell is made") {
    CHECK_THROWS_WITH_AS(sluice::cell<sluice::gru>({.input = 0, .units = 3}), Contains("size that is zero"),
                         bad);
    CHECK_THROWS_AS(sluice::cell<sluice::gru>({.input = 3}), bad);
    CHECK_THROWS_AS(sluice::cell<sluice::projected_lstm>({.input = 3, .units = 7}), bad);
    CHECK_THROWS_AS(sluice::cell<sluice::lstm>({.input = 3, .units = 7, .projection = 2}), bad);
    CHECK_THROWS_AS((sluice::cell<::mgu>({.input = 3, .units = 4, .groups = 2})), bad);
    CHECK_THROWS_AS((sluice::cell<::mgu>({.units = 4})), bad);
    CHECK_NOTHROW((sluice::cell<::mgu>({.input = 3, .units = 4})));
    CHECK_THROWS_AS(sluice::cell<sluice::gru>({.input = 3, .units = 4}, {},
                                              {.bias_initializer = sluice::init::orthogonal{}}),
                    bad);
}

} // namespace bad_input_test
