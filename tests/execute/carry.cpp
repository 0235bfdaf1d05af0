// SPDX-License-Identifier: BSL-1.0
// Lengths and resets against a loop over single rows: every length of every row with every mask, of short
// sequences.
#include <doctest/doctest.h>
#include <sequence/resets_check.hpp>
#include <sluice/xtensor.hpp>

namespace carry_test {

using namespace sluice::equation;

namespace {

constexpr auto c = state<"c", 2>;

/// A recurrence, a state of another width that reads it, and a delay, which is read outside the loop.
struct page {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">),
                                                    next(c) = 0.5_n * c + next(h) * matrix<"C">,
                                                    output = next(c) * (delay<1>(x) * matrix<"D">));
};

constexpr auto z = state<"z">;
constexpr auto v = gate<"v">;

/// After the end of a row, where inputs are zeros and states are held, 0 / 0: `v` is divided by its length,
/// and the gradient of the largest number of `z` counts how often it is there.
struct no_numbers_after_the_end {
    static constexpr auto equations =
        sluice::lines(v = x * W<"v">, next(z) = h * R<"z"> + x * W<"z"> + b<"z">,
                      next(h) = 0.5_n * h + v / sqrt(sum(v * v)) + max(next(z)), output = next(h) * z);
};

/// All lists of so many numbers from 0 to `most`.
std::vector<std::vector<std::size_t>> all_lists(std::size_t count, std::size_t most) {
    std::vector<std::vector<std::size_t>> all{{}};
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::vector<std::size_t>> longer;
        for (auto const& list : all)
            for (std::size_t value = 0; value <= most; ++value) {
                longer.push_back(list);
                longer.back().push_back(value);
            }
        all = std::move(longer);
    }
    return all;
}

} // namespace

TEST_CASE("carry: what a row computes after its end reaches nothing") {
    sluice::cell<no_numbers_after_the_end, double> cell({.input = 3, .units = 5}, sluice::seed{4});
    support::randomize(cell);
    resets::mask_type mask = xt::zeros<bool>({4, 3});
    for (auto const& lengths : all_lists(3, 4)) {
        CAPTURE(lengths);
        resets::check(cell, lengths, mask);
    }
    mask(1, 0) = mask(2, 1) = mask(3, 2) = true;
    for (auto const& lengths : all_lists(3, 4)) {
        CAPTURE(lengths);
        resets::check(cell, lengths, mask);
    }
}

TEST_CASE("carry: every length and every reset of every row is a loop over single rows") {
    sluice::cell<page, double> cell({.input = 3, .units = 4}, sluice::seed{3});
    support::randomize(cell);
    for (auto const& [time, batch] : {std::array<std::size_t, 2>{1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}})
        for (auto const& bits : all_lists(time * batch, 1)) {
            resets::mask_type mask = xt::zeros<bool>({time, batch});
            for (std::size_t k = 0; k < bits.size(); ++k)
                mask(k / batch, k % batch) = bits[k] != 0;
            CAPTURE(mask);
            for (auto const& lengths : all_lists(batch, time)) {
                CAPTURE(lengths);
                resets::check(cell, lengths, mask);
            }
            resets::check(cell, {}, mask);
        }
}

} // namespace carry_test
