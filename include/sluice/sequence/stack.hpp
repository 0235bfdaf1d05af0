// SPDX-License-Identifier: BSL-1.0
// A stack: layers of cells, each of which reads what the one before it gives.
//
//   sluice::stack<sluice::gru> net({.input = 40, .units = 128}, {.layers = 3, .dropout = 0.2});
//   auto const state = net.zero_state(batch);
//   auto const run   = sluice::unroll(net, xs, state);       // [time, batch, directions x units]
//
//   layer 0          reads x
//   layer l > 0      reads the outputs of layer l - 1, those of both directions side by side
//   no states        a layer such as dense, which has no direction: an output projection
//   dropout          between layers, in training only: unroll, and never infer
//   residual         y = layer(x) + x
//
// A state is [layers x directions, batch, width], row = layer x directions + direction. All parameters lie in
// one array (sequence/stack_parameters.hpp).
//
// Which pages there are, stands in the type; all else can be chosen when the program runs:
//
//   stack<gru>                            layers of one page, as many as .layers says
//   stack<any_input_mode<gru>>            the same, where the first layer may take x without input matrices
//   stack<zoneout<recurrent_dropout<gru>>>     the same, with masks on the states in training
//   stack<layers<lstm, gru, dense>>       one layer of each page, each with sizes of its own
#pragma once

#include <array>
#include <cstddef>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cell/cell.hpp>
#include <sluice/cell/named_net.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/sequence/programs.hpp>
#include <sluice/sequence/stack_base.hpp>
#include <sluice/sequence/stack_parameters.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

/// One layer of each page, in this order: `sluice::stack<sluice::layers<lstm, gru, dense>>`.
template <class... Pages>
struct layers {};

/// A page whose stack can choose the input mode when the program runs: `sluice::stack<any_input_mode<gru>>`.
template <class Page>
struct any_input_mode {};

/// Layers of the pages, a scalar and a backend: what `sluice::stack` names.
template <class List, class Scalar, class Backend, class Extents>
class stack_of;

namespace detail {

/// The pages of a stack. A group is a number of equal layers; page I is that of group I. In a uniform stack
/// all layers have the same states.
template <bool IsUniform, class... Pages>
struct stack_pages {};

template <class Page>
struct stack_pages_of {
    using type = stack_pages<true, typename page_of_cell<Page>::type>;
};
template <class Page>
struct stack_pages_of<any_input_mode<Page>> {
    using linear = typename page_of_cell<Page>::type;
    using type = stack_pages<true, skip_input<linear>, linear>;
};
template <class... Pages>
struct stack_pages_of<layers<Pages...>> {
    static_assert(sizeof...(Pages) > 0, "sluice: layers<...> expects at least one page");
    using type = stack_pages<false, typename page_of_cell<Pages>::type...>;
};

/// The states: one map for all layers, or one for each.
template <bool IsUniform, class S, class... Pages>
struct states_of_stack {
    using type = states_by_layer<S, Pages...>;
};
template <class S, class First, class... More>
struct states_of_stack<true, S, First, More...> {
    using type = stacked_states<std::tuple_element_t<sizeof...(More), std::tuple<First, More...>>, S>;
};

/// The pages of a stack, and what runs its layers.
template <bool IsUniform, class Scalar, class Backend, class Extents, class... Pages>
struct parts_of_stack {
    using lowerings = lowering_list<typename lowering_of_cell<Pages, Scalar, Backend, Extents>::type...>;
    using kernels = typename lowerings::first::kernels_type;
    using base = named_net<stack_base<Scalar, kernels>, stack_parameters<Scalar, Pages...>,
                           typename states_of_stack<IsUniform, Scalar, Pages...>::type>;
    static constexpr std::array<net_page<Scalar, kernels>, sizeof...(Pages)> pages{
        page_of_net<Pages, Scalar, typename lowering_of_cell<Pages, Scalar, Backend, Extents>::type>...};
};

} // namespace detail

