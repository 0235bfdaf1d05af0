// SPDX-License-Identifier: BSL-1.0
// Masks: inputs of a page that hold back parts of its states while it learns. Whatever runs the page draws
// them at random, and gives them by their names as any other input, [batch, width of the state] for each time
// step. A stack does it with the rates of its options:
//
//               in training                                              in inference
//   zoneout     1 with probability rate, else 0, for each time step      rate
//   dropout     0 with probability rate, else 1 / (1 - rate), the        1
//               same at all time steps (arXiv 1512.05287)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/name.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/graph/entries.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/stack_options.hpp>
#include <sluice/parameter/random.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// What the numbers of a mask stand for.
enum class mask_kind : unsigned char {
    zoneout, ///< 1 where a state keeps its value, else 0; without learning the rate everywhere
    dropout, ///< 0 where a state is dropped, else 1 / (1 - rate); without learning 1 everywhere
};

/// An input that is a mask.
struct mask {
    name called{};
    mask_kind kind = mask_kind::zoneout;

    friend constexpr bool operator==(mask const&, mask const&) = default;
};

namespace detail {

/// What kind of mask an input is, if it is one.
constexpr std::optional<mask_kind> kind_of_mask(name const& input, std::span<mask const> masks) {
    for (mask const& one : masks)
        if (one.called == input)
            return one.kind;
    return {};
}

/// The one input that is no mask; their number where there is none, or several.
constexpr std::size_t read_input(view<input_entry> inputs, std::span<mask const> masks) {
    auto const count = static_cast<std::size_t>(inputs.size());
    std::size_t found = 0, others = 0;
    for (std::size_t k = 0; k < count; ++k)
        if (!kind_of_mask(inputs[static_cast<int>(k)].called, masks)) {
            found = k;
            ++others;
        }
    return others == 1 ? found : count;
}

/// The rates and the seed of masks.
struct mask_rates {
    double zoneout = 0, recurrent_dropout = 0;
    seed from{};
};

/// Gives a mask its numbers; without a draw those of inference. `called` tells it from other masks.
/// `first_row` is which row of a larger batch its first one is.
template <class S>
void fill_mask(mask_rates const& rates, mask_kind kind, std::string_view called,
               std::optional<std::uint64_t> draw, std::size_t first_row, xt::xtensor<S, 3>& values) {
    bool const zones = kind == mask_kind::zoneout;
    double const rate = zones ? rates.zoneout : rates.recurrent_dropout;
    if (!draw) {
        std::fill_n(values.data(), values.size(), rounded<S>(zones ? rate : 1.));
        return;
    }
    std::fill_n(values.data(), values.size(), rounded<S>(1.));
    if (!zones)
        values = dropout(rate, rates.from, called, true)(std::move(values), *draw, first_row);
    else {
        auto const& shape = values.shape();
        for_each_drawn(random_field(rates.from, called, *draw), rate, false, {shape[0], shape[1], shape[2]},
                       first_row, values.data(), [](S& value, bool kept) { value = kept ? value : S(0); });
    }
}

/// Draws the masks among the inputs of a cell.
template <class S>
class mask_source {
public:
    /// `cell` is what the names of the cell begin with.
    mask_source(stack_options const& how, std::string_view cell, view<input_entry> inputs,
                std::span<mask const> masks, std::vector<std::size_t> widths)
        : rates_{how.zoneout, how.recurrent_dropout, how.dropout_seed}, widths_(std::move(widths)) {
        for (input_entry const& input : inputs) {
            kinds_.push_back(kind_of_mask(input.called, masks));
            append({cell, input.called.view()}, names_.emplace_back());
        }
    }
    /// [time, batch, width] for each input that is a mask, and nothing for others; the time is 1 where it is
    /// the same at all, and so is the batch where no draw is given.
    std::vector<xt::xtensor<S, 3>> operator()(std::size_t steps, std::size_t batch,
                                              std::optional<std::uint64_t> draw,
                                              std::size_t first_row) const {
        std::vector<xt::xtensor<S, 3>> all(kinds_.size());
        for (std::size_t k = 0; k < kinds_.size(); ++k)
            if (kinds_[k]) {
                bool const is_of_each_step = kinds_[k] == mask_kind::zoneout;
                all[k].resize({draw && is_of_each_step ? steps : 1, draw ? batch : 1, widths_[k]});
                fill_mask(rates_, *kinds_[k], names_[k], draw, first_row, all[k]);
            }
        return all;
    }

private:
    mask_rates rates_;
    std::vector<std::optional<mask_kind>> kinds_{};
    std::vector<std::string> names_{};
    std::vector<std::size_t> widths_;
};

} // namespace detail
} // namespace sluice
