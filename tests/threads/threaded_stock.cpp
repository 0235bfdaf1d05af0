// SPDX-License-Identifier: BSL-1.0
// The stock cells that threaded.cpp does not have.
#include "threaded.hpp"
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>

TEST_CASE_TEMPLATE("threaded: stock cells give the results of one thread, each time", Page, sluice::tanh_rnn,
                   sluice::relu_rnn, sluice::lstm) {
    threaded_test::agree<Page, sluice::sizes{.input = 9, .units = 133}>();
}
