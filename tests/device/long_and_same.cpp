// SPDX-License-Identifier: BSL-1.0
// Sequences with more steps than 16 bits count, and two runs that give the same bits.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/ugrnn.hpp>
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

TEST_CASE_TEMPLATE("long and same: 65,537 steps are run, and back, as on the CPU", Page, sluice::cudnn_gru,
                   sluice::ugrnn) {
    auto const expected = outcome<Page, double, sluice::xtensor::planned>(65537, 1);
    auto const came = outcome<Page, double, sluice::cudnn::device>(65537, 1);
    REQUIRE(came.size() == expected.size());
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < came.size(); ++i) {
        difference += (came[i] - expected[i]) * (came[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    CHECK(norm > 0);
    CHECK(std::sqrt(difference / norm) < 1e-11);
}

TEST_CASE_TEMPLATE("long and same: two runs give the same bits", Page, sluice::cudnn_gru, sluice::gru,
                   sluice::lstm) {
    auto const first = outcome<Page, float, sluice::cudnn::device>(23, 7);
    auto const second = outcome<Page, float, sluice::cudnn::device>(23, 7);
    CHECK(std::ranges::equal(first, second));
}

} // namespace long_and_same_test
