// SPDX-License-Identifier: BSL-1.0
// Zoneout of an LSTM with peepholes is the LSTM of Krueger et al., written by hand.
#include "adapted.hpp"
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/lstm.hpp>

namespace zoneout_lstm_test {

namespace {

namespace by_hand {
using namespace sluice::equation;
constexpr auto i = gate<"i">;
constexpr auto j = gate<"j">;
constexpr auto f = gate<"f">;
constexpr auto o = gate<"o">;
constexpr auto kept = gate<"kept">;
constexpr auto c = state<"c">;
constexpr auto m = input<"zoneout_c", units>;
constexpr auto n = input<"zoneout_h", units>;
// clang-format off
/// Krueger et al. write it so, with peepholes added.
struct zoneout_lstm {
    static constexpr auto equations = sluice::lines(
        i       = sigmoid(x * W<"i"> + h * R<"i"> + b<"i"> + c * p<"i">),
        j       = tanh(x * W<"j"> + h * R<"j"> + b<"j">),
        f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f"> + c * p<"f"> + 1_n),
        kept    = f * c + i * j,
        o       = sigmoid(x * W<"o"> + h * R<"o"> + b<"o"> + kept * p<"o">),
        next(c) = m * c + (1 - m) * kept,
        next(h) = n * h + (1 - n) * (o * tanh(kept)));
};
// clang-format on
} // namespace by_hand

} // namespace

TEST_CASE("zoneout: an LSTM with peepholes is that of the paper") {
    adapted::are_the_same<sluice::zoneout<sluice::peephole_lstm>, by_hand::zoneout_lstm>(
        {.input = 3, .units = 5});
}

} // namespace zoneout_lstm_test
