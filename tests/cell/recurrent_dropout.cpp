// SPDX-License-Identifier: BSL-1.0
// Recurrent dropout: what the equations become, that they are those written by hand, and that an LSTM, which
// reads h in products alone, then reads a masked h.
#include "adapted.hpp"

#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/both.hpp>

namespace recurrent_dropout_test {

using namespace support;
using namespace sluice::literals;

namespace {

namespace by_hand {
using namespace sluice::equation;
constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;
constexpr auto A = gate<"A">;
constexpr auto c = state<"c">;
constexpr auto m = input<"dropout_h", units>;
// clang-format off
struct dropped_gru {
    static constexpr auto equations = sluice::lines(
        r       = sigmoid(x * W<"r"> + (m * h) * R<"r"> + b<"r">),
        u       = sigmoid(x * W<"u"> + (m * h) * R<"u"> + b<"u">),
        n       = tanh(x * W<"n"> + (r * (m * h)) * R<"n"> + b<"n">),
        next(h) = u * h + (1 - u) * n);
};
/// A matrix by the name of a gate; states in a sum, a slice, a quotient, a concat, a function, twice in a
/// product.
struct in_every_place {
    static constexpr auto equations = sluice::lines(
        A       = R<"k"> - transposed(R<"k">),
        u       = sigmoid((h + x * W<"u">) * A + (slice<0, units>(h) / (2_n + c * c)) * R<"u">),
        n       = tanh(concat(x, h) * W<"n"> + (tanh(h) * R<"a">) * R<"b"> + (h * R<"c">) * R<"d">),
        next(c) = c + next(h) * R<"e">,
        next(h) = (1 - u) * h + u * (0.5_n * n) + mean(h));
};
// clang-format on
} // namespace by_hand

} // namespace

TEST_CASE("recurrent dropout: the equations and the masks of some cells") {
    BOTH(sluice::print<sluice::recurrent_dropout<by_hand::in_every_place>>().view() ==
         "A = R_k - R_k^T\n"
         "u = sigmoid((dropout_h . h + x W_u) A + ((dropout_h . h)[0 : units] / (2 + c . c)) R_u)\n"
         "n = tanh([x, dropout_h . h] W_n + tanh(h) R_a R_b + (dropout_h . h) R_c R_d)\n"
         "next(c) = c + next(h) R_e\n"
         "next(h) = (1 - u) . h + u . 0.5 . n + mean(h)\n");
    using dropped = sluice::recurrent_dropout<sluice::glstm>;
    BOTH(dropped::masks.size() == 1);
    BOTH(dropped::masks[0].called.view() == "dropout_h");
    BOTH(dropped::masks[0].kind == sluice::mask_kind::dropout);
    BOTH(dropped::source == sluice::glstm::source);
    BOTH(sluice::parameter_count<dropped>({.input = 6, .units = 9, .groups = 3}) ==
         sluice::parameter_count<sluice::glstm>({.input = 6, .units = 9, .groups = 3}));
}

TEST_CASE("recurrent dropout: a GRU is that written by hand") {
    adapted::are_the_same<sluice::recurrent_dropout<sluice::gru>, by_hand::dropped_gru>(
        {.input = 3, .units = 5});
}

TEST_CASE("recurrent dropout: an LSTM steps as from a masked h, and a mask of ones changes nothing") {
    sluice::cell<sluice::recurrent_dropout<sluice::projected_lstm>, double> dropped(projecting);
    sluice::cell<sluice::projected_lstm, double> bare(projecting);
    randomize(dropped);
    randomize(bare);
    auto const state = random_map(dropped.zero_state(5), "state");
    auto bare_state = bare.zero_state(5);
    sluice::for_each_parameter(bare_state, [&](auto key, auto& tensor) { tensor = state[key]; });
    auto all = adapted::random_inputs(dropped, 1, 5);
    auto& mask = all["dropout_h"_s];
    mask = 2 * adapted::of_zeros_and_ones(mask, "mask"); // of rate 1/2
    auto masked_state = bare_state;
    masked_state["h"_s] *= xt::view(mask, 0);
    auto const run = unroll(dropped, all, state);
    CHECK(distance(run.outputs, unroll(bare, all["x"_s], masked_state).outputs) < 1e-15);
    CHECK(distance(run.outputs, unroll(bare, all["x"_s], bare_state).outputs) > 1e-3);
    mask.fill(1);
    CHECK(distance(unroll(dropped, all, state).outputs, unroll(bare, all["x"_s], bare_state).outputs) <
          1e-15);
}

} // namespace recurrent_dropout_test
