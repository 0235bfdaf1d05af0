// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/lstm.hpp>

namespace char_lm {

std::unique_ptr<network> make_projected_lstm(const options& o, std::size_t symbols) {
    return make_layered(o, symbols, [&](std::size_t input, sluice::seed seed) {
        return sluice::projected_lstm<float>({.input = input, .num_units = o.units, .num_proj = o.projection},
                                             seed);
    });
}

} // namespace char_lm
