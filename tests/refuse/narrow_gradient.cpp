// SPDX-License-Identifier: BSL-1.0
// The gradient of a cell of narrow weights.
// expect: sluice: the backend of this net is for inference, and gives no gradient; train a net of the default backend, and give this one its numbers by sluice::copy_parameters\(trained, this_one\)
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#ifdef ACCEPT
using cell = sluice::cell<sluice::gru>;
#else
using cell = sluice::cell<sluice::gru, sluice::xtensor::weights<sluice::bfloat16>>;
#endif

auto gradient(cell const& c, xt::xtensor<float, 3> const& xs) {
    auto const run = unroll(c, xs, c.zero_state(2));
    return backward(c, run, xs).parameters;
}
