// SPDX-License-Identifier: BSL-1.0
// Cells that are cuDNN's in other words: their parameters become its weights on the device, and its gradients
// theirs.
#include "resident.hpp"
#include <support/kernel_gru.hpp>

namespace resident_weights_test {

using namespace resident_test;
using namespace sluice::literals;

using namespace sluice::equation;

/// A reset gate whose complement is used, multiples of matrices, a transposed one, a number for a vector.
struct odd_gru {
    static constexpr auto reset = gate<"reset">;
    static constexpr auto keep = gate<"keep">;
    static constexpr auto fresh = gate<"fresh">;
    static constexpr auto equations = sluice::lines(
        reset = sigmoid(x * W<"r"> - h * transposed(R<"r">) + scalar<"a">),
        keep = sigmoid(2_n * (x * (W<"z"> - W<"r">)) + (h / 4_n) * R<"z"> + 1),
        fresh = tanh(x * W<"n"> + (1 - reset) * (h * (R<"n"> + transposed(R<"n">)) + b<"n">)-vector<"q"> /
                                      setting<"s">(1_n)),
        next(h) = keep * h + (1 - keep) * fresh);
};

template <class Page, class S>
void check_one_call(sluice::sizes const& n, sluice::settings const& numbers) {
    using device = sluice::cudnn::device_with<sluice::cudnn::rnn_options{
        .algorithm = sluice::cudnn::algorithm::standard}>; // also for lengths
    auto const host = sluice::cell<Page, S, device>(n, {}, numbers);
    CHECK(explain(host) == "cuDNN's GRU");
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    check_cell<Page, S, device>(n, numbers);
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 4);
}

TEST_CASE("maps of weights on the device: parts, sums, multiples, transposes, numbers for vectors") {
    check_one_call<odd_gru, double>({.input = 3, .units = 5}, {{"s", 2.}});
    check_one_call<odd_gru, sluice::half>({.input = 3, .units = 4}, {{"s", 2.}});
    check_one_call<kernel_cells::kernel_gru, float>({.input = 3, .units = 4, .own = {{"two", 8}}},
                                                    {{"lean", 0.5}});
}

TEST_CASE("maps of weights on the device: all cells of a stack, and settings of each") {
    auto host = shuffled(sluice::stack<odd_gru, double, device>(
        {.input = 3, .units = 4}, {.layers = 2, .direction = sluice::direction::bidirectional}, {},
        {{"s", 2.}}));
    auto other = shuffled(sluice::stack<odd_gru, double>(
        {.input = 3, .units = 4}, {.layers = 2, .direction = sluice::direction::bidirectional}, {},
        {{"s", 2.}}));
    CHECK(host.is_whole());
    check_resident(host, other, 4, 3, {.lengths = {4, 0, 2}});
    resident net(host);
    host.set_setting("s"_s, 0.5);
    other.set_setting("s"_s, 0.5);
    net.send(host);
    auto const xs = random_sequence<double>(4, 3, 3);
    check_near(fetch(infer(net, send(xs), net.zero_state(3)).outputs),
               infer(other, xs, other.zero_state(3)).outputs);
}

} // namespace resident_weights_test
