// SPDX-License-Identifier: BSL-1.0
#pragma once

// A page as a cell of this program that reads with weights in fewer bits. It is a file of its own for each
// page, beside the one that learns.

#include "narrow.hpp"
#include "reading.hpp"

#include <sluice/cells/catalogue.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace char_lm {

template <class Page, class Weights>
using narrow_reading = reading<x_alone<Page>, reader, sluice::xtensor::weights<Weights>>;

template <class Page>
constexpr narrow_cell built_narrow(std::string_view name) {
    return {
        .name = name,
        .make = [](const options& o, std::size_t symbols, sluice::transport& all) -> std::unique_ptr<reader> {
            if (o.weights == "bf16")
                return std::make_unique<narrow_reading<Page, sluice::bfloat16>>(o, symbols, all);
            return std::make_unique<narrow_reading<Page, sluice::int8>>(o, symbols, all);
        }};
}

} // namespace char_lm
