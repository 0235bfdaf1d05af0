// SPDX-License-Identifier: BSL-1.0
// What runs a cell or a stack, in words.
#include <sluice/cudnn/explain.hpp>

#include <doctest/doctest.h>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/gru.hpp>

namespace explain_test {

using sluice::cudnn::device, sluice::cudnn::explain;

static_assert(
    sluice::cudnn::detail::is_device<device> &&
    sluice::cudnn::detail::is_device<sluice::cudnn::device_with<sluice::cudnn::rnn_options{.tf32 = true}>> &&
    !sluice::cudnn::detail::is_device<sluice::cudnn::planned>);

TEST_CASE("explain: a cell of cuDNN's, and why another one is none") {
    auto const of_units = [](std::size_t units) {
        return explain(sluice::cell<sluice::canonical_gru, float, device>({.input = 3, .units = units}));
    };
    CHECK(of_units(5) == "cuDNN's GRU, with lengths by generated kernels, which are faster there");
    CHECK(of_units(129) ==
          "cuDNN's GRU, in training and with lengths by generated kernels, which are faster there");
    CHECK(of_units(193) == "cuDNN's GRU, by generated kernels, which are faster than cuDNN's");
    CHECK(explain(sluice::cell<sluice::canonical_gru, double, device>({.input = 3, .units = 193})) ==
          "cuDNN's GRU");
    CHECK(explain(sluice::cell<sluice::gru, float, device>({.input = 3, .units = 5})) ==
          "generated kernels: candidate: the reset gate multiplies h before the recurrent product; cuDNN "
          "multiplies after it");
}

TEST_CASE("explain: a stack is one call, or why each layer is by itself") {
    CHECK(explain(
              sluice::stack<sluice::canonical_gru, float, device>({.input = 3, .units = 5}, {.layers = 2})) ==
          "one call of cuDNN's RNN: 2 layers of GRU, input 3, units 5");
    CHECK(explain(sluice::stack<sluice::canonical_gru, float, device>(
              {.input = 5, .units = 5}, {.layers = 2, .residual = sluice::residual::all})) ==
          "layer by layer: cuDNN adds no layer's input to its output, and .residual is all\n"
          "layer 0: cuDNN's GRU, with lengths by generated kernels, which are faster there\n"
          "layer 1: cuDNN's GRU, with lengths by generated kernels, which are faster there");
}

} // namespace explain_test
