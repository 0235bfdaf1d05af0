// SPDX-License-Identifier: BSL-1.0
#include "canonical.hpp"
#include <sluice/cells/lstm.hpp>

namespace canonical_lstm_test {

using namespace sluice::literals;

namespace {

struct gates_of_lstm {
    template <class F>
    static void each(F f) {
        f("W_i"_s, "R_i"_s, "b_Wi"_s, "b_Ri"_s, "W_i"_s, "R_i"_s, "b_i"_s);
        f("W_f"_s, "R_f"_s, "b_Wf"_s, "b_Rf"_s, "W_f"_s, "R_f"_s, "b_f"_s);
        f("W_c"_s, "R_c"_s, "b_Wc"_s, "b_Rc"_s, "W_j"_s, "R_j"_s, "b_j"_s);
        f("W_o"_s, "R_o"_s, "b_Wo"_s, "b_Ro"_s, "W_o"_s, "R_o"_s, "b_o"_s);
    }
    template <class F>
    static void rest(F) {}
};
struct gates_of_projected_lstm : gates_of_lstm {
    template <class F>
    static void rest(F f) {
        f("W_P"_s, "W_P"_s);
    }
};

} // namespace

TEST_CASE("canonical lstm: canonical_lstm is lstm without a forget bias at run time") {
    canonical::are_the_same<gates_of_lstm, support::canonical_lstm, sluice::lstm>({{"forget_bias", 0}});
}
TEST_CASE("canonical lstm: canonical_projected_lstm is projected_lstm without a forget bias at run time") {
    canonical::are_the_same<gates_of_projected_lstm, support::canonical_projected_lstm,
                            sluice::projected_lstm>({{"forget_bias", 0}});
}

} // namespace canonical_lstm_test
