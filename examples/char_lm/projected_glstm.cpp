// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/glstm.hpp>

namespace char_lm {

std::unique_ptr<network> make_projected_glstm(const options& o, std::size_t symbols) {
    return make_layered(o, symbols, [&](std::size_t input, sluice::seed seed) {
        return sluice::projected_glstm<float>(
            {.input = input, .num_units = o.units, .num_proj = o.projection, .number_of_groups = o.groups},
            seed);
    });
}

} // namespace char_lm
