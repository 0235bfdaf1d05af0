// SPDX-License-Identifier: BSL-1.0
// What runs for cuDNN's cells with cuDNN's parameters is what runs for the same cells with one bias for each
// gate.
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/sluice.hpp>
#include <support/both.hpp>

namespace canonical_test {

namespace {

/// As many of everything as the plans of another page have.
template <class Page, class Other>
constexpr bool plans_are_as_good() {
    using of = sluice::plans<Page>;
    using than = sluice::plans<Other>;
    auto const as_good = [](sluice::plan_view const& a, sluice::plan_view const& b) {
        return a.tasks.size() == b.tasks.size() && a.blocks.size() == b.blocks.size() &&
               a.buffers.size() == b.buffers.size() && a.saved.size() <= b.saved.size();
    };
    return as_good(of::inference, than::inference) && as_good(of::forward, than::forward) &&
           as_good(of::backward, than::backward);
}

constexpr sluice::sizes plain{.input = 3, .units = 5};

} // namespace

TEST_CASE("canonical: transposed matrices and second biases cost no product and no pass over memory") {
    BOTH(plans_are_as_good<sluice::canonical_tanh_rnn, sluice::tanh_rnn>());
    BOTH(plans_are_as_good<sluice::canonical_gru, sluice::cudnn_gru>());
    BOTH(plans_are_as_good<sluice::canonical_lstm, sluice::lstm>());
    BOTH(plans_are_as_good<sluice::canonical_projected_lstm, sluice::projected_lstm>());
    BOTH(sluice::cost_of<sluice::canonical_gru>(plain).loop.products ==
         sluice::cost_of<sluice::cudnn_gru>(plain).loop.products);
    BOTH(sluice::cost_of<sluice::canonical_gru>(plain).before.products ==
         sluice::cost_of<sluice::cudnn_gru>(plain).before.products);
}

} // namespace canonical_test
