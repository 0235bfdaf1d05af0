// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/gru.hpp>

namespace char_lm {

std::unique_ptr<network> make_gru(const options& o, std::size_t symbols) {
    return make_layered(o, symbols, [&](std::size_t input, sluice::seed seed) {
        return sluice::gru<float>({.input = input, .num_units = o.units}, seed);
    });
}

} // namespace char_lm
