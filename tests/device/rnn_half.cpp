// SPDX-License-Identifier: BSL-1.0
// Stacks that keep their numbers in 16 bits, as one call of cuDNN, against the CPU in double.
#include "rnn.hpp"
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>

namespace rnn_half_test {

using namespace rnn_test;

template <class Page, class S>
void check_rounded(double tolerance) {
    sluice::sizes const n{.input = 3, .units = 5};
    sluice::stack_options const how{.layers = 2, .direction = sluice::direction::bidirectional};
    auto const net = shuffled(sluice::stack<Page, S, device>(n, how));
    sluice::stack<Page, double> sharp(n, how);
    sharp.update_values([&](std::span<double> all) {
        std::ranges::transform(net.parameters().values(), all.begin(),
                               [](S one) { return sluice::in_double(one); });
    });
    CHECK(net.is_whole());
    lengths_type const lengths{5, 0, 2};
    auto const xs = random_sequence<S>(5, 3, 3);
    auto const run = unroll(net, xs, net.zero_state(3), {.lengths = lengths});
    auto const expected = unroll(sharp, xt::xtensor<double, 3>(xt::cast<double>(sluice::widened_tensor(xs))),
                                 sharp.zero_state(3), {.lengths = lengths});
    CHECK(distance(run.outputs, expected.outputs) < tolerance);
    auto const dys = random_like(run.outputs, "dys");
    auto const found = backward(net, run, dys);
    auto const wanted =
        backward(sharp, expected, xt::xtensor<double, 3>(xt::cast<double>(sluice::widened_tensor(dys))));
    CHECK(distance(found.inputs, wanted.inputs) < 2 * tolerance);
    auto const flat = [](auto const& values) {
        using number = typename std::decay_t<decltype(values)>::value_type;
        xt::xtensor<double, 1> all = xt::zeros<double>({values.size()});
        std::ranges::transform(values, all.begin(), [](number one) { return sluice::in_double(one); });
        return all;
    };
    CHECK(distance(flat(found.parameters.values()), flat(wanted.parameters.values())) < 2 * tolerance);
    CHECK(same_bits(infer(net, xs, net.zero_state(3), {.lengths = lengths}).outputs, run.outputs));
}

TEST_CASE("rnn half: a stack keeps its numbers in 16 bits") {
    check_rounded<sluice::lstm, sluice::half>(2e-3);
    check_rounded<sluice::tanh_rnn, sluice::bfloat16>(1e-2);
}

} // namespace rnn_half_test
