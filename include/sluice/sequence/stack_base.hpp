// SPDX-License-Identifier: BSL-1.0
// What of a stack of layers does not depend on the equations but through values: its options, and how layers
// are put together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/cell/net_base.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/masks.hpp>
#include <sluice/net/stack_options.hpp>
#include <sluice/net/whole_stack.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/sequence/stack_parameters.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// Counts, and is copied with the count.
class counter {
public:
    counter() = default;
    counter(counter const& other) noexcept : count_(other.count_.load()) {}
    counter& operator=(counter const& other) noexcept {
        count_ = other.count_.load();
        return *this;
    }
    ~counter() = default;
    std::uint64_t next() const { return count_.fetch_add(1, std::memory_order_relaxed); }

private:
    mutable std::atomic<std::uint64_t> count_{0};
};

} // namespace detail

template <class S, class Kernels>
class stack_base : public net_base<S, Kernels> {
    using base = net_base<S, Kernels>;

public:
    using typename base::memory_type;

    stack_options const& options() const { return options_; }
    std::size_t layers() const { return options_.layers; }
    std::size_t directions() const { return directions_of(options_.direction); }
    std::size_t input_size() const { return this->as_net().layers.front().input; }
    /// directions x the output of a cell of the last layer.
    std::size_t output_size() const {
        auto const& last = this->as_net().layers.back();
        return last.ways.size() * last.output;
    }
    static constexpr int input_count() { return 1; }
    static constexpr std::string_view input_name(std::size_t) { return "x"; }

    /// What the names of a cell's parameters begin with.
    std::string const& prefix(std::size_t layer, std::size_t direction) const {
        return this->as_net().layers[layer].ways[direction].prefix;
    }
    /// The number of the next draw of masks.
    std::uint64_t next_draw() const { return draws_.next(); }
    /// Whether one engine of the backend runs all layers, and why not.
    bool is_whole() const { return this->net_.whole != nullptr; }
    std::string_view why_not_whole() const { return why_not_; }

protected:
    using typename base::cell_type, typename base::layer_type, typename base::page_type;
    using layout = detail::stack_layout;
    using whole_type = detail::whole_stack_engine<memory_type>;

    /// Pages in the order in which layers may be of them; `is_uniform`: all layers have the same states.
    /// Throws `std::invalid_argument` for options that no stack of these pages has.
    stack_base(std::span<page_type const> pages, bool is_uniform, stack_options const& options,
               whole_type const* whole);

    /// Layers of one page, or in skip_input mode the first one of the page before it. Throws
    /// `std::invalid_argument` as a cell does, and for layers that do not fit together.
    void add_layers(sizes const& known, sizes next, settings const& numbers);
    /// One layer of each page. Throws the same.
    void add_layers(sizes const& known, std::vector<sizes> const& given, settings const& numbers);
    /// Once all are there: where the parameters of each lie. The places of all are put into `all`.
    std::shared_ptr<layout const> lay_out(std::vector<tensor_place>& all);
    /// Once there is an array for them: their first values, by the rule of each page.
    void start(std::span<start_rule const> rules, seed from, std::span<S> all);

    void settings_changed(std::span<S const> all) {
        make_whole();
        this->make_engines(all);
    }
    /// The parameter of that name in the stack has changed.
    void parameter_changed(std::string_view called, std::span<S const> all);
    /// The setting of that name becomes this number where it is one. Throws `std::invalid_argument` for a
    /// number that is not finite.
    void set_settings(std::string_view called, arithmetic_of<S> value);
    /// `may_be`: of which pages. Throws `std::invalid_argument` where there is no such cell.
    cell_type const& cell_at(std::span<bool const> may_be, std::size_t layer, std::size_t direction) const;
    /// What it is, for people; `pages` are the equations of each page.
    std::string printed(std::span<std::string_view const> pages) const;
    /// The equations and how the layers are put together.
    std::string equations_of(std::span<std::string_view const> pages) const;

private:
    stack_options options_;
    bool is_uniform_;
    whole_type const* whole_;
    detail::counter draws_{};
    std::string why_not_ = "the backend runs stacks layer by layer";

