// SPDX-License-Identifier: BSL-1.0
// What of a cell, and of a stack of layers, does not depend on the equations but through values: sizes,
// settings, how parameters start and which of them have values, and the net (net/net.hpp) that runs it.
// named_net adds names.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/cell/inputs.hpp>
#include <sluice/cell/settings.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/extents.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/expr/page.hpp>
#include <sluice/graph/entries.hpp>
#include <sluice/graph/sizes.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/masks.hpp>
#include <sluice/net/net.hpp>
#include <sluice/net/starts.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/parameter/initialize.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// A page without its type.
template <class S, class Kernels>
struct net_page {
    shaped_view const* checked;
    basic_entries<view> const* entries;
    std::span<mask const> masks; ///< those of its inputs that are masks
    /// Its engine, between addresses of the host.
    std::shared_ptr<engine<S, Kernels>> (*make)(cell_numbers<S> const&);
};

/// The struct of a page that says how its parameters start (expr/page.hpp), without its type:
///
///   sluice::cell<my_page> cell({.input = 3, .units = 5}, sluice::seed{7}, {.gain = 0.5});
struct start_rule {
    void const* how;
    start (*call)(void const* how, parameter_role const&, sizes const&);
    bool gives_fixed; ///< also the values of what is never trained
};

namespace detail {

/// A cell without parameters, settings and engine. `page` is the page's place in the list of all.
template <class Memory>
net_cell<Memory> net_cell_of(basic_entries<view> const& entries, sizes const& n, std::size_t page) {
    net_cell<Memory> made{.page = page, .extents = n, .has_inputs = !entries.inputs.empty()};
    for (state_entry const& state : entries.states)
        made.starts.push_back(state.starts_at);
    for (input_entry const& input : entries.inputs)
        made.widths.push_back(extent(input.columns, n));
    if (!made.has_inputs)
        made.widths.push_back(n.input);
    return made;
}

/// Adds states of so many rows to those of a net. What they are called begins with `before`.
template <class States>
void add_states(States const& states, sizes const& n, std::size_t rows, std::string_view before,
                std::vector<net_state_place>& places) {
    for (state_entry const& state : states)
        places.push_back(
            {std::string(before) + std::string(state.called.view()), rows, extent(state.columns, n)});
}

struct default_initial_values {
    start operator()(parameter_role const& p, sizes const&) const { return default_start(p); }
};

template <class Page>
concept has_initial_values = requires {
    typename Page::initial_values;
};

template <class Page>
struct initial_values_of {
    using type = default_initial_values;
};
template <has_initial_values Page>
struct initial_values_of<Page> {
    using type = typename Page::initial_values;
};

/// `how` outlives the rule.
template <class Page, class Starts>
start_rule rule_of(Starts const& how) {
    auto const call = [](void const* rule, parameter_role const& entry, sizes const& n) -> start {
        return (*static_cast<Starts const*>(rule))(entry, n);
    };
    return {&how, call, has_initial_values<Page>};
}

} // namespace detail

template <class S, class Kernels>
class net_base {
public:
    using memory_type = host_memory<S, Kernels>;
    using engine_type = engine<S, Kernels>;

    /// What runs it.
    net<memory_type> const& as_net() const {
        require();
        return net_;
    }
    /// Throws `std::logic_error` while a fixed parameter has no value.
    void check_parameters(std::string_view who) const;

    /// Changes whenever the parameters do.
    std::uint64_t version() const { return version_; }
    /// Changes with the version, and when another one is assigned to it: what derives from the parameters, or
    /// remembers where they lie, is stale then.
    std::array<std::uint64_t, 2> revision() const {
        require();
        return {version_, assigned_.count()};
    }

protected:
    using cell_type = net_cell<memory_type>;
    using layer_type = net_layer<memory_type>;
    using page_type = net_page<S, Kernels>;

    /// Without layers. `called` is "the cell" or "the stack"; both outlive it.
    net_base(std::string_view called, std::span<page_type const> pages);
    /// A copy has engines of its own.
    net_base(net_base const&);
    net_base(net_base&&) noexcept;
    net_base& operator=(net_base const&);
    net_base& operator=(net_base&&) noexcept;
    ~net_base();

    void require() const { here_.require(called_); }

    // Making it: cells, then their places among all parameters, then what these start at.

    /// Adds a cell to a layer. Throws `std::invalid_argument` for sizes that are not those of the type, or
    /// that the equations cannot have, and for settings as `detail::setting_values` says.
    cell_type& add_cell(layer_type& to, std::size_t page, sizes const& known, sizes const& given,
                        settings const& numbers);
    /// A cell as the only layer, and one like that of another net.
    void add_only_cell(sizes const& known, sizes const& given, settings const& numbers);
    void add_only_cell(cell_type const& like);
    /// Where its parameters lie.
    void place_only_cell(std::span<tensor_place const> places);
    /// Gives all parameters of a cell their first values.
    void start_parameters(cell_type& of, start_rule const& rule, seed from, std::span<S> all);
    /// Makes the engines of cells that have places and settings, and tells them of the parameters.
    void make_engines(std::span<S const> all);

