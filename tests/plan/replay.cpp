// SPDX-License-Identifier: BSL-1.0
// Which matrix values are computed again, by which blocks, and what these read.
#include <doctest/doctest.h>
#include <sluice/cells/m2rnn.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/rwkv5.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/cells/test_time.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/plan/replay.hpp>
#include <string>
#include <support/matrix_cells.hpp>

namespace replay_plan_test {

using namespace matrix_cells;

namespace {

/// Its gradient reads the value of the state itself: 1 - S'^2.
struct bounded_memory {
    static constexpr auto equations =
        sluice::lines(next(S) = tanh(S + outer(x * W<"k">, x* W<"v">)), output = (x * W<"q">)*next(S));
};
/// Its update reads a vector that the same pass makes, and has made in the step before.
struct feedback_memory {
    static constexpr auto h = state<"h", values>;
    static constexpr auto equations =
        sluice::lines(k = x * W<"k">, next(S) = 0.5_n * S + outer(k, h), next(h) = k * next(S), output = h);
};
/// A matrix that is no state is computed again too.
struct gated_memory {
    static constexpr auto equations = sluice::lines(k = x * W<"k">, v = x * W<"v">, T = tanh(outer(k, v) + S),
                                                    next(S) = 0.5_n * S + 0.5_n * T, output = k * next(S));
};

template <class Page>
std::string replay_of() {
    using all = sluice::plans<Page>;
    std::string text;
    for (sluice::buffer const& b : all::forward.buffers)
        if (all::forward.is_matrix(b.columns))
            text += b.tape ? "kept " : b.replayed ? "again " : "of a step ";
    for (sluice::task const& t : all::forward.tasks)
        text += t.replays ? "block " : "";
    return text;
}

} // namespace

TEST_CASE("replay: states that vectors are added to") {
    CHECK(replay_of<linear_attention>() == "again block ");
    CHECK(replay_of<gated_attention>() == "again block ");
    CHECK(replay_of<shared_key>() == "again again block block ");
    CHECK(replay_of<gated_delta_net>() == "again block "); // the second of two passes
}

TEST_CASE("replay: a matrix that is no state") {
    CHECK(replay_of<gated_memory>() == "again again block ");
}

TEST_CASE("replay: papers' cells keep a matrix of no step but the newest") {
    CHECK(replay_of<sluice::rwkv5>() == "again block ");
    CHECK(replay_of<sluice::rwkv7>() == "again block ");
    CHECK(replay_of<sluice::mamba>() == "of a step again again block "); // the decays too
    CHECK(replay_of<sluice::titans>() == "again again block ");
    CHECK(replay_of<sluice::m2rnn>() == "again again again block block "); // and a product
}

TEST_CASE("replay: what cannot be computed again by itself is kept") {
    CHECK(replay_of<bounded_memory>() == "kept ");
    CHECK(replay_of<feedback_memory>() == "kept ");
}

TEST_CASE("replay: what the blocks read that are run again is there for all steps") {
    using all = sluice::plans<gated_delta_net>;
    sluice::plan_view const p = all::forward;
    for (sluice::task const& t : p.tasks)
        if (t.replays) {
            sluice::planned_block const& b = p.blocks[t.block];
            for (sluice::block_load const& load : p.loads.part(b.loads.first, b.loads.count))
                if (p.places_of[load.node].count > 0) {
                    sluice::buffer const& of = p.buffers[p.places[p.places_of[load.node].first].buffer];
                    CHECK((of.tape || of.replayed));
                }
        }
}

} // namespace replay_plan_test
