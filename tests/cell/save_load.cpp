// SPDX-License-Identifier: BSL-1.0
// Cells of different types in one file.
#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

using namespace support;
using namespace sluice::literals;

namespace {

template <class Cell>
Cell randomized(Cell cell) {
    randomize(cell);
    return cell;
}
auto gru(std::size_t units = 7) {
    return sluice::gru<float>({.input = 3, .num_units = units});
}
auto glstm() {
    return sluice::projected_glstm<double>(
        {.input = 6, .num_units = 9, .num_proj = 3, .number_of_groups = 3});
}
auto dense() {
    return sluice::dense<float>({.input = 7, .num_units = 2});
}

} // namespace

TEST_CASE("cells are saved and loaded, to the bit, and run as before") {
    checkpoint_test::folder const here;
    auto const first = randomized(gru());
    auto const second = randomized(glstm());
    auto const third = randomized(dense());
    sluice::save(here / "cells", first, second, third);

    auto a = gru();
    auto b = glstm();
    auto c = dense();
    auto const version = a.version();
    sluice::load(here / "cells", a, b, c);
    CHECK(same_map(a.parameters(), first.parameters()));
    CHECK(same_map(b.parameters(), second.parameters()));
    CHECK(same_map(c.parameters(), third.parameters()));
    CHECK(a.version() != version);
    auto const xs = random_sequence<double>(3, 2, 6);
    CHECK(
        same_bits(unroll(b, xs, b.zero_state(2)).outputs, unroll(second, xs, second.zero_state(2)).outputs));
}

TEST_CASE("a file of another cell is refused, and nothing changes") {
    checkpoint_test::folder const here;
    sluice::save(here / "gru", randomized(gru()));
    sluice::save(here / "pair", randomized(gru()), randomized(dense()));

    auto const refuse = [&](auto cell, char const* file) {
        auto const before = cell.parameters();
        CHECK_THROWS(sluice::load(here / file, cell));
        CHECK(same_map(cell.parameters(), before));
    };
    refuse(gru(5), "gru");                                                 // another width
    refuse(glstm(), "gru");                                                // other parameters
    refuse(sluice::gru<double>({.input = 3, .num_units = 7}), "gru");      // another scalar
    refuse(sluice::cudnn_gru<float>({.input = 3, .num_units = 7}), "gru"); // b_Rn is missing
    refuse(gru(), "pair");                                                 // one object for a file of two

    auto good = gru();
    auto wrong = sluice::dense<float>({.input = 7, .num_units = 3});
    auto const before = good.parameters();
    CHECK_THROWS(sluice::load(here / "pair", good, wrong)); // the first would fit
    CHECK(same_map(good.parameters(), before));
}
