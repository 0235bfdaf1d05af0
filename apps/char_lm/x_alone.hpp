// SPDX-License-Identifier: BSL-1.0
#pragma once

// A page that reads x alone. Its other inputs, such as the time since the last step or a mask of what was
// seen, are 1 at every step: a stack fills them in as masks that drop nothing.

#include <sluice/cell/adapt/page_masks.hpp>
#include <sluice/cell/cell.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

namespace char_lm {

template <class Page>
struct with_ones : Page {
    static constexpr auto masks = [] {
        std::array<sluice::mask, static_cast<std::size_t>(sluice::passes<Page>::inputs.size()) - 1> all{};
        std::size_t found = 0;
        for (const auto& one : sluice::passes<Page>::inputs)
            if (one.called.view() != "x")
                all.at(found++) = {one.called, sluice::mask_kind::dropout};
        return all;
    }();
};

template <class Page>
using x_alone = std::conditional_t<(sluice::passes<Page>::inputs.size() > 1), with_ones<Page>, Page>;

} // namespace char_lm
