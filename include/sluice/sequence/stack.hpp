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

#include <algorithm>
#include <array>
#include <cstdint>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/sequence/stack_layers.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice {
template <class List, class Scalar, class Backend, class Extents>
class stack_of;

template <bool IsUniform, class... Pages, class Scalar, class Backend, class Extents>
class stack_of<detail::stack_pages<IsUniform, Pages...>, Scalar, Backend, Extents>
    : public detail::stack_layers<IsUniform, Scalar, Backend, Extents, Pages...> {
    static_assert(
        Extents::known.input == 0,
        "sluice: layers of a stack have inputs of different widths; leave .input out of the extents");
    static_assert(
        ((detail::read_input<Pages>() < static_cast<std::size_t>(passes<Pages>::inputs.size())) && ...),
        "sluice: a layer of a stack reads one input, but the equations of a page have none, or several");

    using base = detail::stack_layers<IsUniform, Scalar, Backend, Extents, Pages...>;
    using base::group_count, base::main_group, base::for_each_cell, base::here_, base::parameters_;
    template <std::size_t I>
    using cell_at = typename base::template cell_at<I>;

    template <std::size_t I>
    using state_page = typename base::template page_at<IsUniform ? main_group : I>;

public:
    using scalar_type = Scalar;
    using backend_type = Backend;
    using parameters_type = stack_parameters<Scalar, Pages...>;
    using typename base::state_type, typename base::whole_type;
    using inputs_type = xt::xtensor<Scalar, 3>;
    using output_type = xt::xtensor<Scalar, 2>;
    template <std::size_t I>
    using page_at = typename base::template page_at<I>;
    using base::options, base::layers, base::directions, base::for_each_layer, base::is_residual,
        base::is_whole;

    /// Layers of one page; `given` are the sizes of the first, `how` says how many there are. In the order of
    /// a cell: sizes, options, a seed, how the parameters start, settings. Throws `std::invalid_argument` as
    /// a cell does, for no layers, for a rate outside of [0, 1], and for a residual layer whose output is not
    /// as wide as its input.
    explicit stack_of(sizes const& given, stack_options const& how = {}, seed from = {},
                      settings const& numbers = {}) requires(IsUniform)
        : base(how) {
        add_layers(given, from, numbers);
    }
    stack_of(sizes const& given, stack_options const& how, seed from,
             typename detail::initial_values_of<page_at<main_group>>::type const& starts,
             settings const& numbers = {}) //
        requires(IsUniform&& detail::has_initial_values<page_at<main_group>>)
        : base(how) {
        add_layers(given, from, starts, numbers);
    }

    /// One layer of each page, each with its sizes; behind the first, `.input` can be left out.
    explicit stack_of(std::vector<sizes> const& given, stack_options const& how = {}, seed from = {},
                      settings const& numbers = {}) requires(!IsUniform)
        : base(how) {
        if (how.layers != stack_options{}.layers && how.layers != group_count)
            fail<std::invalid_argument>({"a stack of ", group_count,
                                         " pages has as many layers, but .layers = ", how.layers,
                                         " was given; leave it out"});
        if (given.size() != group_count)
            fail<std::invalid_argument>(
                {"a stack of ", group_count, " pages expects as many sizes, but got ", given.size()});
        require_settings(numbers);
        std::size_t width = given[0].input;
        auto const add = [&](auto group) {
            sizes n = given[group()];
            if (group() > 0 && n.input != 0 && n.input != width)
                fail<std::invalid_argument>({"layer ", group(), " of a stack reads the ", width,
                                             " outputs of the layer before it, but .input = ", n.input,
                                             " was given; leave it out or give the same"});
            n.input = width;
            this->template add_layer<group()>(group(), n, from, settings_of<page_at<group()>>(numbers));
            width = n.input;
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (add(std::integral_constant<std::size_t, I>{}), ...);
        }
        (std::index_sequence_for<Pages...>{});
        this->finish();
    }

    static constexpr int input_count() { return 1; }
    static constexpr std::string_view input_name(std::size_t) { return "x"; }
    std::size_t input_size() const {
        here_.require("the stack");
        std::size_t width = 0;
        for_each_layer([&](auto const& one, auto at) { width = at.layer == 0 ? one.input_size() : width; });
        return width;
    }
    /// directions x the output of a cell of the last layer.
    std::size_t output_size() const {
        here_.require("the stack");
        std::size_t width = 0;
        for_each_layer([&](auto const& one, auto) { width = one.output_size(); });
        return width;
    }
    /// Trained numbers of all layers.
    std::size_t parameter_count() const {
        here_.require("the stack");
        std::size_t count = 0;
        for_each_layer([&](auto const& one, auto) {
            count += one.cells().size() * one.cells().front().parameter_count();
        });
        return count;
    }

    /// One cell, to look at. Its page is that of the stack; of a first layer in skip_input mode it is
    /// skip_input<page>, and of stacks of different pages that of the layer: `net.cell<lstm>(0)`. Throws
    /// `std::invalid_argument` where there is no such cell.
    template <class Page = page_at<main_group>>
    cell_of<Page, Scalar, Backend, Extents> const& cell(std::size_t layer, std::size_t direction = 0) const {
        here_.require("the stack");
        cell_of<Page, Scalar, Backend, Extents> const* found = nullptr;
        for_each_layer([&](auto const& one, auto at) {
            if constexpr (std::is_same_v<Page, page_at<at.group>>)
                if (at.layer == layer && direction < one.cells().size())
                    found = &one.cells()[direction];
        });
        if (found == nullptr)
            fail<std::invalid_argument>({"a stack of ", layers(), " layers with ", directions(),
                                         " directions has no cell of that page in layer ", layer,
                                         ", direction ", direction});
        return *found;
    }

    state_type zero_state(std::size_t batch) const {
        here_.require("the stack");
        return this->zero_state_of(batch);
    }
    /// What a run that is given no state starts from: that of the cell, in each layer and direction.
    state_type initial_state(std::size_t batch) const {
        here_.require("the stack");
        return detail::by_name<state_type>(start_states(this->as_net(), parameters_.values(), batch));
    }
    /// Throws `std::invalid_argument` unless every state has its shape, and `std::logic_error` while a fixed
    /// parameter has no value.
    void check_state(std::string_view who, std::string_view what, state_type const& state,
                     std::size_t batch) const {
        here_.require("the stack");
        for_each_layer([&](auto const& one, auto at) {
            one.cells().front().check_parameters(who);
            auto const tensors = detail::part_of<at.group>(state).tensors();
            for (state_entry const& entry : passes<page_at<at.group>>::states) {
                auto const& tensor =
                    tensors[static_cast<std::size_t>(&entry - passes<page_at<at.group>>::states.begin())];
                std::size_t const width = extent(entry.columns, one.cells().front().extents());
                std::array<std::size_t, 3> const expected{(IsUniform ? layers() : 1) * directions(), batch,
                                                          width};
                if (!detail::shapes_agree(expected, tensor.shape()))
                    detail::refuse_shape(
                        {who, ", layer ", at.layer, ", expects ", what, " ", entry.called.view()}, expected,
                        tensor.shape());
                detail::require_numbers(what, tensor);
            }
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
        return parameters_type(this->layout_, {places.begin(), places.end()});
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
        this->refresh_whole();
    }
    /// Gives a setting a new number in every cell that has it.
    template <class Key>
    void set_setting(Key key, arithmetic_of<Scalar> value) {
        here_.require("the stack");
        for_each_cell(*this, [&](auto& cell, std::string const&) {
            using page = typename std::decay_t<decltype(cell)>::page_type;
            if constexpr (!IsUniform && detail::place_of<Key>(passes<page>::settings) < 0)
                return;
            else
                cell.set_setting(key, value);
        });
        this->make_net();
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
        this->make_net();
    }
    /// The equations and how the layers are put together: what checkpoints compare.
    std::string equations_text() const {
        here_.require("the stack");
        std::string text;
        for_each_layer([&](auto const& one, auto at) {
            append({at.layer == 0 ? "" : "\n", "layer ", at.layer, ", ", name_of(options().direction),
                    is_residual(at.layer) ? ", plus its input:\n" : ":\n",
                    one.cells().front().equations_text()},
                   text);
        });
        return text;
    }

    /// Changes whenever the parameters do.
    std::uint64_t version() const {
        std::uint64_t newest = 0;
        for_each_layer([&](auto const& one, auto) {
            for (auto const& cell : one.cells())
                newest = std::max(newest, cell.version());
        });
        return newest;
    }
    /// Changes with the version, and when another stack is assigned to this one.
    std::array<std::uint64_t, 2> revision() const {
        here_.require("the stack");
        return {version(), this->assigned_.count()};
    }

private:
    template <class... Given>
    void add_layers(sizes next, seed from, Given const&... given) {
        if (layers() == 0)
            fail<std::invalid_argument>({"a stack expects at least one layer, but .layers is 0"});
        auto const mode = options().input_mode;
        if (mode == input_mode::skip_input && next.input != 0 && next.input != next.units)
            fail<std::invalid_argument>(
                {"a first layer in skip_input mode expects an input as wide as its units, ", next.units,
                 ", but .input is ", next.input});
        bool const skips = skips_input(mode, next.input, next.units);
        for (std::size_t l = 0; l < layers(); ++l)
            if (l == 0 && skips) {
                next.input = next.units;
                this->template add_layer<0>(l, next, from, given...);
            } else
                this->template add_layer<main_group>(l, next, from, given...);
        this->finish();
    }

    /// Those of the numbers that a page has.
    template <class Page>
    static settings settings_of(settings const& numbers) {
        settings found;
        for (auto const& number : numbers.given)
            for (setting_entry const& entry : passes<Page>::settings)
                if (entry.called.view() == number.first)
                    found.given.push_back(number);
        return found;
    }
    /// Throws `std::invalid_argument` for a setting that no page has.
    static void require_settings(settings const& numbers) {
        for (auto const& number : numbers.given)
            if ((settings_of<Pages>({number}).given.empty() && ...))
                fail<std::invalid_argument>({"no page of the stack has a setting ", number.first});
    }

    struct refresh_after {
        stack_of& net;
        ~refresh_after() {
            for_each_cell(net, [](auto& cell, std::string const&) { cell.parameters_changed(); });
            net.refresh_whole();
        }
    };
};

/// sluice::stack<Page>, or sluice::stack<sluice::layers<Pages...>>, with the policies of a cell behind it.
template <class Pages, class... Policies>
using stack =
    stack_of<typename detail::stack_pages_of<Pages>::type, typename detail::policies<Policies...>::scalar,
             typename detail::policies<Policies...>::backend,
             typename detail::policies<Policies...>::extents>;

/// A stack, and what is derived from one.
template <class C>
concept any_stack = any_net<C> && !any_cell<C>;

/// What a stack is, for people: its layers, their widths, what happens in training, and the equations.
template <any_stack Stack>
std::string print(Stack const& net) {
    auto const& how = net.options();
    std::string text;
    append({net.layers(), net.layers() == 1 ? " layer, " : " layers, ", name_of(how.direction), "\n"}, text);
    auto const rate = [&](std::string_view called, double value) {
        if (value > 0)
            append({called, value, "\n"}, text);
    };
    rate(how.variational ? "variational dropout between layers: " : "dropout between layers: ", how.dropout);
    rate("zoneout: ", how.zoneout);
    rate("recurrent dropout: ", how.recurrent_dropout);
    std::string last;
    net.for_each_layer([&](auto const& one, auto at) {
        auto const& cell = one.cells().front();
        append({"layer ", at.layer, ": ", cell.input_size(), " -> "}, text);
        if (one.cells().size() > 1)
            append({one.cells().size(), " x "}, text);
        append({cell.output_size(), net.is_residual(at.layer) ? ", plus its input" : ""}, text);
        std::string equations(print<typename std::decay_t<decltype(cell)>::page_type>().view());
        if (equations == last)
            append({", the same equations\n"}, text);
        else
            append({"\n", equations}, text);
        last = std::move(equations);
    });
    return text;
}

} // namespace sluice
