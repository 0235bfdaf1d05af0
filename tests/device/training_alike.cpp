// SPDX-License-Identifier: BSL-1.0
// One training function for a cell, for layers, and for the same on a device: it learns the same everywhere.
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
void check(Here here, There const& host, Key key, Bounded bounded) {
    resident there(host);
    auto const xs = random_sequence<double>(4, 2, 3), target = random_sequence<double>(4, 2, 5, "target");
    auto const prepare = [&](auto& optimizer, auto& penalty) {
        penalty.regularize(key, {.l1 = 1e-3, .l2 = 1e-2});
        optimizer.constrain(bounded, [](std::span<double> values) {
            for (double& value : values)
                value = std::clamp(value, -0.25, 0.25);
        });
    };
    auto const expected = support::train(here, xs, target, 12, prepare);
    auto const came = support::train(there, send(xs), send(target), 12, prepare);
    REQUIRE(came.size() == expected.size());
    for (std::size_t s = 0; s < came.size(); ++s)
        CHECK(came[s] == doctest::Approx(expected[s]).epsilon(1e-9));
    CHECK(expected.back() < 0.95 * expected.front());
    auto fetched = host;
    there.fetch(fetched);
    check_values(fetched.parameters().values(), here.parameters().values());
    CHECK(xt::amax(xt::abs(fetched.parameters()[bounded]))() == 0.25);
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

} // namespace training_alike_test
