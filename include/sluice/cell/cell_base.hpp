// SPDX-License-Identifier: BSL-1.0
// What of a cell does not depend on its equations but through values: sizes, settings, which parameters have
// values, and the net of one layer that runs it (net/net.hpp). cell_of adds names.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <sluice/cell/initial_values.hpp>
#include <sluice/cell/inputs.hpp>
#include <sluice/cell/settings.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/graph/sizes.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/page_cell.hpp>
#include <sluice/net/starts.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

/// The start of a parameter, as the struct of a page says it.
struct start_rule {
    void const* how;
    start (*call)(void const* how, parameter_entry const&, sizes const&);
    bool gives_fixed; ///< also the values of what is never trained
};

template <class S, class Kernels>
class cell_base {
public:
    using memory_type = host_memory<S, Kernels>;
    using engine_type = engine<S, Kernels>;

    sizes const& extents() const { return extents_; }
    /// What runs the cell.
    net<memory_type> const& as_net() const {
        require();
        return net_;
    }

    /// Changes whenever the parameters do.
    std::uint64_t version() const { return version_; }
    /// Changes with the version, and when another cell is assigned to this one: what derives from the
    /// parameters, or remembers where they lie, is stale then.
    std::array<std::uint64_t, 2> revision() const {
        require();
        return {version_, assigned_.count()};
    }

protected:
    /// Throws `std::invalid_argument` for sizes that are not those of the type, or that the equations
    /// cannot have, and for settings as `detail::setting_values` says.
    cell_base(shaped_view const& checked, view<setting_entry> named, sizes const& known, sizes const& given,
              settings const& numbers);

    /// A copy has an engine of its own.
    cell_base(cell_base const&);
    cell_base(cell_base&&) noexcept;
    cell_base& operator=(cell_base const&);
    cell_base& operator=(cell_base&&) noexcept;
    ~cell_base();

    /// The net of one layer, of what the passes say of the page.
    void make_net(basic_entries<view> const& entries, std::span<tensor_place const> places,
                  std::shared_ptr<engine_type> runs);
    /// The parameters lie elsewhere, with the same numbers.
    void move_net(std::span<tensor_place const> places);
    /// The parameters or settings have changed.
    void refresh(std::span<S const> values);
    cell_numbers<S> numbers_of(arena<S> const& parameters) const {
        require();
        return {extents_, parameters.places(), parameters.values(), settings_};
    }

    /// Gives all parameters their first values.
    void start_parameters(view<parameter_entry> entries, arena<S> const& places, std::span<S> values,
                          start_rule const& rule, seed from);

    void require() const { here_.require("the cell"); }
    void require_given(std::string_view who, view<parameter_entry> entries) const;
    void require_states(std::string_view who, std::string_view what, view<state_entry> entries,
                        std::span<xt::xtensor<S, 2> const> states, std::size_t batch) const;
    void was_given(std::size_t parameter) { is_given_[parameter] = true; }
    void all_were_given() { is_given_.assign(is_given_.size(), true); }
    /// One step of checked inputs and states.
    void run_step(typename net<memory_type>::programs with, std::span<S const> parameters,
                  detail::taken_inputs<S> const& xs, std::span<xt::xtensor<S, 2> const> states,
                  xt::xtensor<S, 2>& output, std::span<xt::xtensor<S, 2>> next) const;
    /// Where the states of a batch start.
    void start_states_of(std::span<S const> parameters, std::size_t batch,
                         std::span<xt::xtensor<S, 2>> states) const;

    std::vector<arithmetic_of<S>> settings_;

private:
    sizes extents_;
    std::vector<char>
        is_given_{}; ///< of each parameter; false for a fixed one that nothing has given a value
    std::uint64_t version_ = 0;
    detail::presence here_{};
    detail::assignments assigned_{};
    net<memory_type> net_{};

