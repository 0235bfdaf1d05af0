// SPDX-License-Identifier: BSL-1.0
// Long sequences and large batches are inferred part by part: to the bit what their steps give one after the
// other.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/execute/parts.hpp>
#include <support/min_gru.hpp>
#include <support/state_cells.hpp>
#include <support/tensors.hpp>

namespace parts_test {

namespace parts {

using namespace support;

struct rows {
    std::vector<std::size_t> lengths{};
    xt::xtensor<bool, 2> resets{};
};
rows random_rows(std::size_t steps, std::size_t batch, bool with_lengths, bool with_resets) {
    sluice::random_stream random(sluice::seed{5}, "rows");
    rows made;
    for (std::size_t r = 0; r < batch && with_lengths; ++r)
        made.lengths.push_back(r == 1 ? 0 : r % 7 == 3 ? steps : random.below(steps + 1));
    if (with_resets) {
        made.resets.resize({steps, batch});
        for (bool& reset : made.resets)
            reset = random.below(4) == 0;
    }
    return made;
}

template <class Page, class S>
void check(sluice::sizes const& n, std::size_t steps, std::size_t batch, rows const& which) {
    CAPTURE(steps);
    CAPTURE(batch);
    using cell_type = sluice::cell<Page, S>;
    cell_type cell(n);
    randomize(cell);
    auto const xs = random_sequence<S>(steps, batch, cell.input_size());
    auto const start = random_map(cell.zero_state(batch), "state");
    auto const found = infer(cell, xs, start, {.lengths = which.lengths, .resets = which.resets});

    auto outputs = xt::xtensor<S, 3>(xt::zeros_like(found.outputs));
    auto last = start;
    auto const copy_row = [](auto const& from, auto& to, std::size_t r) {
        sluice::for_each_parameter(
            from, [&](auto key, auto const& tensor) { xt::view(to[key], r) = xt::view(tensor, r); });
    };
    for (std::size_t t = 0; t < steps; ++t) {
        for (std::size_t r = 0; r < batch && which.resets.size() > 0; ++r)
            if (t > 0 && which.resets(t, r) && (which.lengths.empty() || t < which.lengths[r]))
                copy_row(start, last, r);
        auto const [y, next] = cell(xt::xtensor<S, 2>(xt::view(xs, t)), last);
        for (std::size_t r = 0; r < batch; ++r)
            if (which.lengths.empty() || t < which.lengths[r]) {
                xt::view(outputs, t, r) = xt::view(y, r);
                copy_row(next, last, r);
            }
    }
    CHECK(found.outputs.shape() == outputs.shape());
    CHECK((outputs.size() == 0 || same_bits(found.outputs, outputs)));
    CHECK((batch == 0 || same_states(found.state, last)));
}

template <class Page, class S>
void check(sluice::sizes const& n, std::size_t steps, std::size_t batch) {
    for (bool const with_lengths : {false, true})
        for (bool const with_resets : {false, true}) {
            CAPTURE(with_lengths);
            CAPTURE(with_resets);
            check<Page, S>(n, steps, batch, random_rows(steps, batch, with_lengths, with_resets));
        }
}

/// Rows of several parts, and time steps: three at a time and one left, one at a time, one row for a long
/// time.
template <class Page>
void check_parts(sluice::sizes n) {
    check<Page, float>(n, 7, 151, {});
    check<Page, double>(n, 7, 151);
    check<Page, float>(n, 7, 33);
    check<Page, float>(n, 261, 1);
    check<Page, double>(n, 131, 2);
    for (std::size_t const steps : {0u, 1u})
        for (std::size_t const batch : {0u, 1u, 2u, 5u, 13u, 129u})
            check<Page, float>(n, steps, batch, {});
}

} // namespace parts

TEST_CASE("parts: how large parts are") {
    static constexpr auto plan = sluice::plans<sluice::gru>::inference;
    sluice::sizes const small{.input = 3, .units = 5}, large{.input = 512, .units = 512};
    auto const part = [](sluice::sizes const& n, std::size_t depth, std::size_t steps, std::size_t batch) {
        auto const p = sluice::usual_part<float>(plan, n, depth, steps, batch);
        return std::array{p.steps, p.rows};
    };
    CHECK(part(small, 3, 10, 4) == std::array<std::size_t, 2>{10, 4});
    CHECK(part(small, 3, 1000, 1) == std::array<std::size_t, 2>{256, 1});
    CHECK(part(small, 3, 7, 127) == std::array<std::size_t, 2>{2, 127});
    CHECK(part(small, 3, 7, 151) == std::array<std::size_t, 2>{3, 76});
    CHECK(part(small, 3, 0, 0) == std::array<std::size_t, 2>{0, 0});
    CHECK(part(large, 3, 100, 64) == std::array<std::size_t, 2>{1, 64});
    CHECK(part(large, 512, 100, 64) == std::array<std::size_t, 2>{8, 64});
    CHECK(part(large, 512, 100, 256) == std::array<std::size_t, 2>{8, 64});
}

TEST_CASE("part by part: GRUs") {
    parts::check_parts<sluice::gru>({.input = 3, .units = 5});
    parts::check_parts<sluice::cudnn_gru>({.input = 3, .units = 5});
    parts::check_parts<mgu>({.input = 3, .units = 5});
    parts::check<sluice::gru, float>({.input = 3, .units = 300}, 3, 101); // one step at a time
}

TEST_CASE("part by part: LSTMs, with peepholes, projection and groups") {
    parts::check_parts<sluice::lstm>({.input = 3, .units = 5});
    parts::check_parts<sluice::lstm_with<sluice::activation::tanh, true, true>>(
        {.input = 3, .units = 5, .projection = 2});
    parts::check_parts<sluice::glstm>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("part by part: no product in the loop, delays, states of every kind") {
    parts::check_parts<support::min_gru>({.input = 3, .units = 5});

    parts::check_parts<state_cells::never_read>({.input = 3, .units = 5});
    parts::check_parts<state_cells::swapped>({.input = 3, .units = 5});
    parts::check_parts<state_cells::delayed>({.input = 3, .units = 5});
    parts::check_parts<state_cells::before>({.input = 3, .units = 5});
    parts::check_parts<state_cells::passed>({.input = 5, .units = 5});
    parts::check_parts<state_cells::constant>({.input = 3, .units = 5});
    parts::check_parts<state_cells::alone>({.units = 5});
    parts::check_parts<state_cells::kept>({.input = 3, .units = 5});
}

TEST_CASE("part by part: matrices stay where the part before left them") {
    parts::check_parts<sluice::gated_delta_net>({.input = 3, .units = 15, .groups = 3});
}

} // namespace parts_test
