// SPDX-License-Identifier: BSL-1.0
// Zoneout: what the equations become, and that a step of any cell is a choice between the old state and the
// step of the cell without it.
#include "adapted.hpp"

#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <support/both.hpp>

namespace zoneout_test {

using namespace support;
using namespace sluice::literals;

namespace {

namespace by_hand {
using namespace sluice::equation;
/// An output of its own, which is a readout of the new states.
struct with_output {
    static constexpr auto s = state<"s", 2>;
    static constexpr auto equations =
        sluice::lines(next(s) = tanh(x * W<"s"> + h * R<"s">), next(h) = tanh(next(s) * W<"h"> + h * R<"h">),
                      output = next(s) * W<"y", 3> + next(h) * matrix<"V">);
};
/// A state of one feature, with a mask of one, which a product with an open width updates.
struct narrow {
    static constexpr auto c = state<"c", 1>;
    static constexpr auto f = gate<"f">;
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f", 1>), next(c) = f * c + (1 - f) * tanh(x * W<"c">),
                      next(h) = tanh(next(c) * h + x * W<"h">));
};
} // namespace by_hand

using masks = std::array<sluice::mask, 2>;
constexpr sluice::mask zoned(std::string_view called) {
    return {called, sluice::mask_kind::zoneout};
}

/// Every state after a step is, number by number, the old one where the mask is 1, else that of the bare
/// cell.
template <class Page>
void is_a_choice(sluice::sizes const& n) {
    sluice::cell<sluice::zoneout<Page>, double> zoned(n);
    sluice::cell<Page, double> bare(n);
    randomize(zoned);
    randomize(bare);
    auto const state = random_map(zoned.zero_state(5), "state");
    auto all = adapted::random_inputs(zoned, 1, 5);
    int k = 0;
    sluice::for_each_parameter(all, [&](auto key, auto& tensor) {
        if (k++ > 0)
            tensor = adapted::of_zeros_and_ones(tensor, key.c_str());
    });
    auto const after = unroll(zoned, all, state);
    auto bare_state = bare.zero_state(5);
    sluice::for_each_parameter(bare_state, [&](auto key, auto& tensor) { tensor = state[key]; });
    auto const of_bare = unroll(bare, all["x"_s], bare_state);
    std::size_t kept = 0, moved = 0;
    sluice::for_each_parameter(after.state, [&](auto key, auto const& tensor) {
        auto const& mask = all[boost::hana::string_c<'z', 'o', 'n', 'e', 'o', 'u', 't', '_'> + key];
        for (std::size_t b = 0; b < 5; ++b)
            for (std::size_t u = 0; u < tensor.shape()[1]; ++u) {
                bool const keep = mask(0, b, u) == 1;
                CHECK(tensor(b, u) == (keep ? state[key](b, u) : of_bare.state[key](b, u)));
                ++(keep ? kept : moved);
            }
    });
    CHECK(kept > 5);
    CHECK(moved > 5);
    CHECK(xt::view(after.outputs, 0) == after.state["h"_s]);
}

} // namespace

TEST_CASE("zoneout: the equations and the masks of some cells") {
    BOTH(sluice::print<sluice::zoneout<sluice::tanh_rnn>>().view() ==
         "next(h) = tanh(x W_h + h R_h + b_h) . (1 - zoneout_h) + zoneout_h . h\n");
    BOTH(sluice::print<sluice::zoneout<sluice::projected_lstm>>().view() ==
         "i = x W_i + h R_i + b_i\n"
         "j = x W_j + h R_j + b_j\n"
         "f = x W_f + h R_f + b_f\n"
         "o = x W_o + h R_o + b_o\n"
         "next(c) = new_c . (1 - zoneout_c) + zoneout_c . c\n"
         "new_c = sigmoid(f + forget_bias) . c + sigmoid(i) . tanh(j)\n"
         "next(h) = (sigmoid(o) . tanh(new_c)) W_P . (1 - zoneout_h) + zoneout_h . h\n");
    BOTH(sluice::zoneout<sluice::lstm>::masks == masks{zoned("zoneout_c"), zoned("zoneout_h")});
    BOTH(sluice::masks_of<sluice::lstm>().empty());
    BOTH(sluice::zoneout<sluice::lstm>::name == "LSTM");
    BOTH(adapted::has_parameters<sluice::zoneout<sluice::tanh_rnn>>({"W_h", "R_h", "b_h"}));
}

TEST_CASE("zoneout: an output reads the states after the step, and other states the new values") {
    BOTH(sluice::print<sluice::zoneout<by_hand::with_output>>().view() ==
         "next(s) = new_s . (1 - zoneout_s) + zoneout_s . s\n"
         "new_s = tanh(x W_s + h R_s)\n"
         "next(h) = tanh(new_s W_h + h R_h) . (1 - zoneout_h) + zoneout_h . h\n"
         "output = next(s) W_y + next(h) V\n");
}

TEST_CASE("zoneout: a step chooses between the old state and the step without it") {
    is_a_choice<sluice::gru>({.input = 3, .units = 7});
    is_a_choice<sluice::projected_lstm>({.input = 3, .units = 7, .projection = 5});
    is_a_choice<by_hand::narrow>({.input = 3, .units = 7});
}

} // namespace zoneout_test
