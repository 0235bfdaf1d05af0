// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/cudnn_gru.hpp>

namespace char_lm {

std::unique_ptr<network> make_cudnn_gru(const options& o, std::size_t symbols) {
    return make_layered(o, symbols, [&](std::size_t input, sluice::seed seed) {
        return sluice::cudnn_gru<float>({.input = input, .num_units = o.units}, seed);
    });
}

} // namespace char_lm
