// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/lstm.hpp>

namespace char_lm {

std::unique_ptr<network> make_lstm(const options& o, std::size_t symbols) {
    if (o.projection > 0)
        return make_projected_lstm(o, symbols);
    return make_layered<sluice::lstm>(o, symbols);
}

} // namespace char_lm
