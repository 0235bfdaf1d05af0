// SPDX-License-Identifier: BSL-1.0
// A sweep that keeps nothing for a gradient needs less memory, and one without an end none for time.
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/execute/memory.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/xtensor/host_kernels.hpp>

namespace memory_test {

namespace {

constexpr sluice::sizes extents{.input = 3, .units = 5};
constexpr std::size_t batch = 4;

/// Numbers in all buffers of a plan.
std::size_t numbers(sluice::graph_view graph, sluice::plan_view plan, std::size_t steps,
                    bool endless = false) {
    using memory = sluice::sweep_memory<float, sluice::xtensor::kernels>;
    auto const pool = std::make_shared<typename memory::pool_type::element_type>();
    return memory(pool, graph, plan, extents, steps, batch, nullptr, endless).numbers();
}

/// For each time step, row of the batch and unit; and what does not depend on time.
struct needs {
    std::size_t forward = 0, inference = 0, endless = 0;
};
template <class Page>
needs needs_of() {
    using all = sluice::plans<Page>;
    auto const for_each_step = [](sluice::plan_view plan) {
        return (numbers(all::graph, plan, 30) - numbers(all::graph, plan, 10)) / 20 / batch / extents.units;
    };
    auto const endless = numbers(all::graph, all::inference, 1, true);
    CHECK(endless == numbers(all::graph, all::inference, 1));
    return {for_each_step(all::forward), for_each_step(all::inference), endless / batch / extents.units};
}

} // namespace

TEST_CASE("memory: inference keeps the input products and the outputs, forward the tape as well") {
    auto const gru = needs_of<sluice::gru>();
    CAPTURE(gru.endless);
    CHECK(gru.forward == 5);
    CHECK(gru.inference == 4);
    auto const cudnn = needs_of<sluice::cudnn_gru>();
    CAPTURE(cudnn.endless);
    CHECK(cudnn.forward == 5);
    CHECK(cudnn.inference == 4);
    auto const lstm = needs_of<sluice::lstm>();
    CAPTURE(lstm.endless);
    CHECK(lstm.forward == 7);
    CHECK(lstm.inference == 5);
}

} // namespace memory_test
