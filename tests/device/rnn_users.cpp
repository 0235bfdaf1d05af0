// SPDX-License-Identifier: BSL-1.0
// Users' cells: one that is cuDNN's GRU in other words is one call, beside one that is not each layer runs by
// itself.
#include "rnn.hpp"
#include <sluice/cells/gru.hpp>

namespace rnn_users_test {

using namespace rnn_test;

/// The update gate the other way round, one bias, fused matrices nowhere.
struct users_gru {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto u = gate<"u">;
        constexpr auto reset = gate<"reset">;
        constexpr auto n = gate<"n">;
        return sluice::lines(u = sigmoid(h * R<"u"> + x * W<"u"> + b<"u">),
                             reset = sigmoid(x * W<"reset"> + h * R<"reset">),
                             n = tanh(reset * (h * R<"n">)+b<"n"> + x * W<"n">), next(h) = h + u * (n - h));
    }();
};

TEST_CASE("rnn users: a GRU in a user's words is one call of cuDNN") {
    check_stack<users_gru, double>({.input = 3, .units = 5},
                                   {.layers = 2, .direction = sluice::direction::bidirectional});
}

TEST_CASE(
    "rnn users: a layer that cuDNN does not have makes each run by itself, and explain says which and why") {
    using list = sluice::layers<users_gru, sluice::gru>;
    std::vector<sluice::sizes> const n{{.input = 3, .units = 5}, {.units = 4}};
    sluice::stack_options const how{.direction = sluice::direction::reversed};
    auto const net = shuffled(sluice::stack<list, double, device>(n, how));
    auto const other = shuffled(sluice::stack<list, double>(n, how));
    std::string const reason = "candidate: the reset gate multiplies h before the recurrent product; cuDNN "
                               "multiplies after it";
    CHECK(explain(net) == "layer by layer: layer 1: " + reason +
                              "\nlayer 0: cuDNN's GRU\nlayer 1: generated kernels: " + reason);
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    check_alike(net, other, 5, 3, {.lengths = {5, 0, 2}});
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 2);
}

} // namespace rnn_users_test
