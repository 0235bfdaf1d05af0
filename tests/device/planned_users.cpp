// SPDX-License-Identifier: BSL-1.0
// Cells with reductions, several inputs, matrices that are used twice.
#include <device/planned.hpp>

namespace planned_users_test {

using namespace sluice::literals;

template <class Page, class S>
void cell_agrees(double tolerance, std::size_t units, std::size_t groups) {
    sluice::sizes const n{.input = 3, .units = units, .groups = groups, .own = {{"context", 4}}};
    sluice::cell<Page, S, sluice::cudnn::planned> on_device(n);
    sluice::cell<Page, S, sluice::xtensor::reference> on_host(n);
    support::randomize(on_device);
    support::randomize(on_host);
    std::size_t const time = 4, batch = 3;
    auto const xs = support::random_sequence<S>(time, batch, 3);
    auto const contexts = support::random_sequence<S>(time, batch, 4, "context");
    auto const inputs = sluice::inputs("x"_s, xs, "context"_s, contexts);
    auto const state = support::random_map(on_host.zero_state(batch), "state");
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({time, batch});
    resets(2, 0) = resets(3, 2) = true;
    for (sluice::unroll_options const& rows :
         {sluice::unroll_options{}, {.lengths = {4, 0, 2}}, {.resets = resets}}) {
        auto const a = unroll(on_device, inputs, state, rows);
        auto const b = unroll(on_host, inputs, state, rows);
        CHECK(support::distance(a.outputs, b.outputs) < tolerance);
        auto const dys = support::random_like(b.outputs, "dys");
        auto const g_a = backward(on_device, a, dys, state);
        auto const g_b = backward(on_host, b, dys, state);
        CHECK(support::map_distance(g_a.parameters, g_b.parameters) < tolerance);
        CHECK(support::state_distance(g_a.state, g_b.state) < tolerance);
        CHECK(support::map_distance(g_a.inputs, g_b.inputs) < tolerance);
    }
}

TEST_CASE("planned users: reductions, several inputs and shared matrices on a CUDA device") {
    using reducing_cells::attentive;
    cell_agrees<attentive, double>(1e-11, 9, 3);   // odd: one column at a time
    cell_agrees<attentive, double>(1e-11, 8, 2);   // even: 16 bytes at a time
    cell_agrees<attentive, double>(1e-11, 270, 1); // more columns than threads of a row
    cell_agrees<attentive, double>(1e-11, 1, 1);
}

TEST_CASE("planned users: reductions that start at -infinity on a CUDA device, over fewer features than "
          "there are threads") {
    using reducing_cells::gathering;
    cell_agrees<gathering, double>(1e-11, 9, 3);
    cell_agrees<gathering, double>(1e-11, 70, 2);
    cell_agrees<gathering, double>(1e-11, 1, 1);
}

} // namespace planned_users_test