    void next_version();
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
[[gnu::cold]] cell_base<S, Kernels>::cell_base(shaped_view const& checked, view<setting_entry> named,
                                               sizes const& known, sizes const& given,
                                               settings const& numbers)
    : extents_(detail::merged(known, given)) {
    refuse_at_run_time(check_sizes(checked, extents_), extents_);
    settings_ = detail::setting_values<arithmetic_of<S>>(named, numbers);
}

template <class S, class Kernels>
[[gnu::cold]] void cell_base<S, Kernels>::start_parameters(view<parameter_entry> entries,
                                                           arena<S> const& places, std::span<S> values,
                                                           start_rule const& rule, seed from) {
    for (tensor_place const& place : places.places()) {
        parameter_entry const& entry = entries[static_cast<int>(is_given_.size())];
        is_given_.push_back(entry.trained || rule.gives_fixed);
        start const s = rule.call(rule.how, entry, extents_);
        initialize(s.how, place.in(values),
                   {.rows = entry.rank <= 1 ? 0 : place.extents[1],
                    .cols = place.extents[2],
                    .groups = place.extents[0],
                    .fan_in = s.fan_in,
                    .fan_out = s.fan_out},
                   from, entry.called.view());
    }
}

template <class S, class Kernels>
void cell_base<S, Kernels>::require_given(std::string_view who, view<parameter_entry> entries) const {
    for (std::size_t i = 0; i < is_given_.size(); ++i)
        if (!is_given_[i])
            fail<std::logic_error>({who, " needs the fixed parameter ",
                                    entries[static_cast<int>(i)].called.view(),
                                    ", which is never trained; give it a value with assign or load"});
}

template <class S, class Kernels>
void cell_base<S, Kernels>::require_states(std::string_view who, std::string_view what,
                                           view<state_entry> entries,
                                           std::span<xt::xtensor<S, 2> const> states,
                                           std::size_t batch) const {
    for (state_entry const& entry : entries) {
        auto const& tensor = states[static_cast<std::size_t>(&entry - entries.begin())];
        std::array<std::size_t, 2> const expected{batch, extent(entry.columns, extents_)};
        if (tensor.shape() != expected)
            detail::refuse_shape({who, " expects ", what, " ", entry.called.view()}, expected,
                                 tensor.shape());
        detail::require_numbers(what, tensor);
    }
}

template <class S, class Kernels>
[[gnu::cold]] cell_base<S, Kernels>::cell_base(cell_base const& other)
    : settings_(other.settings_), extents_(other.extents_), is_given_(other.is_given_),
      version_(other.version_), here_(other.here_), assigned_(other.assigned_), net_(other.net_) {
    net_.copy_engines();
}
template <class S, class Kernels>
[[gnu::cold]] cell_base<S, Kernels>::cell_base(cell_base&&) noexcept = default;
template <class S, class Kernels>
[[gnu::cold]] cell_base<S, Kernels>& cell_base<S, Kernels>::operator=(cell_base const& other) {
    return *this = cell_base(other);
}
template <class S, class Kernels>
[[gnu::cold]] cell_base<S, Kernels>& cell_base<S, Kernels>::operator=(cell_base&&) noexcept = default;
template <class S, class Kernels>
[[gnu::cold]] cell_base<S, Kernels>::~cell_base() = default;

template <class S, class Kernels>
[[gnu::cold]] void cell_base<S, Kernels>::move_net(std::span<tensor_place const> places) {
    net_.parameters.assign(places.begin(), places.end());
    if (!net_.layers.empty()) // none of a cell that was moved from
        net_.layers[0].ways[0].places = net_.parameters;
}

template <class S, class Kernels>
void cell_base<S, Kernels>::refresh(std::span<S const> values) {
    next_version();
    net_.refresh(values);
}

template <class S, class Kernels>
[[gnu::cold]] void cell_base<S, Kernels>::make_net(basic_entries<view> const& entries,
                                                   std::span<tensor_place const> places,
                                                   std::shared_ptr<engine_type> runs) {
    detail::make_net_of_cell(entries, {extents_, places, {}, settings_}, std::move(runs), net_);
}

template <class S, class Kernels>
void cell_base<S, Kernels>::run_step(typename net<memory_type>::programs with, std::span<S const> parameters,
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
void cell_base<S, Kernels>::start_states_of(std::span<S const> parameters, std::size_t batch,
                                            std::span<xt::xtensor<S, 2>> states) const {
    require();
    detail::states_of_rows<S>(start_states(net_, parameters, batch), states);
}

template <class S, class Kernels>
void cell_base<S, Kernels>::next_version() {
    static std::atomic<std::uint64_t> last{0};
    version_ = ++last;
}

} // namespace sluice
