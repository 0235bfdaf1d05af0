// SPDX-License-Identifier: BSL-1.0
#include "layered.hpp"

#include "../mgu/mgu.hpp"

namespace char_lm {

std::unique_ptr<network> make_mgu(const options& o, std::size_t symbols) {
    return make_layered<mgu>(o, symbols);
}

} // namespace char_lm
