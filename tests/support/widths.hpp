// SPDX-License-Identifier: BSL-1.0
// A check for every width of batches.
#pragma once

#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/simd/simd.hpp>

namespace widths {

/// f.operator()<L>() for each number of lanes that a batch of S may have.
template <class S, std::size_t Lanes = sluice::batches::widest<S>, class F>
void for_widths(F const& f) {
    CAPTURE(Lanes);
    f.template operator()<Lanes>();
    if constexpr (Lanes * sizeof(S) > 16)
        for_widths<S, Lanes / 2>(f);
}

} // namespace widths
