// SPDX-License-Identifier: BSL-1.0
#include "networks.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>
#include <support/tensors.hpp>

namespace instruction_sets_test {
namespace {

template <class Page, class S>
results run(std::size_t units, std::size_t batch) {
    std::size_t const input = 5, time = 7;
    sluice::cell<Page, S> cell({.input = input, .units = units});
    support::randomize(cell);
    auto const xs = support::random_sequence<S>(time, batch, input);
    auto const run = unroll(cell, xs, cell.zero_state(batch));
    auto const dys = support::random_like(run.outputs, "dys");
    auto const all = backward(cell, run, dys);
    results found{.lanes = sluice::xtensor::simd<float>::lanes};
    found.outputs.assign(run.outputs.begin(), run.outputs.end());
    auto const values = all.parameters.values();
    found.gradients.assign(values.begin(), values.end());
    found.gradients.insert(found.gradients.end(), all.inputs.begin(), all.inputs.end());
    return found;
}

template <class Page>
results run(bool in_double, std::size_t units, std::size_t batch) {
    return in_double ? run<Page, double>(units, batch) : run<Page, float>(units, batch);
}

} // namespace

namespace SLUICE_INSTRUCTION_SET {

results run_gru(bool in_double, std::size_t units, std::size_t batch) {
    return run<sluice::cudnn_gru>(in_double, units, batch);
}
results run_lstm(bool in_double, std::size_t units, std::size_t batch) {
    return run<sluice::lstm>(in_double, units, batch);
}

results run_int8(std::size_t units, std::size_t batch) {
    sluice::cell<sluice::cudnn_gru, sluice::xtensor::weights<sluice::int8>> cell(
        {.input = 5, .units = units});
    support::randomize(cell);
    auto const xs = support::random_sequence<float>(7, batch, 5);
    auto const run = infer(cell, xs, cell.zero_state(batch));
    results found{.lanes = sluice::xtensor::simd<float>::lanes};
    found.outputs.assign(run.outputs.begin(), run.outputs.end());
    return found;
}

} // namespace SLUICE_INSTRUCTION_SET
} // namespace instruction_sets_test
