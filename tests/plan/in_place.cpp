// SPDX-License-Identifier: BSL-1.0
// Which states are written where they are read.
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/min_gru.hpp>
#include <sluice/plan/in_place.hpp>
#include <sluice/plan/plans.hpp>
#include <support/both.hpp>
#include <support/matrix_cells.hpp>

namespace in_place_test {

using namespace matrix_cells;

namespace {

/// The block of U, which waits for a sum over the new S, reads the old one: S has two places, U one.
struct late_reader {
    static constexpr auto U = state<"U", keys, values>;
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, next(S) = 0.5_n * S + outer(k, x* W<"v">), v = k * next(S),
                      next(U) = 0.5_n * U + row(v) * S, output = k * next(U));
};
/// A sum of the old S before the block that writes the new one is no hindrance, nor is one in that block.
struct early_reader {
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, v = x * W<"v"> - k * S, next(S) = S + outer(k, v), output = k * S);
};
/// Each of two states reads the other: a block reads both elements before it writes them.
struct exchange {
    static constexpr auto U = state<"U", keys, values>;
    static constexpr auto equations = sluice::lines(
        k = x * W<"k">, next(S) = 0.5_n * S + outer(k, x* W<"v">) + U, next(U) = S, output = k * next(S));
};

/// For each state that is a matrix value, in the order of their buffers: whether it has one place.
constexpr int places(sluice::plan_view p) {
    int found = 0;
    for (sluice::buffer const& b : p.buffers)
        if (b.delay > 0 && !b.tape)
            found = 10 * found + (b.in_place ? 1 : b.delay + 1);
    return found;
}
template <class Page>
constexpr int inferring = places(sluice::plans<Page>::inference);
template <class Page>
constexpr int backward = places(sluice::plans<Page>::backward);

} // namespace

TEST_CASE("in place: the last block that reads a matrix value writes it") {
    BOTH(inferring<linear_attention> == 1);
    BOTH(inferring<gated_attention> == 1);
    BOTH(inferring<gated_delta_net> == 1);
    BOTH(inferring<early_reader> == 1);
    BOTH(inferring<exchange> == 11);
    BOTH(backward<gated_attention> == 1);
    BOTH(backward<gated_delta_net> == 1);
}

TEST_CASE("in place: two places where something reads the old values later") {
    BOTH(inferring<late_reader> == 21);
}

TEST_CASE("in place: states that are vectors have two places") {
    BOTH(inferring<sluice::min_gru> != 1);
    BOTH(inferring<sluice::gru> != 1);
}

} // namespace in_place_test
