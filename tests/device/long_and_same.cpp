// SPDX-License-Identifier: BSL-1.0
// Sequences with more steps than 16 bits count, and two runs that give the same bits.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn.hpp>
#include <sluice/xtensor.hpp>
#include <xtensor/xrandom.hpp>

namespace long_and_same_test {

template <class Page, class S, class Backend>
auto outcome(std::size_t steps, std::size_t batch) {
    sluice::cell<Page, S, Backend> const cell({.input = 3, .units = 5}, sluice::seed{11});
    xt::random::seed(5);
    xt::xtensor<S, 3> const xs = xt::random::rand<S>({steps, batch, std::size_t(3)}, S(-1), S(1));
    auto const run = sluice::unroll(cell, xs, cell.zero_state(batch));
    xt::xtensor<S, 3> const dys = run.outputs - S(0.25);
    auto const back = sluice::backward(cell, run, dys);
    std::vector<S> all(run.outputs.begin(), run.outputs.end());
    all.insert(all.end(), back.inputs.begin(), back.inputs.end());
    auto const of_parameters = back.parameters.values();
    all.insert(all.end(), of_parameters.begin(), of_parameters.end());
    return all;
}

// More than cuDNN takes: generated kernels run them.
TEST_CASE("long and same: 65,537 steps are run, and back, as on the CPU") {
    auto const expected = outcome<sluice::cudnn_gru, double, sluice::xtensor::planned>(65537, 1);
    auto const came = outcome<sluice::cudnn_gru, double, sluice::cudnn::device>(65537, 1);
    REQUIRE(came.size() == expected.size());
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < came.size(); ++i) {
        difference += (came[i] - expected[i]) * (came[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    CHECK(norm > 0);
    CHECK(std::sqrt(difference / norm) < 1e-11);
}

TEST_CASE("long and same: one call of cuDNN has 65,535 steps at most, and no resets") {
    sluice::stack<sluice::cudnn_gru, float, sluice::cudnn::device> const net({.input = 3, .units = 2},
                                                                             {.layers = 2});
    REQUIRE(net.is_whole());
    auto const& whole = *net.as_net().whole;
    CHECK(whole.runs(65535, false));
    CHECK_FALSE(whole.runs(65536, false));
    CHECK_FALSE(whole.runs(1, true));
}

TEST_CASE_TEMPLATE("long and same: two runs give the same bits", Page, sluice::cudnn_gru, sluice::gru,
                   sluice::lstm) {
    auto const first = outcome<Page, float, sluice::cudnn::device>(23, 7);
    auto const second = outcome<Page, float, sluice::cudnn::device>(23, 7);
    CHECK(std::ranges::equal(first, second));
}

} // namespace long_and_same_test
