// SPDX-License-Identifier: BSL-1.0
// The gradients of nets that stay on the device against differences of what they compute there.
#include "resident.hpp"

#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cudnn/resident/resident_check.hpp>
#include <support/reducing_cells.hpp>

namespace resident_check_test {

using namespace resident_test;

template <class Net>
void check(Net const& host, sluice::gradient_check_options const& options = {}) {
    resident const net(host);
    typename Net::inputs_type xs;
    for (std::size_t k = 0; k == 0 || k < static_cast<std::size_t>(Net::input_count()); ++k)
        sluice::nth_input(xs, k) =
            random_sequence<double>(3, 2, host.as_net().layers[0].ways[0].widths[k], "xs");
    auto const state = random_states(host.zero_state(2), "state");
    auto const report = sluice::gradient_check(net, xs, state, options);
    CHECK(report.worst().largest < 1e-6);
    CHECK(report.tensors.size() == sluice::gradient_check(host, xs, state, options).tensors.size());
    CHECK(sluice::gradient_check(net, xs, options).worst().largest < 1e-6);
}

TEST_CASE("resident check: a cell of cuDNN, layers with rows of their own, and several inputs") {
    SUBCASE("cuDNN's cell") {
        check(shuffled(sluice::cell<sluice::cudnn_gru, double, device>({.input = 3, .units = 2})));
    }
    SUBCASE("layers") {
        check(shuffled(sluice::stack<sluice::gru, double, generated>(
                  {.input = 3, .units = 2},
                  {.layers = 2, .direction = sluice::direction::bidirectional, .dropout = 0.5})),
              {.lengths = {3, 2}, .draw = 5});
    }
    SUBCASE("several inputs") {
        check(shuffled(sluice::cell<reducing_cells::attentive, double, generated>(
            {.input = 2, .units = 4, .groups = 2, .own = {{"context", 3}}})));
    }
}

} // namespace resident_check_test
