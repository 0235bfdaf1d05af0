// SPDX-License-Identifier: BSL-1.0
#pragma once

// A page as a cell of this program.

#include "cells.hpp"
#include "layered.hpp"

#include <sluice/cells/catalogue.hpp>
#include <sluice/plan/cost.hpp>

namespace char_lm {

template <class Page>
constexpr built_cell built(std::string_view name) {
    using page = x_alone<Page>;
    return {.name = name,
            .usual = sluice::sizes_for<Page>(4, 4),
            .sizes = &sizes_of<Page>,
            .parameters = &sluice::parameter_count<page>,
            .flops = &sluice::flops<page>,
            .make = [](const options& o, std::size_t symbols, sluice::transport& all)
                -> std::unique_ptr<network> { return std::make_unique<layered<page>>(o, symbols, all); }};
}

} // namespace char_lm
