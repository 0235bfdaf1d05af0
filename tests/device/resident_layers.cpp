// SPDX-License-Identifier: BSL-1.0
// Layers in the form of cuDNN's own API that stay on the device.
#include "resident.hpp"

namespace resident_layers_test {

using namespace resident_test;

TEST_CASE("resident layers: layers of cuDNN with a skipped input stay on the device") {
    using here = sluice::cudnn_gru_layers<float>;
    using there = sluice::cudnn_gru_layers<float, device>;
    for (auto const mode : {sluice::input_mode::skip_input, sluice::input_mode::linear_input}) {
        sluice::cudnn_options const how{.num_layers = 2,
                                        .num_units = 4,
                                        .input_size = 4,
                                        .input_mode = mode,
                                        .direction = sluice::direction::bidirectional};
        auto const host = shuffled(there(how));
        auto const other = shuffled(here(how));
        resident const net(host);
        auto const xs = random_sequence<float>(5, 3, 4);
        for (rows const& given : {rows{}, {.lengths = {5, 0, 2}}, {.resets = some_resets(5, 3)}}) {
            auto const expected =
                unroll(other, xs, other.zero_state(3), {.lengths = given.lengths, .resets = given.resets});
            auto const run =
                unroll(net, send(xs), net.zero_state(3), {.lengths = given.lengths, .resets = given.resets});
            check_near(fetch(run.outputs), expected.outputs);
            auto const dys = random_like(expected.outputs, "dys");
            auto const wanted = backward(other, expected, dys);
            auto const found = backward(net, run, send(dys));
            check_near(fetch(found.inputs), wanted.inputs);
            check_values(net.fetch(found.parameters).values(), wanted.parameters.values());
        }
    }
}

} // namespace resident_layers_test