    void check_options() const;
    /// Adds a layer of a page, and makes n.input its output.
    void add_layer(std::size_t page, sizes const& known, sizes& n, settings const& numbers);
    /// Those of the numbers that a page has.
    settings settings_of(std::size_t page, settings const& numbers) const;
    void make_whole() {
        if (whole_ != nullptr && why_not_.empty()) {
            this->net_.whole = whole_->make(options_, this->net_);
            this->net_.seed_of_whole = [how = options_, of = whole_](std::uint64_t draw, std::size_t row) {
                return of->seed_of(how, draw, row);
            };
        }
    }
};

template <class S, class Kernels>
[[gnu::cold]] stack_base<S, Kernels>::stack_base(std::span<page_type const> pages, bool is_uniform,
                                                 stack_options const& options, whole_type const* whole)
    : base("the stack", pages), options_(options), is_uniform_(is_uniform), whole_(whole) {
    check_options();
    if (!is_uniform) {
        if (options.layers != stack_options{}.layers && options.layers != pages.size())
            fail<std::invalid_argument>({"a stack of ", pages.size(),
                                         " pages has as many layers, but .layers = ", options.layers,
                                         " was given; leave it out"});
        options_.layers = pages.size();
    } else if (!sluice::count_of({options.layers, directions(), sizeof(cell_type)}))
        fail<std::invalid_argument>(
            {"a stack of ", options.layers, " layers would have more numbers than memory can; give fewer"});
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::check_options() const {
    name_of(options_.direction); // which refuse what is none
    name_of(options_.input_mode);
    name_of(options_.residual);
    if (options_.input_mode != input_mode::linear_input && (!is_uniform_ || this->pages_.size() != 2))
        fail<std::invalid_argument>({"a stack that chooses its input mode when the program runs is a "
                                     "stack<any_input_mode<page>>, but .input_mode is ",
                                     name_of(options_.input_mode)});
    auto const require_masks = [&](std::string_view called, double rate, mask_kind kind) {
        detail::require_rate(called, rate);
        bool is_there = rate == 0;
        for (page_type const& page : this->pages_)
            for (mask const& one : page.masks)
                is_there = is_there || one.kind == kind;
        if (!is_there)
            fail<std::invalid_argument>({"a stack with ", called, " is a stack<", called,
                                         "<page>>, but its page has none, and the rate is ", rate});
    };
    detail::require_rate("the dropout of a stack", options_.dropout);
    require_masks("zoneout", options_.zoneout, mask_kind::zoneout);
    require_masks("recurrent_dropout", options_.recurrent_dropout, mask_kind::dropout);
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::add_layers(sizes const& known, sizes next,
                                                      settings const& numbers) {
    if (layers() == 0)
        fail<std::invalid_argument>({"a stack expects at least one layer, but .layers is 0"});
    auto const mode = options_.input_mode;
    if (mode == input_mode::skip_input && next.input != 0 && next.input != next.units)
        fail<std::invalid_argument>(
            {"a first layer in skip_input mode expects an input as wide as its units, ", next.units,
             ", but .input is ", next.input});
    std::size_t const main = this->pages_.size() - 1;
    bool const skips = skips_input(mode, next.input, next.units);
    if (skips)
        next.input = next.units;
    this->net_.layers.reserve(layers());
    for (std::size_t l = 0; l < layers(); ++l)
        add_layer(l == 0 && skips ? 0 : main, known, next, numbers);
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::add_layers(sizes const& known, std::vector<sizes> const& given,
                                                      settings const& numbers) {
    if (given.size() != layers())
        fail<std::invalid_argument>(
            {"a stack of ", layers(), " pages expects as many sizes, but got ", given.size()});
    for (auto const& number : numbers.given) {
        bool is_there = false;
        for (std::size_t page = 0; page < layers(); ++page)
            is_there = is_there || !settings_of(page, {number}).given.empty();
        if (!is_there)
            fail<std::invalid_argument>({"no page of the stack has a setting ", number.first});
    }
    std::size_t width = given[0].input;
    for (std::size_t l = 0; l < layers(); ++l) {
        sizes n = given[l];
        if (l > 0 && n.input != 0 && n.input != width)
            fail<std::invalid_argument>({"layer ", l, " of a stack reads the ", width,
                                         " outputs of the layer before it, but .input = ", n.input,
                                         " was given; leave it out or give the same"});
        n.input = width;
        add_layer(l, known, n, settings_of(l, numbers));
        width = n.input;
    }
}

template <class S, class Kernels>
[[gnu::cold]] settings stack_base<S, Kernels>::settings_of(std::size_t page, settings const& numbers) const {
    settings found;
    for (auto const& number : numbers.given)
        for (setting_entry const& entry : this->pages_[page].entries->settings)
            if (entry.called.view() == number.first)
                found.given.push_back(number);
    return found;
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::set_settings(std::string_view called, arithmetic_of<S> value) {
    detail::require_finite(called, value);
    this->for_each_cell([&](cell_type& cell) {
        auto const& entries = this->entries_of(cell).settings;
        for (int k = 0; k < entries.size(); ++k)
            if (entries[k].called.view() == called)
                cell.settings[static_cast<std::size_t>(k)] = value;
    });
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::parameter_changed(std::string_view called,
                                                             std::span<S const> all) {
    this->next_version();
    this->for_each_cell([&](cell_type& cell) {
        if (called.starts_with(cell.prefix)) {
            this->was_given(cell, detail::place_called(called.substr(cell.prefix.size()), cell.places));
            cell.runs->refresh(cell.numbers(all));
        }
    });
    if (is_whole())
        this->net_.refresh_whole(all);
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::add_layer(std::size_t page, sizes const& known, sizes& n,
                                                     settings const& numbers) {
    page_type const& of = this->pages_[page];
    basic_entries<view> const& entries = *of.entries;
    std::size_t const l = this->net_.layers.size(), reads = detail::read_input(entries.inputs, of.masks),
                      width = n.input;
    if (l > 0 && entries.inputs[static_cast<int>(reads)].columns.word().kind != symbol::input)
        n.input = 0; // the equations say the width that they read
    auto& layer = this->net_.layers.emplace_back();
    bool const has_states = !entries.states.empty(); // without them a layer has no direction
    sluice::direction const way = has_states ? options_.direction : direction::unidirectional;
    for (std::size_t d = 0; d < directions_of(way); ++d) {
        auto& made = this->add_cell(layer, page, known, n, numbers);
        append({"layer", l,
                way != direction::bidirectional ? "/"
                : d == 0                        ? "/forward/"
                                                : "/backward/"},
               made.prefix);
        made.reads = reads;
        if (entries.inputs.size() > 1) {
            made.masks = detail::mask_source<S>(options_, made.prefix, entries.inputs, of.masks, made.widths);
            for (auto& values : made.masks(0, 0, {}, 0))
                made.constants.push_back(memory_type::send(std::move(values)));
        }
    }
    auto const& first = layer.ways[0];
    layer.input = first.widths[reads];
    layer.is_reversed = way == direction::reversed;
    layer.is_residual =
        options_.residual == residual::all || (options_.residual == residual::between_layers && l > 0);
    layer.after = dropout(options_.dropout, options_.dropout_seed, first.prefix, options_.variational);
    std::size_t const output = layer.ways.size() * layer.output;
    if (layer.is_residual && layer.input != output)
        fail<std::invalid_argument>({"a residual layer expects as many outputs as inputs, but layer ", l,
                                     " has ", output, " outputs and ", layer.input, " inputs"});
    if (l > 0 && layer.input != width)
        fail<std::invalid_argument>({"layer ", l, " of a stack reads ", layer.input,
                                     " features, but the layer before it gives ", width});

    auto& places = this->net_.places;
    std::size_t const before = is_uniform_ ? 0 : places.size();
    layer.first_row = is_uniform_ ? l * directions() : 0;
    std::vector<net_state_place> own;
    detail::add_states(entries.states, first.extents, (is_uniform_ ? layers() : 1) * directions(),
                       is_uniform_ ? "" : first.prefix, own);
    for (std::size_t k = 0; k < own.size(); ++k) {
        layer.states.push_back(before + k);
        if (!is_uniform_ || l == 0)
            places.push_back(own[k]);
        else if (places[k].width != own[k].width)
            fail<std::invalid_argument>({"layers of one page have states of one width, but the state ",
                                         own[k].called, " of layer 0 has width ", places[k].width,
                                         " and that of layer ", l, " has ", own[k].width,
                                         "; name the page of each, as in stack<layers<...>>"});
    }
    n.input = output;
}

template <class S, class Kernels>
[[gnu::cold]] std::shared_ptr<detail::stack_layout const>
stack_base<S, Kernels>::lay_out(std::vector<tensor_place>& all) {
    auto made = std::make_shared<layout>();
    made->directions = directions();
    for (layer_type const& layer : this->net_.layers)
        for (std::size_t d = 0; d < directions(); ++d) {
            bool const is_there = d < layer.ways.size();
            made->cells.push_back(is_there ? detail::places_of(this->entries_of(layer.ways[d]).parameters,
                                                               layer.ways[d].extents)
                                           : std::vector<tensor_place>());
            made->prefixes.push_back(is_there ? layer.ways[d].prefix : std::string());
            made->pages.push_back(is_there ? layer.ways[d].page : this->pages_.size());
        }
    all = detail::lay_out_all(*made);
    this->net_.parameters = all;
    for (std::size_t l = 0; l < this->net_.layers.size(); ++l)
        for (std::size_t d = 0; d < this->net_.layers[l].ways.size(); ++d)
            this->net_.layers[l].ways[d].places = made->cells[l * directions() + d];
    if (whole_ != nullptr)
        why_not_ = whole_->why_not(options_, this->net_);
    return made;
}

template <class S, class Kernels>
[[gnu::cold]] void stack_base<S, Kernels>::start(std::span<start_rule const> rules, seed from,
                                                 std::span<S> all) {
    this->for_each_cell([&](cell_type& cell) {
        this->start_parameters(cell, rules[cell.page], seed{random_stream(from, cell.prefix)()}, all);
    });
    settings_changed(all);
}

template <class S, class Kernels>
[[gnu::cold]] typename stack_base<S, Kernels>::cell_type const&
stack_base<S, Kernels>::cell_at(std::span<bool const> may_be, std::size_t layer,
                                std::size_t direction) const {
    auto const& all = this->as_net().layers;
    if (layer >= all.size() || direction >= all[layer].ways.size() ||
        !may_be[all[layer].ways[direction].page])
        fail<std::invalid_argument>({"a stack of ", layers(), " layers with ", directions(),
                                     " directions has no cell of that page in layer ", layer, ", direction ",
                                     direction});
    return all[layer].ways[direction];
}

template <class S, class Kernels>
[[gnu::cold]] std::string
stack_base<S, Kernels>::equations_of(std::span<std::string_view const> pages) const {
    std::string text;
    for (std::size_t l = 0; l < layers(); ++l) {
        auto const& layer = this->as_net().layers[l];
        append({l == 0 ? "" : "\n", "layer ", l, ", ", name_of(options_.direction),
                layer.is_residual ? ", plus its input:\n" : ":\n", pages[layer.ways[0].page]},
               text);
    }
    return text;
}

template <class S, class Kernels>
[[gnu::cold]] std::string stack_base<S, Kernels>::printed(std::span<std::string_view const> pages) const {
    std::string text;
    append({layers(), layers() == 1 ? " layer, " : " layers, ", name_of(options_.direction), "\n"}, text);
    auto const rate = [&](std::string_view called, double value) {
        if (value > 0)
            append({called, value, "\n"}, text);
    };
    rate(options_.variational ? "variational dropout between layers: " : "dropout between layers: ",
         options_.dropout);
    rate("zoneout: ", options_.zoneout);
    rate("recurrent dropout: ", options_.recurrent_dropout);
    std::string_view last;
    for (std::size_t l = 0; l < layers(); ++l) {
        auto const& layer = this->as_net().layers[l];
        append({"layer ", l, ": ", layer.input, " -> "}, text);
        if (layer.ways.size() > 1)
            append({layer.ways.size(), " x "}, text);
        append({layer.output, layer.is_residual ? ", plus its input" : ""}, text);
        std::string_view const equations = pages[layer.ways[0].page];
        if (equations == last)
            append({", the same equations\n"}, text);
        else
            append({"\n", equations}, text);
        last = equations;
    }
    return text;
}

} // namespace sluice
