// SPDX-License-Identifier: BSL-1.0
// A page as a value: what a net needs of it whose layers are chosen when the program runs. The equations are
// compiled where model_cells is called, and nowhere else:
//
//   auto const known = sluice::model_cells<float, sluice::lstm, sluice::gru, sluice::dense>();
//   known[0].name      // "lstm"
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/cell/cell.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/graph/passes.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

template <class S, class Kernels>
struct model_cell {
    using program = typename engine<S, Kernels>::program;

    std::string_view name;     ///< of the page's struct: "lstm"
    std::string_view text;     ///< its equations, as they are printed
    std::string_view expanded; ///< the same with nothing by name, which checkpoints compare
    net_page<S, Kernels> page;
    start_rule starts;
    program inference, step;
    /// Steps of cells of these sizes, which are quicker than `step`.
    std::vector<std::pair<sizes, program>> steps_of_sizes{};
};

namespace detail {

template <class Page, class Scalar, class Backend>
auto model_cell_of() {
    using lowering = typename lowering_of_cell<Page, Scalar, Backend, open_extents>::type;
    static typename initial_values_of<Page>::type const starts{};
    static_assert(
        read_input(passes<Page>::inputs, all_masks_of<Page>) <
            static_cast<std::size_t>(passes<Page>::inputs.size()),
        "sluice: a layer of a model reads one input, but the equations of a page have none, or several");
    return model_cell<Scalar, typename lowering::kernels_type>{page_name<Page>(),
                                                               print<Page>().view(),
                                                               print<Page, notation::expanded>().view(),
                                                               page_of_net<Page, Scalar, lowering>,
                                                               rule_of<Page>(starts),
                                                               lowering::inference_program(),
                                                               lowering::step_program(),
                                                               {}};
}

/// The step of cells of these sizes; null where there is none.
template <class S, class Kernels>
auto const* step_of_sizes(model_cell<S, Kernels> const& of, sizes const& n) {
    auto const found = std::ranges::find(of.steps_of_sizes, n,
                                         &std::pair<sizes, typename engine<S, Kernels>::program>::first);
    return found == of.steps_of_sizes.end() ? nullptr : &found->second;
}

} // namespace detail

/// Cells of these pages, of one scalar and the default backend, in this order.
template <class Scalar, page... Pages>
auto model_cells() {
    return std::vector{detail::model_cell_of<Pages, Scalar, default_backend>()...};
}

/// A cell with steps of these sizes of its own, which the compiler knows; with other sizes it runs as well:
///
///   sluice::model_cell_with<float, sluice::lstm, sluice::sizes{.input = 1, .units = 16}>()
template <class Scalar, page Page, sizes... Known>
auto model_cell_with() {
    auto made = detail::model_cell_of<Page, Scalar, default_backend>();
    (made.steps_of_sizes.emplace_back(
         Known,
         detail::lowering_of_cell<Page, Scalar, default_backend, extents<Known>>::type::step_program()),
     ...);
    return made;
}

/// The cell of that name. Throws `std::invalid_argument` that names those which there are.
template <class S, class Kernels>
model_cell<S, Kernels> const& cell_called(std::string_view name,
                                          std::vector<model_cell<S, Kernels>> const& known) {
    auto const found = std::ranges::find(known, name, &model_cell<S, Kernels>::name);
    if (found != known.end())
        return *found;
    std::string names;
    for (auto const& one : known)
        names.append(names.empty() ? "" : ", ").append(one.name);
    fail<std::invalid_argument>(
        {"a cell of this program is expected, one of: ", names.empty() ? std::string("none") : names,
         "; but got '", name.substr(0, 60), "'"});
}

} // namespace sluice
