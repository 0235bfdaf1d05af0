// SPDX-License-Identifier: BSL-1.0
// The layers of a stack, and the array in which their parameters lie.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <sluice/cell/masks.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/whole_stack.hpp>
#include <sluice/sequence/net_of.hpp>
#include <sluice/sequence/stack_pages.hpp>
#include <sluice/sequence/stack_parameters.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::detail {

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

/// Which of the groups a layer is in, and its number in the stack.
template <std::size_t Group>
struct layer_place {
    static constexpr std::size_t group = Group;
    std::size_t layer;
};

/// The cells of a layer, forward first.
template <class Cell>
class stack_layer {
public:
    using cell_type = Cell;

    explicit stack_layer(std::vector<Cell> cells) : cells_(std::move(cells)) {}

    std::vector<Cell>& cells() { return cells_; }
    std::vector<Cell> const& cells() const { return cells_; }
    std::size_t input_size() const {
        using page = typename Cell::page_type;
        return input_width<page>(read_input<page>(), cells_.front().extents());
    }
    std::size_t output_size() const { return cells_.size() * cells_.front().output_size(); }

private:
    std::vector<Cell> cells_;
};

/// Layers in groups: all layers of a group are of one page.
template <bool IsUniform, class Scalar, class Backend, class Extents, class... Pages>
class stack_layers {
public:
    using state_type = typename states_of_stack<IsUniform, Scalar, Pages...>::type;
    using lowerings_type = lowering_list<typename cell_of<Pages, Scalar, Backend, Extents>::lowering_type...>;
    /// A backend's engine of whole stacks.
    using whole_type = typename stack_engine_of<Backend, Scalar, state_type, Pages...>::type;

    stack_options const& options() const { return options_; }
    std::size_t layers() const { return options_.layers; }
    std::size_t directions() const { return directions_of(options_.direction); }
    /// f(layer, its layer_place)
    template <class F>
    void for_each_layer(F&& f) const {
        each(*this, f);
    }
    /// What the names of a cell's parameters begin with.
    std::string const& prefix(std::size_t layer, std::size_t direction) const {
        return layout_->prefixes[layer * directions() + direction];
    }
    /// The first row of a layer in the tensors of a state.
    std::size_t first_row(std::size_t layer) const { return IsUniform ? layer * directions() : 0; }
    bool is_residual(std::size_t layer) const {
        return options_.residual == residual::all ||
               (options_.residual == residual::between_layers && layer > 0);
    }
    /// What the outputs of a layer go through on their way to the next one.
    dropout const& dropout_after(std::size_t layer) const { return dropouts_[layer]; }
    /// The number of the next draw of masks.
    std::uint64_t next_draw() const { return draws_.next(); }

    /// The page of group I.
    template <std::size_t I>
    using page_at = std::tuple_element_t<I, std::tuple<Pages...>>;

    using memory_type = host_memory<Scalar, typename lowerings_type::first::kernels_type>;
    /// What runs the layers.
    sluice::net<memory_type> const& as_net() const { return net_; }
    /// Whether one engine runs all layers, and why not.
    bool is_whole() const { return net_.whole != nullptr; }
    std::string_view why_not_whole() const { return why_not_; }
    stack_view<Scalar> view() const {
        stack_view<Scalar> found{options_, extents_, parameters_.array()};
        for_each_cell(*this, [&](auto const& cell, std::string const&) {
            found.settings.push_back(cell.numbers().settings);
        });
        return found;
    }

protected:
    static constexpr std::size_t group_count = sizeof...(Pages);
    static constexpr std::size_t main_group = group_count - 1;
    static constexpr bool may_be_whole = !std::is_same_v<whole_type, no_stack_engine>;
    template <std::size_t I>
    using cell_at = cell_of<page_at<I>, Scalar, Backend, Extents>;
    using parameters_type = stack_parameters<Scalar, Pages...>;

