// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/glstm.hpp>

namespace char_lm {

std::unique_ptr<network> make_projected_glstm(const options& o, std::size_t symbols) {
    return make_layered<sluice::projected_glstm>(o, symbols);
}

} // namespace char_lm
