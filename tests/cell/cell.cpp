// SPDX-License-Identifier: BSL-1.0
// What a cell has beside running: settings, copies, changes that fail.
#include <doctest/doctest.h>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>

namespace cell_test {

using namespace support;
using namespace sluice::literals;

namespace {

using own_cell = sluice::cell<own_cells::traced, double>;

own_cell make() {
    own_cell cell(own_cells::extents, sluice::seed{1});
    randomize(cell);
    cell.set_setting("leak"_s, own_cells::leak);
    return cell;
}

} // namespace

TEST_CASE("cell: settings are numbers of the run, not parameters") {
    auto cell = make();
    CHECK(cell.setting("leak"_s) == own_cells::leak);
    auto const xs = random_sequence<double>(3, 2, 5);
    auto const with_leak = unroll(cell, xs, cell.zero_state(2));
    cell.set_setting("leak"_s, 0);
    CHECK(cell.setting("leak"_s) == 0);
    auto const without = unroll(cell, xs, cell.zero_state(2));
    CHECK_FALSE(same_bits(with_leak.outputs, without.outputs));
    CHECK(same_bits(steps(with_leak.outputs, 0, 1), steps(without.outputs, 0, 1))); // m was zero there
    CHECK_THROWS_AS(backward(cell, with_leak, with_leak.outputs), std::logic_error);
}

TEST_CASE("cell: a copy of a cell is another cell") {
    auto cell = make();
    auto const copy = cell;
    auto const parameters = copy.parameters();
    auto const xs = random_sequence<double>(3, 2, 5);
    auto const expected = unroll(copy, xs, copy.zero_state(2));

    CHECK(same_map(cell.parameters(), parameters));
    cell.update([](auto, std::span<double> values) { std::fill(values.begin(), values.end(), 0.1); });
    cell.set_setting("leak"_s, 0);
    CHECK(same_map(copy.parameters(), parameters));
    CHECK(copy.setting("leak"_s) == own_cells::leak);
    auto const again = unroll(copy, xs, copy.zero_state(2));
    CHECK(same_bits(again.outputs, expected.outputs));
    CHECK_FALSE(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs, expected.outputs));

    cell = copy; // and back
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs, expected.outputs));
    auto const moved = std::move(cell);
    CHECK(same_bits(unroll(moved, xs, moved.zero_state(2)).outputs, expected.outputs));
}

TEST_CASE("cell: a change that throws half-way leaves a cell that runs with the parameters it has") {
    auto cell = make();
    auto const xs = random_sequence<double>(3, 2, 5);
    auto const half_way = [](auto, std::span<double> values) {
        std::fill(values.begin(), values.end(), 0.25);
        throw std::runtime_error("stop");
    };
    CHECK_THROWS_AS(cell.update(half_way), std::runtime_error);
    auto twin = make();
    twin.assign("W_z"_s, 0.25 * xt::ones<double>({5, 9}));
    CHECK(same_map(cell.parameters(), twin.parameters()));
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs,
                    unroll(twin, xs, twin.zero_state(2)).outputs));
}

TEST_CASE("cell: the numbers of all parameters change in one pass, as they do one by one") {
    auto cell = make();
    auto twin = make();
    static_assert(std::is_same_v<decltype(cell.parameters().values()), std::span<double const>>);
    CHECK(cell.parameters().values().size() == sluice::arena_size<own_cells::traced>(own_cells::extents));
    auto const version = cell.version();
    auto const negate = [](std::span<double> values) {
        for (double& v : values)
            v = -v;
    };
    cell.update_values(negate);
    twin.update([&](auto, std::span<double> values) { negate(values); });
    CHECK(cell.version() != version);
    CHECK(same_map(cell.parameters(), twin.parameters()));
    auto const xs = random_sequence<double>(3, 2, 5);
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs,
                    unroll(twin, xs, twin.zero_state(2)).outputs));
    auto const stop = [&](std::span<double> values) {
        negate(values);
        throw std::runtime_error("stop");
    };
    CHECK_THROWS_AS(cell.update_values(stop), std::runtime_error);
    twin.update_values(negate);
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs,
                    unroll(twin, xs, twin.zero_state(2)).outputs));
    auto const gone = std::move(cell);
    CHECK_THROWS_AS(cell.update_values(negate), std::invalid_argument);
}

} // namespace cell_test
