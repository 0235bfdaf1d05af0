// SPDX-License-Identifier: BSL-1.0
// A stack: layers of cells, each of which reads what the one before it gives.
//
//   sluice::stack<sluice::gru> net({.input = 40, .units = 128}, {.layers = 3, .dropout = 0.2}, sluice::seed{7});
//   auto const state = net.zero_state(batch);
//   auto const run   = sluice::unroll(net, xs, state);       // [time, batch, directions x units]
//
//   layer 0          reads x
//   layer l > 0      reads the outputs of layer l - 1, those of both directions side by side
//   dropout          between layers, in training only: unroll, and never infer
//   residual         y = layer(x) + x
//
// A state is [layers x directions, batch, width], row = layer x directions + direction. All parameters lie in
// one array (sequence/stack_parameters.hpp).
//
// Which pages there are, stands in the type; all else can be chosen when the program runs:
//
//   stack<gru>                            layers of one page, as many as .layers says
//   stack<layers<lstm, gru, dense>>       one layer of each page, each with sizes of its own
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/sequence/dropout.hpp>
#include <sluice/sequence/layer.hpp>
#include <sluice/sequence/stack_options.hpp>
#include <sluice/sequence/stack_parameters.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sluice {

namespace detail {

/// Kinds of states: one map for all layers, or one for each.
template <bool IsUniform, class S, class... Pages>
struct states_of_stack {
    using type = states_by_layer<S, Pages...>;
};
template <class S, class First, class... More>
struct states_of_stack<true, S, First, More...> {
    using type = stacked_states<std::tuple_element_t<sizeof...(More), std::tuple<First, More...>>, S>;
};

} // namespace detail

template <class List, class Scalar, class Backend, class Extents>
class stack_of;

template <bool IsUniform, class... Pages, class Scalar, class Backend, class Extents>
class stack_of<detail::stack_pages<IsUniform, Pages...>, Scalar, Backend, Extents> {
    static_assert(
        Extents::known.input == 0,
        "sluice: layers of a stack have inputs of different widths; leave .input out of the extents");

    static constexpr std::size_t group_count = sizeof...(Pages);
    static constexpr std::size_t main_group = group_count - 1;
    template <std::size_t I>
    using page_at = std::tuple_element_t<I, std::tuple<Pages...>>;
    template <std::size_t I>
    using cell_at = cell_of<page_at<I>, Scalar, Backend, Extents>;

public:
    using scalar_type = Scalar;
    using backend_type = Backend;
    using parameters_type = stack_parameters<Scalar, Pages...>;
    using state_type = typename detail::states_of_stack<IsUniform, Scalar, Pages...>::type;
    using inputs_type = xt::xtensor<Scalar, 3>;
    using output_type = xt::xtensor<Scalar, 2>;
    /// A list of F<cell> for each group of layers.
    template <template <class> class F>
    using for_each_group = std::tuple<std::vector<F<cell_of<Pages, Scalar, Backend, Extents>>>...>;

    /// Layers of one page; `given` are the sizes of the first. In the order of a cell: sizes, options, seed,
    /// settings. Throws `std::invalid_argument` as a cell does, for no layers, for a rate outside of [0, 1],
    /// and for a residual layer whose output is not as wide as its input.
    explicit stack_of(sizes const& given, stack_options const& options = {}, seed from = {},
                      settings const& numbers = {}) requires IsUniform : options_(options) {
        if (options.layers == 0)
            fail<std::invalid_argument>({"a stack expects at least one layer, but .layers is 0"});
        sizes next = given;
        for (std::size_t l = 0; l < options.layers; ++l)
            add_layer<main_group>(l, next, from, numbers);
        finish();
    }

    /// One layer of each page, each with its sizes; behind the first, `.input` can be left out.
    explicit stack_of(std::vector<sizes> const& given, stack_options const& options = {}, seed from = {},
                      settings const& numbers = {}) requires(!IsUniform)
        : options_(options) {
        if (given.size() != group_count)
            fail<std::invalid_argument>(
                {"a stack of ", group_count, " pages expects as many sizes, but got ", given.size()});
        options_.layers = group_count;
        std::size_t width = given[0].input;
        auto const add = [&](auto group) {
            sizes n = given[group()];
            if (group() > 0 && n.input != 0 && n.input != width)
                fail<std::invalid_argument>({"layer ", group(), " of a stack reads the ", width,
                                             " outputs of the layer before it, but .input = ", n.input,
                                             " was given; leave it out or give the same"});
            n.input = width;
            add_layer<group()>(group(), n, from, numbers);
            width = n.input;
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (add(std::integral_constant<std::size_t, I>{}), ...);
        }
        (std::index_sequence_for<Pages...>{});
        finish();
    }

