// SPDX-License-Identifier: BSL-1.0
// A convention whose framework adds what its page does not have.
// expect: sluice: a layout has a setting that its page does not have; correct the name
// errors: 1
#include <sluice/cells/lstm.hpp>
#include <sluice/layout/frameworks/tensorflow_weights.hpp>

#ifdef ACCEPT
#define SETTING "forget_bias"
#else
#define SETTING "forgot_bias"
#endif

struct my_convention : sluice::layout::tf_lstm_cell {
    static constexpr sluice::layout::run_time_setting settings[] = {{SETTING, 1}};
};

constexpr auto described = sluice::layout::describe<my_convention>();