    // Changing it.

    void next_version();
    /// The parameters have changed.
    void parameters_changed(std::span<S const> all);
    /// The settings have changed too: they are part of what an engine is made of.
    void settings_changed(std::span<S const> all) { make_engines(all); }
    void was_given(cell_type& cell, std::size_t parameter) { cell.is_given[parameter] = true; }
    void all_were_given();
    /// f(cell) for all of all layers
    template <class F>
    void for_each_cell(F const& f) {
        for (layer_type& layer : net_.layers)
            for (cell_type& cell : layer.ways)
                f(cell);
    }
    template <class F>
    void for_each_cell(F const& f) const {
        for (layer_type const& layer : net_.layers)
            for (cell_type const& cell : layer.ways)
                f(cell);
    }
    basic_entries<view> const& entries_of(cell_type const& cell) const { return *pages_[cell.page].entries; }

    /// Throws `std::invalid_argument` unless state k is [batch, its width], or [rows, batch, its width].
    template <std::size_t Rank>
    void require_state(std::string_view who, std::string_view what, std::size_t k, std::size_t batch,
                       xt::xtensor<S, Rank> const& tensor) const;
    /// The same of all states. Throws `std::logic_error` while a fixed parameter has no value.
    template <std::size_t Rank>
    void require_states(std::string_view who, std::string_view what, std::size_t batch,
                        std::span<xt::xtensor<S, Rank> const> all) const;
    /// One step of checked inputs and states.
    void run_step(typename net<memory_type>::programs with, std::span<S const> parameters,
                  detail::taken_inputs<S> const& xs, std::span<xt::xtensor<S, 2> const> states,
                  xt::xtensor<S, 2>& output, std::span<xt::xtensor<S, 2>> next) const;

    std::span<page_type const> pages_;
    net<memory_type> net_{};

private:
    std::string_view called_;
    std::uint64_t version_ = 0;
    detail::presence here_{};
    detail::assignments assigned_{};

    void describe_only_cell();
};

namespace detail {

/// The sizes given, where the type leaves them open.
inline sizes merged(sizes const& known, sizes const& given) {
    auto const choose = [](std::size_t fixed, std::size_t open, std::size_t number, char const* called) {
        if (fixed != open && number != open && number != fixed)
            fail<std::invalid_argument>({"the type of the cell says ", called, " = ", fixed, ", but ", number,
                                         " was given; leave it out or give the same"});
        return fixed != open ? fixed : number;
    };
    return {choose(known.input, 0, given.input, "input"), choose(known.units, 0, given.units, "units"),
            choose(known.projection, 0, given.projection, "projection"),
            choose(known.groups, 1, given.groups, "groups"), given.own.count > 0 ? given.own : known.own};
}

} // namespace detail

template <class S, class Kernels>
[[gnu::cold]] net_base<S, Kernels>::net_base(std::string_view called, std::span<page_type const> pages)
    : pages_(pages), called_(called) {}

template <class S, class Kernels>
[[gnu::cold]] typename net_base<S, Kernels>::cell_type&
net_base<S, Kernels>::add_cell(layer_type& to, std::size_t page, sizes const& known, sizes const& given,
                               settings const& numbers) {
    page_type const& of = pages_[page];
    sizes const n = detail::merged(known, given);
    refuse_at_run_time(check_sizes(*of.checked, n), n);
    auto& made = to.ways.emplace_back(detail::net_cell_of<memory_type>(*of.entries, n, page));
    made.settings = detail::setting_values<arithmetic_of<S>>(of.entries->settings, numbers);
    to.output = extent(of.entries->output, n);
    return made;
}

template <class S, class Kernels>
[[gnu::cold]] void net_base<S, Kernels>::add_only_cell(sizes const& known, sizes const& given,
                                                       settings const& numbers) {
    add_cell(net_.layers.emplace_back(), 0, known, given, numbers);
    describe_only_cell();
}
template <class S, class Kernels>
[[gnu::cold]] void net_base<S, Kernels>::add_only_cell(cell_type const& like) {
    auto& made = net_.layers.emplace_back().ways.emplace_back(
        detail::net_cell_of<memory_type>(*pages_[0].entries, like.extents, 0));
    made.is_given = like.is_given;
    made.settings = like.settings;
    net_.layers[0].output = extent(pages_[0].entries->output, like.extents);
    describe_only_cell();
}
template <class S, class Kernels>
[[gnu::cold]] void net_base<S, Kernels>::describe_only_cell() {
    layer_type& layer = net_.layers[0];
    cell_type const& made = layer.ways[0];
    net_.is_cell = true;
    layer.input = made.widths[0];
    detail::add_states(entries_of(made).states, made.extents, 1, "", net_.places);
    for (std::size_t k = 0; k < net_.places.size(); ++k)
        layer.states.push_back(k);
}
template <class S, class Kernels>
[[gnu::cold]] void net_base<S, Kernels>::place_only_cell(std::span<tensor_place const> places) {
    net_.parameters.assign(places.begin(), places.end());
    net_.layers[0].ways[0].places = net_.parameters;
}

