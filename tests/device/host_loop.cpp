// SPDX-License-Identifier: BSL-1.0
// A recurrence without a product: plain sequences run as one kernel, ragged ones step by step.
#include "host/controls.hpp"
#include <sluice/cudnn.hpp>
#include <support/agreement.hpp>

namespace {

using namespace sluice::equation;

constexpr auto f = gate<"f">;
constexpr auto c = state<"c">;

/// The SRU (arXiv 1709.02755), whose gate also sees the state.
struct simple_unit {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f"> + c * p<"f"> + b<"f">), next(c) = f * c + (1 - f) * (x * W<"c">),
                      output = sigmoid(x * W<"r"> + b<"r">) * tanh(next(c)));
};
static_assert(!sluice::plans<simple_unit>::forward.about.has_product_in_loop);
static_assert(!sluice::plans<simple_unit>::backward.about.has_product_in_loop);

using unit = support::sized<simple_unit>;

} // namespace

TEST_CASE("host loop: a recurrence without a product agrees with the host, forward and backward") {
    support::they_agree<support::subject<unit, double, sluice::cudnn::planned>, support::planned<unit>>(
        1e-12);
}

TEST_CASE("host loop: and is as many kernels for many steps as for few") {
    auto const cell = unit::make<double, sluice::cudnn::planned>();
    auto const launches = [&](std::size_t time) {
        long const before = host_device::count().launches;
        auto const xs = support::random_sequence<double>(time, 2, 3);
        auto const run = unroll(cell, xs, cell.zero_state(2));
        backward(cell, run, run.outputs);
        return host_device::count().launches - before;
    };
    long const with_matrices = launches(2), few = launches(2); // those of the way back are made once
    CHECK(with_matrices > few);
    CHECK(launches(50) == few);
}
