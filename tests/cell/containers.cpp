// SPDX-License-Identifier: BSL-1.0
// What a cell is given may be every kind of thing of xtensor: from each it computes what it computes from a
// plain copy.
#include <mgu/mgu.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/containers.hpp>

namespace containers_test {

using namespace support;
using namespace sluice::literals;

namespace {

constexpr std::size_t batch = 2, input = 3, units = 5;

template <class Backend>
sluice::cell<::mgu, float, Backend> make() {
    sluice::cell<::mgu, float, Backend> cell({.input = input, .units = units}, sluice::seed{2});
    randomize(cell);
    return cell;
}

} // namespace

TEST_CASE_TEMPLATE("containers: a step and a stream read any x", Backend, sluice::default_backend,
                   sluice::xtensor::reference) {
    auto const cell = make<Backend>();
    auto const state = random_map(cell.zero_state(batch), "state");
    auto const step = [&](auto const& x) { return cell(x, state).output; };
    auto const by_name = [&](auto const& x) { return cell(sluice::inputs("x"_s, x), state).output; };
    auto const streamed = [&](auto const& x) {
        sluice::stream live(cell, batch, state);
        return live.step(x);
    };
    for_each_kind<float, batch, input>([&](char const* kind, auto const& x) {
        check_like_copy<2>("step", kind, x, step);
        check_like_copy<2>("step by name", kind, x, by_name);
        check_like_copy<2>("stream", kind, x, streamed);
    });
}

TEST_CASE("containers: states and parameters are set from anything") {
    auto cell = make<sluice::default_backend>();
    auto const x = random_tensor<float, 2>({batch, input}, "x");
    auto const from_state = [&](auto const& h) {
        auto state = cell.zero_state(batch);
        state["h"_s] = h;
        sluice::stream live(cell, batch);
        live.set_state(state);
        return live.step(x);
    };
    auto const assigned = [&](auto const& w) {
        cell.assign("W_f"_s, w);
        return xt::xtensor<float, 2>(cell.parameters()["W_f"_s]);
    };
    auto const in_map = [&](auto const& w) {
        auto map = cell.parameters();
        map["W_f"_s] = w;
        return xt::xtensor<float, 2>(map["W_f"_s]);
    };
    for_each_kind<float, batch, units>(
        [&](char const* kind, auto const& h) { check_like_copy<2>("a state", kind, h, from_state); });
    for_each_kind<float, input, units>([&](char const* kind, auto const& w) {
        check_like_copy<2>("assign", kind, w, assigned);
        check_like_copy<2>("a tensor of a map", kind, w, in_map);
    });
}

TEST_CASE("containers: a parameter is set from that of another cell, also in a map") {
    auto cell = make<sluice::default_backend>();
    sluice::cell<::mgu> const other({.input = input, .units = units}, sluice::seed{3});
    CHECK(!same_bits(cell.parameters()["R_n"_s], other.parameters()["R_n"_s]));
    cell.assign("R_n"_s, other.parameters()["R_n"_s]);
    CHECK(same_bits(cell.parameters()["R_n"_s], other.parameters()["R_n"_s]));
    auto map = cell.parameters(), from = other.parameters();
    auto before = from["W_n"_s];
    map["W_n"_s] = from["W_n"_s];
    CHECK(same_bits(map["W_n"_s], before));
    from["W_n"_s] = before + 1.f;
    CHECK(same_bits(map["W_n"_s], before)); // a copy
    map["W_f"_s] = std::as_const(from)["W_f"_s];
    CHECK(same_bits(map["W_f"_s], other.parameters()["W_f"_s]));
    xt::xtensor<float, 2> values = before;
    auto const gone = std::move(values);
    CHECK_THROWS_WITH_AS(map["W_n"_s] = values, doctest::Contains("was moved from"), std::invalid_argument);
    CHECK_THROWS_AS(map["W_n"_s] = std::move(values), std::invalid_argument);
    CHECK(same_bits(map["W_n"_s], before));
}

TEST_CASE("containers: a state of a map that is about to go is not assigned to, and can be kept") {
    auto const cell = make<sluice::default_backend>();
    sluice::stream live(cell, batch);
    using values = xt::xtensor<float, 2>;
    static_assert(!std::is_assignable_v<decltype(live.state()["h"_s]), values const&>);
    static_assert(!std::is_assignable_v<decltype(cell.zero_state(batch)["h"_s]), values>);
    live.step(random_tensor<float, 2>({batch, input}, "x"));
    auto const state = live.state();
    auto const& kept = live.state()["h"_s];
    auto const twice = 2.f * live.state()["h"_s];
    CHECK(same_bits(kept, state["h"_s]));
    CHECK(same_bits(values(twice), values(2.f * state["h"_s])));
}

TEST_CASE("containers: a batch without rows is read from anything") {
    auto const cell = make<sluice::default_backend>();
    auto const none = cell.zero_state(0);
    xt::xtensor<float, 2> const plain = xt::zeros<float>({std::size_t(0), input});
    float* const nowhere = nullptr;
    std::array<std::size_t, 2> const shape{0, input}, expected{0, units};
    CHECK(cell(plain, none).output.shape() == expected);
    CHECK(cell(xt::adapt(nowhere, 0, xt::no_ownership(), shape), none).output.shape() == expected);
    CHECK(cell(plain + 1.f, none).output.shape() == expected);
    auto const x = random_tensor<float, 2>({batch, input}, "x");
    CHECK(cell(xt::view(x, xt::range(1, 1)), none).output.shape() == expected);
    xt::xtensor<float, 2, xt::layout_type::column_major> const columns = plain;
    CHECK(cell(columns, none).output.shape() == expected);
    CHECK(cell(xt::xarray<float>(plain), none).output.shape() == expected);
}

} // namespace containers_test