    stack_of(stack_of const& other)
        : options_(other.options_), layout_(other.layout_), parameters_(other.parameters_),
          dropouts_(other.dropouts_), groups_(other.groups_), draws_(other.draws_), here_(other.here_) {
        move_into_array();
    }
    stack_of(stack_of&&) = default;
    stack_of& operator=(stack_of const& other) { return *this = stack_of(other); }
    stack_of& operator=(stack_of&&) = default;
    ~stack_of() = default;

    stack_options const& options() const { return options_; }
    std::size_t layers() const { return options_.layers; }
    std::size_t directions() const { return directions_of(options_.direction); }
    std::size_t input_size() const {
        std::size_t width = 0;
        for_each_layer(
            [&](auto const& one, auto, std::size_t l) { width = l == 0 ? one.input_size() : width; });
        return width;
    }
    /// directions x the output of a cell of the last layer.
    std::size_t output_size() const {
        std::size_t width = 0;
        for_each_layer([&](auto const& one, auto, std::size_t) { width = one.output_size(); });
        return width;
    }
    /// Trained numbers of all layers.
    std::size_t parameter_count() const {
        std::size_t count = 0;
        for_each_layer([&](auto const& one, auto, std::size_t) {
            count += one.cells().size() * one.cells().front().parameter_count();
        });
        return count;
    }

    /// One cell, to look at; of stacks of different pages the number of the layer is known at compile time:
    /// `net.cell<0>()`.
    cell_at<main_group> const& cell(std::size_t layer, std::size_t direction = 0) const
        requires(IsUniform&& group_count == 1) {
        here_.require("the stack");
        require_layer(layer, direction);
        return std::get<0>(groups_)[layer].cells()[direction];
    }
    template <std::size_t Layer>
    cell_at<Layer> const& cell(std::size_t direction = 0) const requires(!IsUniform) {
        here_.require("the stack");
        require_layer(Layer, direction);
        return std::get<Layer>(groups_).front().cells()[direction];
    }

    state_type zero_state(std::size_t batch) const {
        here_.require("the stack");
        state_type state;
        for_each_layer([&](auto const& one, auto group, std::size_t l) {
            std::size_t const rows = IsUniform ? layers() * directions() : directions();
            if (l == 0 || !IsUniform)
                detail::part_of<group()>(state) = detail::zero_stacked_states<page_at<group()>, Scalar>(
                    one.cells().front().extents(), rows, batch);
        });
        return state;
    }
    /// Throws `std::invalid_argument` unless every state has its shape, and `std::logic_error` while a fixed
    /// parameter has no value.
    void check_state(std::string_view who, std::string_view what, state_type const& state,
                     std::size_t batch) const {
        here_.require("the stack");
        for_each_layer([&](auto const& one, auto group, std::size_t l) {
            one.cells().front().check_parameters(who);
            for_each_entry(detail::part_of<group()>(state), [&](int i, auto key, auto const& tensor) {
                std::size_t const width =
                    extent(passes<page_at<group()>>::states[i].columns, one.cells().front().extents());
                std::array<std::size_t, 3> const expected{(IsUniform ? layers() : 1) * directions(), batch,
                                                          width};
                if (!detail::shapes_agree(expected, tensor.shape()))
                    fail<std::invalid_argument>({who, ", layer ", l, ", expects ", what, " ", key.c_str(),
                                                 " of shape ", detail::extents_in(expected), ", but got ",
                                                 detail::extents_in(tensor.shape())});
                detail::require_numbers(what, tensor);
            });
        });
    }

    // Parameters. They change through the stack only.

