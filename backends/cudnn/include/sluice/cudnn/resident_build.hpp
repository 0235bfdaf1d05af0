// SPDX-License-Identifier: BSL-1.0
// A cell or a stack of the host as a net on the device, with those engines that its policy takes on the host.
#pragma once

#include <memory>
#include <sluice/cudnn/device_memory.hpp>
#include <sluice/cudnn/device_policy.hpp>
#include <sluice/net/lazy_engine.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/net_of.hpp>
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

template <class Net, class Memory>
void build_on_device(Net const& of, net<Memory>& made) {
    std::size_t const count = of.parameters().values().size();
    auto const engine_for = [&]<class Cell>(Cell const& cell) {
        auto const numbers = cell.numbers();
        return std::shared_ptr(Cell::lowering_type::make_engine(
            numbers.extents, numbers.places, {numbers.settings.begin(), numbers.settings.end()}, count));
    };
    sluice::detail::build(of, engine_for, made);
    if constexpr (any_stack<Net>)
        if constexpr (requires { Net::whole_type::make_engine(of.view(), of.zero_state(0)); })
            if (of.is_whole()) {
                using S = typename Memory::scalar;
                using kernels = typename Memory::kernels;
                made.whole = Net::whole_type::make_engine(of.view(), of.zero_state(0));
                made.seed_of_whole = of.as_net().seed_of_whole;
                for (auto& layer : made.layers) // for resets only
                    for (auto& way : layer.ways)
                        way.runs = std::make_shared<lazy_engine<S, kernels>>(std::move(way.runs));
            }
}

} // namespace sluice::cudnn::detail
