// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN whose numbers are kept in 16 bits: conversions, and what a compatible cell reads from them.
#include <sequence/cudnn.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor/reference.hpp>

namespace cudnn_half_test {

using namespace cudnn_test;
using sluice::bfloat16;
using reference = sluice::xtensor::reference;

TEST_CASE("cudnn layers: parameters of 16 bits") {
    sluice::cudnn_lstm_layers<bfloat16, reference> net({.num_layers = 2, .num_units = 4, .input_size = 3});
    cudnn_test::randomize(net);
    auto const before = copied(net);
    CHECK(support::same_bits(xt::adapt(net.canonical_to_params(net.params_to_canonical(net.params()))),
                             xt::adapt(before)));
    auto const saved = net.saved();
    net.restore(saved); // sums of 8 binary digits, and halves that are exact
    auto const again = net.saved();
    for (std::size_t i = 0; i < saved.tensors().size(); ++i)
        CHECK(support::same_bits(xt::adapt(saved.tensors()[i].values), xt::adapt(again.tensors()[i].values)));

    auto const xs = support::random_sequence<bfloat16>(4, 2, 3);
    sluice::cudnn_lstm_layers<bfloat16, reference> first({.num_layers = 1, .num_units = 4, .input_size = 3});
    sluice::cell<sluice::lstm, bfloat16, reference> cell({.input = 3, .units = 4});
    saved.read_into(cell, 0);
    CHECK(cell.setting("forget_bias"_s) == 0.f);
    auto of_first = first.saved();
    of_first.read_from(cell, 0);
    first.restore(of_first);
    CHECK(support::distance(first(xs, first.zero_state(2), false).outputs,
                            sluice::infer(cell, xs, cell.zero_state(2)).outputs) < 0.02);
}

} // namespace cudnn_half_test
