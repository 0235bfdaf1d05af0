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
