// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN between addresses of the device: what is no sequence. sent_engine.cpp runs sequences.
#include <sluice/cudnn/rnn/rnn_network.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>

namespace rnn_network_test {

using namespace sluice::cudnn;

TEST_CASE("rnn network: a tape of nothing says how little it is of") {
    CHECK(rnn_tape::of_nothing(0, 3)->is_of_nothing());
    CHECK(rnn_tape::of_nothing(4, 0)->is_of_nothing());
    CHECK(rnn_tape::of_nothing(4, 0)->shape() == std::array<std::size_t, 2>{4, 0});
    CHECK(!rnn_tape::of_nothing(1, 1)->is_of_nothing());
}

TEST_CASE("rnn network: more steps than cuDNN counts are refused before anything is allocated") {
    rnn_network const network(rnn_numbers_of<double>::value, {});
    rnn_shape const shape{.mode = rnn_mode::tanh, .layers = 1, .input = 2, .units = 3, .projection = 3};
    rnn_sequence const given{.steps = std::size_t(1) << 31, .batch = 1};
    long const before = host_device::count().allocations;
    CHECK_THROWS_WITH_AS(
        network.infer(shape, nullptr, given, {}),
        doctest::Contains("cuDNN counts steps and rows in 32 bits, but a sequence has 2147483648 steps"),
        std::invalid_argument);
    CHECK(host_device::count().allocations == before);
}

} // namespace rnn_network_test
