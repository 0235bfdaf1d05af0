// SPDX-License-Identifier: BSL-1.0
// Inputs are read where they lie, or copied: the results are the same to the bit, and unroll keeps its own.
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace in_place_test {

using namespace sluice::literals;

namespace {

using sluice::detail::row_major_numbers;

xt::xtensor<float, 3> numbers(std::array<std::size_t, 3> const& shape) {
    auto made = xt::xtensor<float, 3>::from_shape(shape);
    sluice::random_stream draw(sluice::seed{5}, "in_place");
    for (float& v : made)
        v = static_cast<float>(draw.uniform(-1, 1));
    return made;
}

template <class Page>
sluice::cell<Page> make() {
    sluice::cell<Page> cell({.input = 7, .units = 19}, sluice::seed{3});
    support::randomize(cell);
    return cell;
}

} // namespace

TEST_CASE("in place: what lies side by side is found, and nothing else") {
    auto const xs = numbers({6, 3, 7});
    xt::xarray<float> const any = xs;
    xt::xtensor<float, 3, xt::layout_type::column_major> const columns = xs;
    CHECK(row_major_numbers<float>(xs) == xs.data());
    CHECK(row_major_numbers<float>(any) == any.data());
    CHECK(row_major_numbers<float>(xt::view(xs, xt::range(2, 5))) == xs.data() + 42);
    CHECK(row_major_numbers<float>(xt::view(xs, xt::range(2, 3), xt::range(1, 3))) == xs.data() + 49);
    CHECK(row_major_numbers<float>(xt::view(xs, xt::range(2, 4), xt::range(1, 3))) == nullptr);
    CHECK(row_major_numbers<float>(xt::view(xs, xt::range(0, 6, 2))) == nullptr);
    CHECK(row_major_numbers<float>(xt::view(xs, xt::all(), xt::all(), xt::range(0, 6))) == nullptr);
    CHECK(row_major_numbers<float>(columns) == nullptr);
    CHECK(row_major_numbers<float>(1 * xs) == nullptr);
    CHECK(row_major_numbers<double>(xs) == nullptr);
    CHECK(row_major_numbers<float>(numbers({0, 3, 7})) == nullptr);
}

TEST_CASE_TEMPLATE("in place: inputs in place give what copies of them give", Page, sluice::lstm,
                   sluice::gru) {
    auto const cell = make<Page>();
    auto const all = numbers({13, 3, 7});
    auto state = cell.zero_state(3);
    state["h"_s] = 0.5f * xt::ones<float>({3, 19});
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({9, 3});
    resets(4, 1) = resets(7, 0) = true;
    xt::xtensor<float, 3> const xs = xt::view(all, xt::range(2, 11));
    xt::xtensor<float, 3, xt::layout_type::column_major> const columns = xs;
    for (bool with_resets : {false, true}) {
        CAPTURE(with_resets);
        sluice::unroll_options const options{.resets = with_resets ? sluice::reset_mask(resets)
                                                                   : sluice::reset_mask()};
        auto const expected = infer(cell, 1 * xs, state, options);
        auto const same = [&](auto const& given) {
            auto const found = infer(cell, given, state, options);
            CHECK(found.outputs == expected.outputs);
            CHECK(found.state["h"_s] == expected.state["h"_s]);
        };
        same(xs);
        same(xt::view(all, xt::range(2, 11)));
        same(xt::xarray<float>(xs));
        same(columns);
        same(xt::adapt(all.data() + 42, 9 * 3 * 7, xt::no_ownership(), std::array<std::size_t, 3>{9, 3, 7}));
        same(sluice::inputs("x"_s, xs));
        CHECK(unroll(cell, xs, state, options).outputs == expected.outputs);
    }
}

TEST_CASE("in place: padding is not read in place, and stays as the caller has it") {
    auto const cell = make<sluice::gru>();
    auto const state = cell.zero_state(3);
    auto const xs = numbers({5, 3, 7});
    auto padded = xs;
    xt::view(padded, xt::range(2, 5), 1) = std::numeric_limits<float>::quiet_NaN();
    auto const expected = infer(cell, xs, state, {.lengths = {5, 2, 4}});
    CHECK(infer(cell, padded, state, {.lengths = {5, 2, 4}}).outputs == expected.outputs);
    CHECK(std::isnan(padded(2, 1, 0)));
}

TEST_CASE("in place: what backward reads does not change with the inputs") {
    auto const cell = make<sluice::gru>();
    auto const state = cell.zero_state(3);
    auto xs = numbers({5, 3, 7});
    auto const kept = unroll(cell, xs, state), other = unroll(cell, xs, state);
    auto const expected = backward(cell, kept, kept.outputs, state);
    xs.fill(std::numeric_limits<float>::quiet_NaN());
    auto const found = backward(cell, other, other.outputs, state);
    CHECK(std::ranges::equal(found.parameters.values(), expected.parameters.values()));
}

TEST_CASE("in place: sequences of nothing") {
    auto const cell = make<sluice::lstm>();
    CHECK(infer(cell, numbers({0, 3, 7}), cell.zero_state(3)).outputs.shape()[0] == 0);
    CHECK(infer(cell, numbers({4, 0, 7}), cell.zero_state(0)).outputs.size() == 0);
}

} // namespace in_place_test
