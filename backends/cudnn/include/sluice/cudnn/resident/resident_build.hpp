// SPDX-License-Identifier: BSL-1.0
// A cell or a stack of the host as a net on the device, with those engines that its policy takes on the host.
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/cudnn/device_policy.hpp>
#include <sluice/cudnn/resident/device_memory.hpp>
#include <sluice/net/lazy_engine.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/programs.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <utility>

namespace sluice::cudnn::detail {

template <class Net>
concept runs_on_device = requires {
    typename sluice::detail::kernels_of_net<Net>;
    requires !sluice::detail::kernels_of_net<Net>::is_host;
};

/// The memory of a net on the device.
template <class Net>
struct memory_of {
    static_assert(never<Net>, "sluice: a net that stays on a CUDA device has a policy of one, "
                              "sluice::cudnn::device or sluice::cudnn::planned");
};
template <runs_on_device Net>
struct memory_of<Net> {
    using type = device_memory<typename Net::scalar_type, sluice::detail::kernels_of_net<Net>>;
};

/// The layers of a net of the host, in another memory. `engine_for(cell)` makes the engine of each.
template <class From, class To, class F>
void build_like(net<From> const& host, net<To>& made, F const& engine_for) {
    made.parameters = host.parameters;
    made.places = host.places;
    made.is_cell = host.is_cell;
    for (auto const& from : host.layers) {
        auto& layer = made.layers.emplace_back();
        layer.is_reversed = from.is_reversed;
        layer.is_residual = from.is_residual;
        layer.input = from.input;
        layer.output = from.output;
        layer.first_row = from.first_row;
        layer.states = from.states;
        layer.after = from.after;
        for (auto const& cell : from.ways) {
            auto& way = layer.ways.emplace_back();
            way.runs = engine_for(cell);
            way.page = cell.page;
            way.extents = cell.extents;
            way.places = cell.places;
            way.settings = cell.settings;
            way.starts = cell.starts;
            way.widths = cell.widths;
            way.has_inputs = cell.has_inputs;
            way.reads = cell.reads;
            way.masks = cell.masks;
            for (auto const& values : cell.constants)
                way.constants.push_back(made.memory.send(values));
        }
    }
}

template <class Net, class Memory>
void build_on_device(Net const& of, net<Memory>& made) {
    using S = typename Memory::scalar;
    using kernels = typename Memory::kernels;
    using cell_type = net_cell<typename Net::memory_type>;
    using engine_type = engine<S, kernels>;
    std::size_t const count = of.parameters().values().size();
    auto const makers = sluice::detail::lowerings_of<Net>::type::all([]<class L>() {
        return +[](cell_type const& cell, std::size_t numbers) -> std::shared_ptr<engine_type> {
            return L::make_engine(cell.extents, cell.places, cell.settings, numbers);
        };
    });
    build_like(of.as_net(), made, [&](cell_type const& cell) { return makers[cell.page](cell, count); });
    if constexpr (any_stack<Net>)
        if constexpr (requires { Net::whole_type::engine::make_engine(of.options(), of.as_net()); })
            if (of.is_whole()) {
                made.whole = Net::whole_type::engine::make_engine(of.options(), of.as_net());
                made.seed_of_whole = of.as_net().seed_of_whole;
                for (auto& layer : made.layers) // for resets only
                    for (auto& way : layer.ways)
                        way.runs = std::make_shared<lazy_engine<S, kernels>>(std::move(way.runs));
            }
}

} // namespace sluice::cudnn::detail