    parameters_type const& parameters() const {
        here_.require("the stack");
        return parameters_;
    }
    /// Zeros in the shapes of the parameters: what gradients are added to.
    parameters_type zero_parameters() const {
        here_.require("the stack");
        auto const places = parameters_.array().places();
        return parameters_type(layout_, {places.begin(), places.end()});
    }
    /// f(std::span<Scalar>) once, for the numbers of all parameters.
    template <class F>
    void update_values(F&& f) {
        here_.require("the stack");
        refresh_after const guard{*this};
        f(parameters_.values());
    }
    /// Gives one parameter of one layer new values, by its name in the stack. Throws `std::invalid_argument`
    /// for a name that is not there and for another shape; nothing changes then.
    template <class E>
    void assign(std::string_view called, xt::xexpression<E> const& values) {
        here_.require("the stack");
        auto tensor = parameters_[called];
        auto const& source = values.derived_cast();
        detail::require_same_shape("assign", called, tensor.shape(), source.shape());
        detail::require_numbers("what assign is given", source);
        tensor = rounded_tensor<Scalar>(source);
        for_each_cell(*this, [&](auto& cell, std::string const& prefix) {
            if (called.starts_with(prefix))
                cell.parameter_changed(cell.parameters().array().place_of(called.substr(prefix.size())));
        });
    }
    /// f(name, shape, values) for every parameter and setting of every cell: what checkpoints read and write.
    template <class F>
    void visit_tensors(F&& f) const {
        here_.require("the stack");
        for_each_cell(*this, [&](auto const& cell, std::string const& prefix) {
            cell.visit_tensors([&](std::string_view called, auto shape, auto values) {
                f(std::string_view(prefix + std::string(called)), shape, values);
            });
        });
    }
    template <class F>
    void visit_tensors(F&& f) {
        here_.require("the stack");
        for_each_cell(*this, [&](auto& cell, std::string const& prefix) {
            cell.visit_tensors([&](std::string_view called, auto shape, auto values) {
                f(std::string_view(prefix + std::string(called)), shape, values);
            });
        });
    }
    /// The equations and how the layers are put together: what checkpoints compare.
    std::string equations_text() const {
        std::string text;
        for_each_layer([&](auto const& one, auto, std::size_t l) {
            append({l == 0 ? "" : "\n", "layer ", l, ", ", detail::name_of_direction(options_.direction),
                    is_residual(l) ? ", plus its input:\n" : ":\n", one.cells().front().equations_text()},
                   text);
        });
        return text;
    }

    /// Changes whenever the parameters do.
    std::uint64_t version() const {
        std::uint64_t last = 0;
        for_each_layer([&](auto const& one, auto, std::size_t) { last = one.cells().back().version(); });
        return last;
    }

    // For the functions that run a stack.

    /// f(layer, group, number): the group is a constant, the place of the layer's page.
    template <class F>
    void for_each_layer(F&& f) const {
        each(*this, f);
    }
    /// f(layer, group, number, place in the group), from the last to the first.
    template <class F>
    void for_each_layer_back(F&& f) const {
        std::size_t l = layers();
        auto const of = [&](auto group) {
            auto const& all = std::get<group()>(groups_);
            for (auto one = all.rbegin(); one != all.rend(); ++one)
                f(*one, group, --l, static_cast<std::size_t>(all.rend() - one - 1));
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (of(std::integral_constant<std::size_t, group_count - 1 - I>{}), ...);
        }
        (std::index_sequence_for<Pages...>{});
    }
    /// The first row of a layer in the tensors of a state.
    std::size_t first_row(std::size_t layer) const { return IsUniform ? layer * directions() : 0; }
    bool is_residual(std::size_t layer) const {
        return options_.residual == residual::all ||
               (options_.residual == residual::between_layers && layer > 0);
    }
    /// What the outputs of a layer go through on their way to the next one.
    dropout const& dropout_behind(std::size_t layer) const { return dropouts_[layer]; }
    /// The number of the next draw of masks.
    std::uint64_t next_draw() const { return draws_.next(); }

private:
    /// Counts, and is copied with the count.
    struct counter {
        mutable std::atomic<std::uint64_t> count{0};

        counter() = default;
        counter(counter const& other) noexcept : count(other.count.load()) {}
        counter& operator=(counter const& other) noexcept {
            count = other.count.load();
            return *this;
        }
        std::uint64_t next() const { return count.fetch_add(1, std::memory_order_relaxed); }
    };

