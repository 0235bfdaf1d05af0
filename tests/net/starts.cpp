// SPDX-License-Identifier: BSL-1.0
// Where states start: two layers in both directions, whose first state starts at a parameter.
#include <sluice/backend/kernels.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/starts.hpp>

#include <doctest/doctest.h>
#include <vector>

namespace starts_test {

using memory = sluice::host_memory<double, sluice::no_kernels>;
constexpr std::size_t batch = 3, units = 2;

/// The vector of cell c begins at number 4 c + 1; a single number follows it.
sluice::net<memory> two_layers(bool is_trained = true) {
    sluice::net<memory> made;
    made.places = {{"h", 4, units}, {"c", 4, units}};
    for (std::size_t l = 0; l < 2; ++l) {
        auto& layer = made.layers.emplace_back();
        layer.first_row = 2 * l;
        layer.states = {0, 1};
        for (std::size_t d = 0; d < 2; ++d) {
            auto& cell = layer.ways.emplace_back();
            std::size_t const first = 4 * (2 * l + d);
            cell.places = {{.called = "k", .first = first + 3},
                           {.called = "p",
                            .rank = 1,
                            .extents = {1, 1, units},
                            .trained = is_trained,
                            .first = first + 1}};
            cell.starts = {1, -1};
        }
    }
    return made;
}

std::vector<double> some_numbers(std::size_t count) {
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<double>((7 * i + 3) % 23) - 11.5;
    return numbers;
}

TEST_CASE("starts: each row of a batch is the parameter of its cell, other states are zeros") {
    auto const net = two_layers();
    auto const all = some_numbers(16);
    auto const states = sluice::start_states(net, std::span<double const>(all), batch);
    REQUIRE(states.size() == 2);
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t u = 0; u < units; ++u) {
                CHECK(states[0](row, b, u) == all[4 * row + 1 + u]);
                CHECK(states[1](row, b, u) == 0);
            }
    CHECK(sluice::start_states(net, std::span<double const>(all), 0)[0].size() == 0);
    CHECK_THROWS_AS(sluice::start_states(net, std::span<double const>(all), std::size_t(1) << 62),
                    std::invalid_argument);
}

TEST_CASE("starts: the gradients of all rows are added to that of the parameter, if it is trained") {
    std::vector<xt::xtensor<double, 3>> states(2, xt::xtensor<double, 3>::from_shape({4, batch, units}));
    auto const numbers = some_numbers(states[0].size());
    for (auto& state : states)
        std::copy(numbers.begin(), numbers.end(), state.data());
    auto const before = some_numbers(16);
    auto gradients = before;
    sluice::add_to_starts(two_layers(), states, std::span(gradients));
    for (std::size_t row = 0; row < 4; ++row) {
        CHECK(gradients[4 * row] == before[4 * row]);
        CHECK(gradients[4 * row + 3] == before[4 * row + 3]);
        for (std::size_t u = 0; u < units; ++u) {
            double sum = before[4 * row + 1 + u];
            for (std::size_t b = 0; b < batch; ++b)
                sum += states[0](row, b, u);
            CHECK(gradients[4 * row + 1 + u] == sum);
        }
    }
    gradients = before;
    sluice::add_to_starts(two_layers(false), states, std::span(gradients));
    CHECK(gradients == before);
}

} // namespace starts_test
