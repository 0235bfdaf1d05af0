// SPDX-License-Identifier: BSL-1.0
#include "canonical.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/rnn.hpp>

namespace canonical_gru_test {

using namespace sluice::literals;

namespace {

struct gates_of_gru {
    template <class F>
    static void each(F f) {
        f("W_r"_s, "R_r"_s, "b_Wr"_s, "b_Rr"_s, "W_r"_s, "R_r"_s, "b_r"_s);
        f("W_u"_s, "R_u"_s, "b_Wu"_s, "b_Ru"_s, "W_u"_s, "R_u"_s, "b_u"_s);
    }
    template <class F>
    static void rest(F f) {
        f("W_n"_s, "W_n"_s);
        f("R_n"_s, "R_n"_s);
        f("b_Wn"_s, "b_n"_s);
        f("b_Rn"_s, "b_Rn"_s);
    }
};
struct gates_of_rnn {
    template <class F>
    static void each(F f) {
        f("W_h"_s, "R_h"_s, "b_Wh"_s, "b_Rh"_s, "W_h"_s, "R_h"_s, "b_h"_s);
    }
    template <class F>
    static void rest(F) {}
};

} // namespace

TEST_CASE("canonical gru: canonical_gru is cudnn_gru") {
    canonical::are_the_same<gates_of_gru, support::canonical_gru, sluice::cudnn_gru>();
}
TEST_CASE("canonical gru: canonical_relu_rnn is relu_rnn") {
    canonical::are_the_same<gates_of_rnn, support::canonical_relu_rnn, sluice::relu_rnn>();
}

} // namespace canonical_gru_test
