// SPDX-License-Identifier: BSL-1.0
// One training function for a cell, for layers, and for the same on a device, called from the host or staying
// there: it learns the same everywhere.
#include "resident.hpp"

#include <algorithm>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cudnn.hpp>
#include <span>
#include <support/train.hpp>

namespace training_alike_test {

using namespace resident_test;
using namespace sluice::literals;

/// The same losses, and the same parameters after all steps, with a penalty on one and a constraint of
/// another.
template <class Here, class There, class Key, class Bounded>
void check(Here const& host, There const& on_device, Key key, Bounded bounded) {
    auto const xs = random_sequence<double>(4, 2, host.input_size()),
               target = random_sequence<double>(4, 2, host.output_size(), "target");
    auto const trained = [&](auto& net) {
        auto const prepare = [&](auto& optimizer, auto& penalty) {
            penalty.regularize(key, {.l1 = 1e-3, .l2 = 1e-2});
            optimizer.constrain(bounded, [](std::span<double> values) {
                for (double& value : values)
                    value = std::clamp(value, -0.25, 0.25);
            });
        };
        return support::train(net, there(net, xs), there(net, target), 12, prepare);
    };
    auto expected_net = host;
    auto const expected = trained(expected_net);
    CHECK(expected.back() < 0.95 * expected.front());
    auto const is_expected = [&](std::vector<double> const& came, There const& net) {
        REQUIRE(came.size() == expected.size());
        for (std::size_t s = 0; s < came.size(); ++s)
            CHECK(came[s] == doctest::Approx(expected[s]).epsilon(1e-9));
        check_values(net.parameters().values(), expected_net.parameters().values());
        CHECK(xt::amax(xt::abs(net.parameters()[bounded]))() == 0.25);
    };
    auto called = on_device, fetched = on_device;
    auto const of_calls = trained(called);
    is_expected(of_calls, called);
    resident stays(on_device);
    auto const came = trained(stays);
    stays.fetch(fetched);
    is_expected(came, fetched);
}

TEST_CASE("training alike: a cell, and the same on a device") {
    sluice::sizes const n{.input = 3, .units = 5};
    check(shuffled(sluice::cell<sluice::cudnn_gru, double>(n)),
          shuffled(sluice::cell<sluice::cudnn_gru, double, device>(n)), "W_r"_s, "R_n"_s);
}
TEST_CASE("training alike: layers, and the same on a device") {
    sluice::sizes const n{.input = 3, .units = 5};
    sluice::stack_options const how{.layers = 2};
    check(shuffled(sluice::stack<sluice::gru, double>(n, how)),
          shuffled(sluice::stack<sluice::gru, double, generated>(n, how)), "layer1/W_r", "layer1/R_n");
}
TEST_CASE("training alike: layers of cuDNN that skip their input, and the same on a device") {
    sluice::cudnn_options const how{.num_layers = 2,
                                    .num_units = 4,
                                    .input_size = 4,
                                    .input_mode = sluice::input_mode::auto_select,
                                    .direction = sluice::direction::bidirectional};
    auto const net = shuffled(sluice::cudnn_gru_layers<double, device>(how));
    CHECK(explain(net) ==
          "one call of cuDNN's RNN: 2 layers of GRU, bidirectional, input 4 (skipped), units 4");
    check(shuffled(sluice::cudnn_gru_layers<double>(how)), net, "layer0/forward/R_r", "layer1/backward/R_n");
}

} // namespace training_alike_test
