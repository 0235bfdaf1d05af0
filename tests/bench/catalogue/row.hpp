// SPDX-License-Identifier: BSL-1.0
// What the benchmark of the catalogue runs of each cell.
#pragma once

#include <cstddef>
#include <functional>
#include <sluice/cells/catalogue.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/xtensor.hpp>
#include <string_view>
#include <support/catalogue_part.hpp>
#include <vector>

namespace bench {

inline constexpr std::size_t units = 256, steps = 50;

/// A sequence over a cell of 256 inputs and units.
struct row {
    std::size_t place = 0; ///< in the catalogue
    std::string_view name{};
    double products = 0; ///< operations in products, a step and a row of the batch
    std::function<std::function<void()>(std::size_t)> of; ///< for a batch: a call that runs it
};

/// Those of the cells whose parts are linked into the program, in no order.
inline std::vector<row>& rows() {
    static std::vector<row> all;
    return all;
}

template <class Page>
row row_of(std::size_t place) {
    static constexpr sluice::sizes n = sluice::sizes_for<Page>(units, units);
    return {place, sluice::page_name<Page>(), sluice::cost_of<Page>(n).products(),
            [](std::size_t batch) -> std::function<void()> {
                sluice::settings numbers;
                for (auto const& setting : sluice::passes<Page>::settings)
                    if (!setting.has_default)
                        numbers.given.emplace_back(setting.called.view(), 0.5);
                sluice::cell<Page> cell(n, sluice::seed{7}, numbers);
                sluice::input_tensors<Page, float> xs;
                for (std::size_t k = 0; k < static_cast<std::size_t>(cell.input_count()); ++k)
                    sluice::nth_input(xs, k) =
                        0.5f * xt::ones<float>({steps, batch, sluice::input_width<Page>(k, n)});
                auto const state = cell.zero_state(batch);
                return [cell, xs, state] { sluice::infer(cell, xs, state); };
            }};
}

/// Enters the cells of a part of the catalogue into `rows`.
template <std::size_t Part, std::size_t Parts>
bool enter_part() {
    std::size_t place = Part;
    support::for_each_page_of_part<Part, Parts>([&]<class Page>(std::type_identity<Page>) {
        rows().push_back(row_of<Page>(place));
        place += Parts;
    });
    return true;
}

} // namespace bench
