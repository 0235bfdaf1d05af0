// SPDX-License-Identifier: BSL-1.0
// A layer in one direction or both: what each direction is given, and where its outputs and gradients go. The
// cells are fakes; functions stand for their runs.
#include <sluice/sequence/layer.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/gru.hpp>
#include <sluice/xtensor.hpp>
#include <vector>

namespace layer_test {

namespace {

using sluice::direction, sluice::unroll_options, sluice::detail::reverse_in_time, sluice::detail::reversed;
using tensor = xt::xtensor<double, 3>;
using lengths_type = std::vector<std::size_t>;
using layer = sluice::layer<sluice::cell<sluice::gru, double>>;

layer made(direction way) {
    using cell = layer::cell_type;
    return {way, std::vector<cell>(sluice::directions_of(way), cell({.input = 2, .units = 2}))};
}
/// Step t of row b is 10 t + b, the second feature 100 more.
tensor numbered(std::size_t steps, std::size_t batch) {
    auto xs = tensor::from_shape({steps, batch, 2});
    for (std::size_t t = 0; t < steps; ++t)
        for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t k = 0; k < 2; ++k)
                xs(t, b, k) = static_cast<double>(10 * t + b + 100 * k);
    return xs;
}
/// Row b of a feature over time.
std::vector<double> row_of(tensor const& xs, std::size_t b, std::size_t k = 0) {
    std::vector<double> all;
    for (std::size_t t = 0; t < xs.shape()[0]; ++t)
        all.push_back(xs(t, b, k));
    return all;
}
using steps = std::vector<double>;

/// The sum of the steps so far, as a run would carry it.
tensor summed(tensor xs) {
    for (std::size_t t = 1; t < xs.shape()[0]; ++t)
        for (std::size_t b = 0; b < xs.shape()[1]; ++b)
            for (std::size_t k = 0; k < xs.shape()[2]; ++k)
                xs(t, b, k) += xs(t - 1, b, k);
    return xs;
}

} // namespace

TEST_CASE("layer: a row turns round within its length, and twice is as before") {
    auto const xs = numbered(4, 3);
    lengths_type const lengths{4, 0, 2};
    auto const back = reverse_in_time(xs, lengths);
    CHECK(row_of(back, 0) == steps{30, 20, 10, 0});
    CHECK(row_of(back, 1) == row_of(xs, 1));
    CHECK(row_of(back, 2, 1) == steps{112, 102, 122, 132});
    CHECK(reverse_in_time(back, lengths) == xs);
    CHECK(row_of(reverse_in_time(xs, {}), 2) == steps{32, 22, 12, 2});
    CHECK(reverse_in_time(numbered(0, 3), {}).size() == 0);
}

TEST_CASE("layer: a row that starts anew before step t does so on its way back before step t - 1") {
    xt::xtensor<bool, 2> const resets{{true, false}, {true, false}, {false, true}, {true, true}};
    unroll_options const options{.lengths = {4, 3}, .resets = resets};
    auto const back = reversed(options, 4, 2);
    // 0 | 1 2 | 3 becomes 3 | 2 1 | 0, and of three steps 0 1 | 2 becomes 2 | 1 0
    xt::xtensor<bool, 2> const expected{{false, false}, {true, true}, {false, false}, {true, false}};
    CHECK(back.resets.values().size() == 8);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(back.resets.values()[i] == expected.flat(i));
    CHECK(back.lengths == options.lengths);
    CHECK(reversed({.lengths = {4, 3}}, 4, 2).resets.is_none());
}

TEST_CASE("layer: one direction runs as it is, a reversed one from its own end") {
    auto const xs = numbered(3, 2);
    auto const run = [](std::size_t d, tensor given, unroll_options const&) {
        CHECK(d == 0);
        return summed(std::move(given));
    };
    CHECK(row_of(made(direction::unidirectional).run(xs, {}, run), 1) == steps{1, 12, 33});
    unroll_options const options{.lengths = {3, 2}};
    auto const back = made(direction::reversed).run(xs, options, run);
    CHECK(row_of(back, 0) == steps{30, 30, 20}); // 20, 20 + 10, 20 + 10 + 0, turned round
    CHECK(row_of(back, 1)[0] == 12);
    CHECK(row_of(back, 1)[1] == 11);
}

TEST_CASE(
    "layer: of both directions the outputs stand side by side, and the gradients of the input are added") {
    auto const both = made(direction::bidirectional);
    CHECK((both.output_size() == 4 && both.input_size() == 2 && both.cells().size() == 2));
    auto const xs = numbered(3, 1);
    auto const ys = both.run(xs, {}, [](std::size_t d, tensor given, unroll_options const&) {
        return d == 0 ? given : summed(std::move(given));
    });
    CHECK(row_of(ys, 0, 0) == steps{0, 10, 20});
    CHECK(row_of(ys, 0, 1) == steps{100, 110, 120});
    CHECK(row_of(ys, 0, 2) == steps{30, 30, 20});

    auto dys = tensor::from_shape({3, 1, 4});
    for (std::size_t i = 0; i < dys.size(); ++i)
        dys.flat(i) = static_cast<double>(i);
    // The gradient of a direction is that of its outputs: forward as it is, backward times 1000 at its first
    // step.
    auto const dxs = both.backward(dys, {}, [](std::size_t d, tensor part) {
        if (d == 1)
            xt::view(part, 0) *= 1000;
        return part;
    });
    CHECK(row_of(dxs, 0, 0) == steps{0 + 2, 4 + 6, 8 + 10 * 1000});
    CHECK(row_of(dxs, 0, 1) == steps{1 + 3, 5 + 7, 9 + 11 * 1000});
}

TEST_CASE("layer: a gradient that nobody wants is empty in any direction") {
    auto const dys = numbered(3, 2);
    auto const nothing = [](std::size_t, tensor const&) { return tensor(); };
    CHECK(made(direction::unidirectional).backward(dys, {}, nothing).size() == 0);
    CHECK(made(direction::reversed).backward(dys, {}, nothing).size() == 0);
}

} // namespace layer_test
