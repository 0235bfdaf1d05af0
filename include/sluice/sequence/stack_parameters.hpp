// SPDX-License-Identifier: BSL-1.0
// The parameters of all layers of a stack in one array: for each layer and direction its matrices, then for
// each its vectors and numbers, both in the order of the equations. (cuDNN's weight space is in this order.)
//
//   net.parameters()["layer1/W_r"]              an expression, by the name that a checkpoint has
//   net.parameters().at(1)["W_r"_s]             the same, of layer 1; .at(1, 1) is its backward direction
//   net.parameters().values()                   the numbers of all
//   map["layer1/W_r"] = other["layer1/W_r"]     writes the values, in a map that is not const (gradients)
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/parameter/parameter_reference.hpp>
#include <sluice/parameter/parameters.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// Where the parameters of each cell of a stack lie in the array of all.
struct stack_layout {
    std::size_t directions = 1;
    std::vector<std::vector<tensor_place>>
        cells{};                         ///< [layer x directions + direction], with the cell's names
    std::vector<std::string> prefixes{}; ///< the same: "layer0/", "layer0/forward/" ...
    std::vector<std::size_t>
        pages{}; ///< the same: which of the stack's; their number, where a layer has no second direction
};

/// Gives each tensor its place; those of the array, in order, by their names in the stack.
template <class Layout>
std::vector<tensor_place> lay_out_all(Layout& of) {
    std::vector<tensor_place> all;
    std::vector<std::size_t*> places;
    for (bool const matrices : {true, false})
        for (std::size_t c = 0; c < of.cells.size(); ++c)
            for (tensor_place& own : of.cells[c])
                if ((own.rank >= 2) == matrices) {
                    all.push_back(own);
                    all.back().called.insert(0, of.prefixes[c]);
                    places.push_back(&own.first);
                }
    lay_out(all);
    for (std::size_t i = 0; i < all.size(); ++i)
        *places[i] = all[i].first;
    return all;
}

} // namespace detail

template <class S, class... Pages>
class stack_parameters {
    template <std::size_t I>
    using page_at = std::tuple_element_t<I, std::tuple<Pages...>>;
    using last_page = page_at<sizeof...(Pages) - 1>;

public:
    using scalar_type = S;

    stack_parameters() = default;
    /// Zeros.
    explicit stack_parameters(std::shared_ptr<detail::stack_layout const> layout,
                              std::vector<tensor_place> all)
        : layout_(std::move(layout)), array_(std::move(all)) {}

    std::span<S> values() { return array_.values(); }
    std::span<S const> values() const { return array_.values(); }
    arena<S> const& array() const { return array_; }
    std::shared_ptr<detail::stack_layout const> const& layout() const { return layout_; }

    std::size_t layers() const { return layout_ ? layout_->cells.size() / layout_->directions : 0; }
    std::size_t directions() const { return layout_ ? layout_->directions : 0; }

    /// One tensor by its name in the stack, where it lies: `map[name] = values` writes it. Throws
    /// `std::invalid_argument` for a name that is not there.
    parameter_reference<S> operator[](std::string_view called) & { return find(called, array_.values()); }
    parameter_reference<S const> operator[](std::string_view called) const& {
        return find(called, array_.values());
    }
    /// Of a map that is about to go, a copy.
    xt::xarray<S> operator[](std::string_view called) && { return find(called, array_.values()); }

    /// The parameters of one cell by name, where they lie. Of stacks of different pages the page comes first:
    /// `at<sluice::lstm>(0)`. Throws `std::invalid_argument` for a layer or direction that is not there, or
    /// is of another page.
    template <class Page = last_page>
    parameter_view<Page, S> at(std::size_t layer, std::size_t direction = 0) & {
        return {places<Page>(layer, direction), array_.values()};
    }
    /// A copy of them; const, so that nothing is assigned to what is gone a moment later.
    template <class Page = last_page>
    parameter_map<Page, S> const at(std::size_t layer, std::size_t direction = 0) const& {
        stack_parameters all = *this;
        return all.template at<Page>(layer, direction).copied();
    }

private:
    std::shared_ptr<detail::stack_layout const> layout_{};
    arena<S> array_{};

    template <class T>
    parameter_reference<T> find(std::string_view called, std::span<T> values) const {
        array_.require("the map of parameters");
        tensor_place const& place = array_.places()[array_.place_of(called)];
        return {place.in(values), place.shape()};
    }

    template <class Page>
    std::vector<tensor_place> const& places(std::size_t layer, std::size_t direction) const {
        array_.require("the map of parameters");
        if (layer >= layers() || direction >= directions())
            fail<std::invalid_argument>({"a stack of ", layers(), " layers with ", directions(),
                                         " directions has no parameters of layer ", layer, ", direction ",
                                         direction});
        std::size_t const cell = layer * directions() + direction;
        constexpr bool is_page[] = {std::is_same_v<Page, Pages>...};
        std::size_t const page = layout_->pages[cell];
        if (page >= sizeof...(Pages))
            fail<std::invalid_argument>(
                {"layer ", layer,
                 " of the stack has no states, and so one direction only; ask for direction 0"});
        if (!is_page[page])
            fail<std::invalid_argument>({"layer ", layer, " of the stack is of another page than at<> says"});
        return layout_->cells[cell];
    }
};

} // namespace sluice