template <class S, class Kernels>
[[gnu::cold]] void net_base<S, Kernels>::start_parameters(cell_type& of, start_rule const& rule, seed from,
                                                          std::span<S> all) {
    auto const& entries = entries_of(of).parameters;
    for (tensor_place const& place : of.places) {
        parameter_entry const& entry = entries[static_cast<int>(of.is_given.size())];
        of.is_given.push_back(entry.trained || rule.gives_fixed);
        start const s = rule.call(rule.how, entry, of.extents);
        initialize(s.how, place.in(all),
                   {.rows = entry.rank <= 1 ? 0 : place.extents[1],
                    .cols = place.extents[2],
                    .groups = place.extents[0],
                    .fan_in = s.fan_in,
                    .fan_out = s.fan_out},
                   from, entry.called.view());
    }
}

template <class S, class Kernels>
[[gnu::cold]] void net_base<S, Kernels>::make_engines(std::span<S const> all) {
    for_each_cell([&](cell_type& cell) { cell.runs = pages_[cell.page].make(cell.numbers(all)); });
    parameters_changed(all);
}

template <class S, class Kernels>
void net_base<S, Kernels>::parameters_changed(std::span<S const> all) {
    next_version();
    net_.refresh(all);
}

template <class S, class Kernels>
void net_base<S, Kernels>::all_were_given() {
    for_each_cell([](cell_type& cell) { cell.is_given.assign(cell.is_given.size(), true); });
}

template <class S, class Kernels>
void net_base<S, Kernels>::check_parameters(std::string_view who) const {
    for_each_cell([&](cell_type const& cell) {
        for (std::size_t i = 0; i < cell.is_given.size(); ++i)
            if (!cell.is_given[i])
                fail<std::logic_error>({who, " needs the fixed parameter ", cell.prefix,
                                        cell.places[i].called,
                                        ", which is never trained; give it a value with assign or load"});
    });
}

template <class S, class Kernels>
template <std::size_t Rank>
void net_base<S, Kernels>::require_state(std::string_view who, std::string_view what, std::size_t k,
                                         std::size_t batch, xt::xtensor<S, Rank> const& tensor) const {
    net_state_place const& place = net_.places[k];
    std::array<std::size_t, Rank> expected;
    expected[0] = place.rows; // of a cell by itself, the batch comes first
    expected[Rank - 2] = batch;
    expected[Rank - 1] = place.width;
    if (tensor.shape() != expected)
        detail::refuse_shape({who, " expects ", what, " ", place.called}, expected, tensor.shape());
    detail::require_numbers(what, tensor);
}

template <class S, class Kernels>
template <std::size_t Rank>
void net_base<S, Kernels>::require_states(std::string_view who, std::string_view what, std::size_t batch,
                                          std::span<xt::xtensor<S, Rank> const> all) const {
    require();
    check_parameters(who);
    for (std::size_t k = 0; k < all.size(); ++k)
        require_state(who, what, k, batch, all[k]);
}

template <class S, class Kernels>
[[gnu::cold]] net_base<S, Kernels>::net_base(net_base const& other)
    : pages_(other.pages_), net_(other.net_), called_(other.called_), version_(other.version_),
      here_(other.here_), assigned_(other.assigned_) {
    net_.copy_engines();
}
template <class S, class Kernels>
[[gnu::cold]] net_base<S, Kernels>::net_base(net_base&&) noexcept = default;
template <class S, class Kernels>
[[gnu::cold]] net_base<S, Kernels>& net_base<S, Kernels>::operator=(net_base const& other) {
    return *this = net_base(other);
}
template <class S, class Kernels>
[[gnu::cold]] net_base<S, Kernels>& net_base<S, Kernels>::operator=(net_base&&) noexcept = default;
template <class S, class Kernels>
[[gnu::cold]] net_base<S, Kernels>::~net_base() = default;

template <class S, class Kernels>
void net_base<S, Kernels>::run_step(typename net<memory_type>::programs with, std::span<S const> parameters,
                                    detail::taken_inputs<S> const& xs,
                                    std::span<xt::xtensor<S, 2> const> states, xt::xtensor<S, 2>& output,
                                    std::span<xt::xtensor<S, 2>> next) const {
    require();
    std::size_t const batch = xs.shape[1];
    auto found = net_.infer(with, parameters,
                            engine_sequence<S>{.steps = 1,
                                               .rows = {.batch = batch},
                                               .inputs = xs.numbers,
                                               .states = detail::addresses<S const>(states)});
    detail::move_numbers(found.outputs, {batch, net_.layers[0].output}, output);
    detail::states_of_rows<S>(std::move(found.states), next);
}

template <class S, class Kernels>
void net_base<S, Kernels>::next_version() {
    static std::atomic<std::uint64_t> last{0};
    version_ = ++last;
}

} // namespace sluice