    stack_options options_;
    std::shared_ptr<detail::stack_layout const> layout_{};
    parameters_type parameters_{};
    std::vector<dropout> dropouts_{};
    for_each_group<layer> groups_{}; ///< with parameters in that array
    counter draws_{};
    detail::presence here_{};

    struct refresh_after {
        stack_of& net;
        ~refresh_after() {
            for_each_cell(net, [](auto& cell, std::string const&) { cell.parameters_changed(); });
        }
    };

    template <class Self, class F>
    static void each(Self& self, F& f) {
        std::size_t l = 0;
        auto const of = [&](auto group) {
            for (auto& one : std::get<group()>(self.groups_))
                f(one, group, l++);
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (of(std::integral_constant<std::size_t, I>{}), ...);
        }
        (std::index_sequence_for<Pages...>{});
    }
    /// f(cell, its prefix in names)
    template <class Self, class F>
    static void for_each_cell(Self& self, F&& f) {
        std::size_t c = 0;
        auto const of_layer = [&](auto& one, auto, std::size_t) {
            for (auto& cell : one.cells())
                f(cell, self.layout_->prefixes[c++]);
        };
        each(self, of_layer);
    }

    void require_layer(std::size_t layer, std::size_t direction) const {
        if (layer >= layers() || direction >= directions())
            fail<std::invalid_argument>({"a stack of ", layers(), " layers with ", directions(),
                                         " directions has no layer ", layer, " with direction ", direction});
    }

    std::string prefix(std::size_t layer, std::size_t direction) const {
        std::string text;
        append({"layer", layer, directions() == 1 ? "/" : direction == 0 ? "/forward/" : "/backward/"}, text);
        return text;
    }

    /// Adds layer l, of page I, and gives what it reads to the next one.
    template <std::size_t I>
    void add_layer(std::size_t l, sizes& n, seed from, settings const& numbers) {
        std::vector<cell_at<I>> cells;
        for (std::size_t d = 0; d < directions(); ++d)
            cells.emplace_back(n, seed{random_stream(from, prefix(l, d))()}, numbers);
        auto& made = std::get<I>(groups_).emplace_back(options_.direction, std::move(cells));
        if (is_residual(l) && made.input_size() != made.output_size())
            fail<std::invalid_argument>({"a residual layer expects as many outputs as inputs, but layer ", l,
                                         " has ", made.output_size(), " outputs and ", made.input_size(),
                                         " inputs"});
        n.input = made.output_size();
    }

    /// Puts all parameters into one array.
    void finish() {
        auto made = std::make_shared<detail::stack_layout>();
        made->directions = directions();
        auto const of_layer = [&](auto& one, auto group, std::size_t l) {
            for (std::size_t d = 0; d < directions(); ++d) {
                auto const places = one.cells()[d].parameters().array().places();
                made->cells.emplace_back(places.begin(), places.end());
                made->prefixes.push_back(prefix(l, d));
                made->pages.push_back(group());
            }
            dropouts_.emplace_back(options_.dropout, options_.dropout_seed, prefix(l, 0),
                                   options_.variational);
        };
        each(*this, of_layer);
        auto all = made->lay_out_all();
        layout_ = std::move(made);
        parameters_ = parameters_type(layout_, std::move(all));
        move_into_array();
    }
    /// Makes cells that have their parameters there, of those that have them elsewhere.
    void move_into_array() {
        std::size_t c = 0;
        auto const of_layer = [&](auto& one, auto, std::size_t) {
            std::decay_t<decltype(one.cells())> cells;
            for (auto& cell : one.cells())
                cells.emplace_back(cell, arena<Scalar>::within(parameters_.values(), layout_->cells[c++]));
            one.cells() = std::move(cells);
        };
        each(*this, of_layer);
    }
};

/// sluice::stack<Page>, or sluice::stack<sluice::layers<Pages...>>, with the policies of a cell behind it.
template <class Pages, class... Policies>
using stack =
    stack_of<typename detail::stack_pages_of<Pages>::type, typename detail::policies<Policies...>::scalar,
             typename detail::policies<Policies...>::backend,
             typename detail::policies<Policies...>::extents>;

/// A stack, and what is derived from one.
template <class C>
concept any_stack = requires {
    typename C::scalar_type;
    typename C::state_type;
    typename C::template for_each_group<layer>;
};

} // namespace sluice