template <bool IsUniform, class... Pages, class Scalar, class Backend, class Extents>
class stack_of<detail::stack_pages<IsUniform, Pages...>, Scalar, Backend, Extents>
    : public detail::parts_of_stack<IsUniform, Scalar, Backend, Extents, Pages...>::base {
    static_assert(
        Extents::known.input == 0,
        "sluice: layers of a stack have inputs of different widths; leave .input out of the extents");
    static_assert(
        ((detail::read_input(passes<Pages>::inputs, all_masks_of<Pages>) <
          static_cast<std::size_t>(passes<Pages>::inputs.size())) &&
         ...),
        "sluice: a layer of a stack reads one input, but the equations of a page have none, or several");

    using parts = detail::parts_of_stack<IsUniform, Scalar, Backend, Extents, Pages...>;
    using base = typename parts::base;
    static constexpr std::size_t page_count = sizeof...(Pages);
    static constexpr std::size_t main_page = page_count - 1;
    template <std::size_t I>
    using starts_of = typename detail::initial_values_of<std::tuple_element_t<I, std::tuple<Pages...>>>::type;

public:
    using backend_type = Backend;
    using lowerings_type = typename parts::lowerings;
    /// A backend's engine of whole stacks.
    using whole_type = detail::whole_stack<Backend, Scalar, typename base::memory_type, Pages...>;
    using typename base::parameters_type, typename base::state_type;
    using inputs_type = xt::xtensor<Scalar, 3>;
    using output_type = xt::xtensor<Scalar, 2>;
    template <std::size_t I>
    using page_at = std::tuple_element_t<I, std::tuple<Pages...>>;

    /// Layers of one page; `given` are the sizes of the first, `how` says how many there are. In the order of
    /// a cell: sizes, options, a seed, how the parameters start, settings. Throws `std::invalid_argument` as
    /// a cell does, for no layers, for a rate outside of [0, 1], and for a residual layer whose output is not
    /// as wide as its input.
    explicit stack_of(sizes const& given, stack_options const& how = {}, seed from = {},
                      settings const& numbers = {}) requires(IsUniform)
        : base(parts::pages, IsUniform, how, whole_type::functions()) {
        make(given, from, starts_of<main_page>{}, numbers);
    }
    stack_of(sizes const& given, stack_options const& how, seed from, starts_of<main_page> const& starts,
             settings const& numbers = {}) //
        requires(IsUniform&& detail::has_initial_values<page_at<main_page>>)
        : base(parts::pages, IsUniform, how, whole_type::functions()) {
        make(given, from, starts, numbers);
    }

    /// One layer of each page, each with its sizes; after the first, `.input` can be left out.
    explicit stack_of(std::vector<sizes> const& given, stack_options const& how = {}, seed from = {},
                      settings const& numbers = {}) requires(!IsUniform)
        : base(parts::pages, IsUniform, how, whole_type::functions()) {
        this->add_layers(Extents::known, given, numbers);
        finish(from, typename detail::initial_values_of<Pages>::type{}...);
    }

    /// A copy of one cell, to look at. Its page is that of the stack; of a first layer in skip_input mode it
    /// is skip_input<page>, and of stacks of different pages that of the layer: `net.cell<lstm>(0)`. Throws
    /// `std::invalid_argument` where there is no such cell.
    template <class Page = page_at<main_page>>
    cell_of<Page, Scalar, Backend, Extents> cell(std::size_t layer, std::size_t direction = 0) const {
        return {this->cell_at(pages_like<Page>(), layer, direction), this->parameters_.values()};
    }

    /// Zeros in the shapes of the parameters: what gradients are added to.
    parameters_type zero_parameters() const {
        auto const places = this->parameters().array().places();
        return parameters_type(this->parameters_.layout(), {places.begin(), places.end()});
    }
    /// Gives one parameter of one layer new values, by its name in the stack. Throws `std::invalid_argument`
    /// for a name that is not there and for another shape; nothing changes then.
    template <class E>
    void assign(std::string_view called, xt::xexpression<E> const& values) {
        this->require();
        auto tensor = this->parameters_[called];
        auto const& source = values.derived_cast();
        detail::require_same_shape("assign", called, tensor.shape(), source.shape());
        detail::require_numbers("what assign is given", source);
        tensor = rounded_tensor<Scalar>(source);
        this->parameter_changed(called, this->parameters_.values());
    }
    /// Gives a setting a new number in every cell that has it.
    template <class Key>
    void set_setting(Key key, arithmetic_of<Scalar> value) {
        constexpr bool is_there = ((detail::place_of<Key>(passes<Pages>::settings) >= 0) || ...);
        static_assert(is_there, "sluice: the equations of no layer have a setting of that name");
        this->require();
        this->set_settings(name_of(key).view(), value);
        this->take_settings();
    }
    /// The equations and how the layers are put together: what checkpoints compare.
    std::string equations_text() const {
        std::array const texts{print<Pages, notation::expanded>().view()...};
        return this->equations_of(texts);
    }
    /// f.operator()<Page>() with the page of a layer.
    template <class F>
    void with_page_of(std::size_t layer, F const& f) const {
        std::size_t const page = this->as_net().layers[layer].ways[0].page;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((I == page ? f.template operator()<page_at<I>>() : void()), ...);
        }
        (std::index_sequence_for<Pages...>{});
    }

    /// What print(net) gives.
    std::string text() const {
        std::array const texts{print<Pages>().view()...};
        return this->printed(texts);
    }

private:
    /// Which of the pages a cell of this page may be of: true for each.
    template <class Page>
    static constexpr std::array<bool, page_count> pages_like() {
        return {std::is_same_v<Page, Pages>...};
    }

    void make(sizes const& given, seed from, starts_of<main_page> const& starts, settings const& numbers) {
        this->add_layers(Extents::known, given, numbers);
        finish(from, (static_cast<void>(sizeof(Pages)), starts)...);
    }
    /// Draws the parameters by the starts of each page.
    template <class... Starts>
    void finish(seed from, Starts const&... starts) {
        std::vector<tensor_place> all;
        auto places = this->lay_out(all);
        this->parameters_ = parameters_type(std::move(places), std::move(all));
        std::array const rules{detail::rule_of<Pages>(starts)...};
        this->start(rules, from, this->parameters_.values());
    }
};

/// sluice::stack<Page>, or sluice::stack<sluice::layers<Pages...>>, with the policies of a cell after it.
template <class Pages, class... Policies>
using stack =
    stack_of<typename detail::stack_pages_of<Pages>::type, typename detail::policies<Policies...>::scalar,
             typename detail::policies<Policies...>::backend,
             typename detail::policies<Policies...>::extents>;

/// A stack, and what is derived from one.
template <class C>
concept any_stack = any_net<C> && requires {
    typename C::whole_type;
};

/// What a stack is, for people: its layers, their widths, what happens in training, and the equations.
template <any_stack Stack>
std::string print(Stack const& net) {
    return net.text();
}

} // namespace sluice
