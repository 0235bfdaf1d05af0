// SPDX-License-Identifier: BSL-1.0
// Adaptors of pages on top of each other.
#include "adapted.hpp"

#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <support/both.hpp>

namespace adapted_test {

using namespace support;

namespace {

using sluice::recurrent_dropout, sluice::skip_input, sluice::zoneout;

namespace by_hand {
using namespace sluice::equation;
constexpr auto m = input<"dropout_h", units>;
constexpr auto n = input<"zoneout_h", units>;
struct all_of_it {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(input_of<units> + (m * h) * R<"h"> + b<"h">) * (1 - n) + n * h);
};
} // namespace by_hand

using one_order = zoneout<recurrent_dropout<skip_input<sluice::lstm>>>;
using other_order = recurrent_dropout<skip_input<zoneout<sluice::lstm>>>;

} // namespace

TEST_CASE("adapted: in any order the equations are the same, and the masks are listed as they were added") {
    BOTH(sluice::print<one_order>().view() == sluice::print<other_order>().view());
    BOTH(sluice::print<one_order>().view() == "i = x + (dropout_h . h) R_i + b_i\n"
                                              "j = x + (dropout_h . h) R_j + b_j\n"
                                              "f = x + (dropout_h . h) R_f + b_f\n"
                                              "o = x + (dropout_h . h) R_o + b_o\n"
                                              "next(c) = new_c . (1 - zoneout_c) + zoneout_c . c\n"
                                              "new_c = sigmoid(f + forget_bias) . c + sigmoid(i) . tanh(j)\n"
                                              "next(h) = sigmoid(o) . tanh(new_c) . (1 - zoneout_h) + "
                                              "zoneout_h . h\n");
    constexpr auto masks = sluice::masks_of<one_order>();
    BOTH(masks.size() == 3);
    BOTH(masks[0] == sluice::mask{std::string_view("dropout_h"), sluice::mask_kind::dropout});
    BOTH(masks[1] == sluice::mask{std::string_view("zoneout_c"), sluice::mask_kind::zoneout});
    BOTH(masks[2] == sluice::mask{std::string_view("zoneout_h"), sluice::mask_kind::zoneout});
    BOTH(sluice::masks_of<other_order>()[2] == masks[0]);
    BOTH(one_order::source == sluice::lstm::source);
}

TEST_CASE("adapted: all three at once are what is written by hand") {
    adapted::are_the_same<zoneout<recurrent_dropout<skip_input<sluice::tanh_rnn>>>, by_hand::all_of_it>(
        {.units = 5});
}

TEST_CASE("adapted: parameters start as those of the page, from its own options") {
    constexpr sluice::sizes n{.input = 3, .units = 5};
    sluice::cell<zoneout<recurrent_dropout<sluice::gru>>, double> const cell(
        n, sluice::seed{7}, {.bias_initializer = sluice::init::constant{0.25}});
    sluice::cell<sluice::gru, double> const page(n, sluice::seed{7},
                                                 {.bias_initializer = sluice::init::constant{0.25}});
    CHECK(names(cell.parameters()) == names(page.parameters()));
    sluice::for_each_parameter(cell.parameters(), [&](auto key, auto const& tensor) {
        CHECK(same_bits(tensor, page.parameters()[key]));
    });
}

} // namespace adapted_test
