// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include <sluice/cell/cudnn_gru.hpp>

namespace char_lm {

std::unique_ptr<network> make_cudnn_gru(const options& o, std::size_t symbols) {
    return make_layered<sluice::cudnn_gru>(o, symbols);
}

} // namespace char_lm