    explicit stack_layers(stack_options const& options) : options_(options) {
        check_options();
        if constexpr (!IsUniform)
            options_.layers = group_count;
        else if (!count_of({options.layers, directions(), sizeof(cell_at<main_group>)}))
            fail<std::invalid_argument>({"a stack of ", options.layers,
                                         " layers would have more numbers than memory can; give fewer"});
        else
            std::get<main_group>(groups_).reserve(options.layers);
    }
    stack_layers(stack_layers const& other)
        : options_(other.options_), layout_(other.layout_), parameters_(other.parameters_),
          dropouts_(other.dropouts_), groups_(other.groups_), draws_(other.draws_), extents_(other.extents_),
          why_not_(other.why_not_), here_(other.here_) {
        move_into_array();
    }
    stack_layers(stack_layers&&) = default;
    stack_layers& operator=(stack_layers const& other) { return *this = stack_layers(other); }
    stack_layers& operator=(stack_layers&&) = default;
    ~stack_layers() = default;

    template <class Self, class F>
    static void each(Self& self, F& f) {
        std::size_t l = 0;
        auto const of = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            auto& all = std::get<I>(self.groups_);
            for (auto& one : all)
                f(one, layer_place<I>{l++});
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (of(std::integral_constant<std::size_t, I>{}), ...);
        }
        (std::index_sequence_for<Pages...>{});
    }
    /// f(cell, its prefix in names)
    template <class Self, class F>
    static void for_each_cell(Self& self, F&& f) {
        auto const of_layer = [&](auto& one, auto at) {
            for (std::size_t d = 0; d < one.cells().size(); ++d)
                f(one.cells()[d], self.prefix(at.layer, d));
        };
        each(self, of_layer);
    }

    /// Zeros.
    state_type zero_state_of(std::size_t batch) const {
        state_type state;
        for_each_layer([&](auto const& one, auto at) {
            constexpr std::size_t group = IsUniform ? main_group : at.group;
            std::size_t const rows = IsUniform ? layers() * directions() : directions();
            if (at.layer == 0 || !IsUniform)
                part_of<at.group>(state) =
                    zero_stacked_states<page_at<group>, Scalar>(one.cells().front().extents(), rows, batch);
        });
        return state;
    }

    /// A page without states has no direction.
    template <std::size_t I>
    sluice::direction direction_of_group() const {
        return passes<page_at<I>>::states.empty() ? direction::unidirectional : options_.direction;
    }
    static std::string make_prefix(std::size_t layer, std::size_t d, sluice::direction way) {
        std::string text;
        append({"layer", layer,
                way != direction::bidirectional ? "/"
                : d == 0                        ? "/forward/"
                                                : "/backward/"},
               text);
        return text;
    }

    /// Adds layer l, of page I, and gives what it reads to the next one.
    template <std::size_t I, class... Given>
    void add_layer(std::size_t l, sizes& n, seed from, Given const&... given) {
        std::size_t const width = n.input;
        if (l > 0 && passes<page_at<I>>::input.kind != symbol::input)
            n.input = 0; // the equations say the width that they read
        auto const way = direction_of_group<I>();
        std::vector<cell_at<I>> cells;
        for (std::size_t d = 0; d < directions_of(way); ++d)
            cells.emplace_back(n, seed{random_stream(from, make_prefix(l, d, way))()}, given...);
        auto& made = std::get<I>(groups_).emplace_back(std::move(cells));
        if (is_residual(l) && made.input_size() != made.output_size())
            fail<std::invalid_argument>({"a residual layer expects as many outputs as inputs, but layer ", l,
                                         " has ", made.output_size(), " outputs and ", made.input_size(),
                                         " inputs"});
        if (l > 0 && made.input_size() != width)
            fail<std::invalid_argument>({"layer ", l, " of a stack reads ", made.input_size(),
                                         " features, but the layer before it gives ", width});
        auto const widths = made.cells().front().state_size();
        auto const first = std::get<I>(groups_).front().cells().front().state_size();
        if (widths != first)
            fail<std::invalid_argument>(
                {"layers of one page have states of one width, but those of layer 0 have widths ", first,
                 " and those of layer ", l, " have ", widths,
                 "; name the page of each, as in stack<layers<...>>"});
        n.input = made.output_size();
    }

    /// Puts all parameters into one array.
    void finish() {
        auto made = std::make_shared<stack_layout>();
        made->directions = directions();
        auto const of_layer = [&](auto& one, auto at) {
            for (std::size_t d = 0; d < directions(); ++d) {
                bool const is_there = d < one.cells().size();
                auto const places =
                    is_there ? one.cells()[d].parameters().array().places() : std::span<tensor_place const>();
                made->cells.emplace_back(places.begin(), places.end());
                made->prefixes.push_back(make_prefix(at.layer, d, direction_of_group<at.group>()));
                made->pages.push_back(is_there ? at.group : group_count);
            }
            extents_.push_back(one.cells().front().extents());
            dropouts_.emplace_back(options_.dropout, options_.dropout_seed,
                                   made->prefixes[at.layer * directions()], options_.variational);
        };
        each(*this, of_layer);
        auto all = made->lay_out_all();
        layout_ = std::move(made);
        parameters_ = parameters_type(layout_, std::move(all));
        if constexpr (may_be_whole)
            why_not_ = whole_type::why_not(options_, extents_);
        move_into_array();
    }
    /// The parameters have changed; the cells have been told.
    void refresh_whole() {
        if (net_.whole)
            net_.refresh_whole(parameters_.values());
    }
    void check_options() const {
        name_of(options_.direction); // which refuse what is none
        name_of(options_.input_mode);
        name_of(options_.residual);
        if (options_.input_mode != input_mode::linear_input && (!IsUniform || group_count != 2))
            fail<std::invalid_argument>({"a stack that chooses its input mode when the program runs is a "
                                         "stack<any_input_mode<page>>, but .input_mode is ",
                                         name_of(options_.input_mode)});
        auto const require_masks = [](std::string_view called, double rate, bool is_there) {
            require_rate(called, rate);
            if (rate > 0 && !is_there)
                fail<std::invalid_argument>({"a stack with ", called, " is a stack<", called,
                                             "<page>>, but its ", "page has none, and the rate is ", rate});
        };
        require_rate("the dropout of a stack", options_.dropout);
        require_masks("zoneout", options_.zoneout, (has_masks<Pages>(mask_kind::zoneout) || ...));
        require_masks("recurrent_dropout", options_.recurrent_dropout,
                      (has_masks<Pages>(mask_kind::dropout) || ...));
    }
    /// Makes cells that have their parameters there, of those that have them elsewhere.
    void move_into_array() {
        auto const of_layer = [&](auto& one, auto at) {
            std::decay_t<decltype(one.cells())> cells;
            cells.reserve(one.cells().size()); // making room might copy one, out of the array
            for (std::size_t d = 0; d < one.cells().size(); ++d)
                cells.emplace_back(
                    one.cells()[d],
                    arena<Scalar>::within(parameters_.values(), layout_->cells[at.layer * directions() + d]));
            one.cells() = std::move(cells);
        };
        each(*this, of_layer);
        make_net();
    }
    /// Of the cells, where they are now, and of their settings.
    void make_net() {
        net_ = {};
        build(
            *this, [](auto const& cell) { return cell.as_net().layers[0].ways[0].runs; }, net_);
        if constexpr (may_be_whole)
            if (why_not_.empty()) {
                net_.whole = whole_type::make(view(), zero_state_of(0));
                net_.seed_of_whole = [how = options_](std::uint64_t draw) {
                    return whole_type::seed_of(how, draw);
                };
                refresh_whole();
            }
    }

    stack_options options_;
    std::shared_ptr<stack_layout const> layout_{};
    parameters_type parameters_{};
    std::vector<dropout> dropouts_{};
    /// Of each page, with parameters in that array.
    std::tuple<std::vector<stack_layer<cell_of<Pages, Scalar, Backend, Extents>>>...> groups_{};
    sluice::net<memory_type> net_{}; ///< of the engines of those cells
    counter draws_{};
    std::vector<sizes> extents_{}; ///< of each layer
    std::string why_not_ = "the backend runs stacks layer by layer";
    presence here_{};
    assignments assigned_{};
};

} // namespace sluice::detail
