// SPDX-License-Identifier: BSL-1.0
// All inputs of a cell in a layer: what the layer reads, and the masks that its page asks for
// (cell/masks.hpp).
//
//               in training                                              in inference
//   zoneout     1 with probability rate, else 0, for each time step      rate
//   dropout     0 with probability rate, else 1 / (1 - rate), the        1
//               same at all time steps (arXiv 1512.05287)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sluice/cell/cell.hpp>
#include <sluice/cell/masks.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/stack_options.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::detail {

/// What kind of mask an input of a page is, if it is one.
template <class Page>
constexpr std::optional<mask_kind> mask_of_input(std::size_t k) {
    for (mask const& one : masks_of<Page>())
        if (one.called.view() == input_name<Page>(k))
            return one.kind;
    return {};
}

/// The one input of a page that is no mask; behind all of them where there is none, or several.
template <class Page>
constexpr std::size_t read_input() {
    constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
    std::size_t found = 0, others = 0;
    for (std::size_t k = 0; k < count; ++k)
        if (!mask_of_input<Page>(k)) {
            found = k;
            ++others;
        }
    return others == 1 ? found : count;
}

/// What masks are drawn with: none, in inference.
struct mask_draw {
    stack_options const& options;
    std::string_view cell; ///< its prefix in names, which tells its masks from those of others
    std::optional<std::uint64_t> number{};
};

/// Fills the masks among the inputs of a cell.
template <class Page, class S>
void fill_masks(mask_draw const& draw, input_tensors<Page, S>& inputs) {
    constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
    for (std::size_t k = 0; k < count; ++k) {
        auto const kind = mask_of_input<Page>(k);
        if (!kind)
            continue;
        auto& values = nth_input(inputs, k);
        bool const zones = *kind == mask_kind::zoneout;
        double const rate = zones ? draw.options.zoneout : draw.options.recurrent_dropout;
        if (!draw.number) {
            std::fill_n(values.data(), values.size(), rounded<S>(zones ? rate : 1.));
            continue;
        }
        std::string name;
        append({draw.cell, input_name<Page>(k)}, name);
        std::fill_n(values.data(), values.size(), rounded<S>(1.));
        if (!zones)
            values = dropout(rate, draw.options.dropout_seed, name, true)(std::move(values), *draw.number);
        else {
            auto const& shape = values.shape();
            for_each_drawn(random_field(draw.options.dropout_seed, name, *draw.number), rate, false,
                           {shape[0], shape[1], shape[2]}, values.data(),
                           [](S& value, bool kept) { value = kept ? value : S(0); });
        }
    }
}

} // namespace sluice::detail
