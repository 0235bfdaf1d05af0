// SPDX-License-Identifier: BSL-1.0
// What the tests of cuDNN's layers share: random buffers, and the state of a layer and direction as a tensor.
#pragma once

#include <doctest/doctest.h>
#include <sluice/tensorflow/cudnn_layers.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace cudnn_test {

using namespace sluice::literals;

inline constexpr std::array both_ways{sluice::direction::unidirectional, sluice::direction::bidirectional};

/// Every parameter another number, biases too.
template <class Net>
void randomize(Net& net, double scale = 0.7) {
    using scalar = typename Net::scalar_type;
    sluice::random_stream numbers(sluice::seed{5}, "params");
    net.update_values([&](std::span<scalar> values) {
        for (scalar& value : values)
            value = sluice::rounded<scalar>(numbers.uniform(-scale, scale));
    });
}

/// A copy of a buffer, which stays as it is.
template <class Net>
auto copied(Net const& net) {
    auto const params = net.params();
    return std::vector<typename Net::scalar_type>(params.begin(), params.end());
}
template <class Net>
bool has_params(Net const& net, std::vector<typename Net::scalar_type> const& expected) {
    return std::ranges::equal(net.params(), expected);
}

/// Random states.
template <class Net>
auto random_state(Net const& net, std::size_t batch) {
    return support::random_map(net.zero_state(batch), "state");
}

/// The sentence of a refusal.
template <class Call>
std::string refused(Call call) {
    try {
        call();
    } catch (std::invalid_argument const& refusal) {
        return refusal.what();
    }
    return "nothing was refused";
}
inline bool says(std::string const& sentence, std::vector<std::string> const& parts) {
    bool all = true;
    for (std::string const& part : parts)
        all = all && sentence.find(part) != std::string::npos;
    if (!all)
        MESSAGE(sentence);
    return all;
}

} // namespace cudnn_test
