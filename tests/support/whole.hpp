// SPDX-License-Identifier: BSL-1.0
// Backends that are offered whole stacks: one takes those of two layers and says what it was asked for, and
// hands out numbers that nobody could mistake for those of the layers; the other one takes none.
#pragma once

#include <algorithm>
#include <array>
#include <sluice/net/whole_stack.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <vector>

namespace support {

/// What happened, in order.
inline std::vector<std::string>& events() {
    static std::vector<std::string> all;
    return all;
}

struct whole_stacks {
    template <class Page, class S>
    using lowering = sluice::xtensor::planned::lowering<Page, S>;

    template <class S, class State, class... Pages>
    class stack_lowering {
        using view = sluice::stack_view<S>;
        using input = sluice::stack_input<S, State>;
        using result = sluice::stack_result<S, State>;

    public:
        struct tape : result {
            std::vector<std::size_t> held{};
            bool is_kept() const { return !held.empty(); }
            std::array<std::size_t, 2> shape() const { return {held[0], held[1]}; }
        };

        static std::string why_not(sluice::stack_options const& options,
                                   std::span<sluice::sizes const> of_each_layer) {
            events().push_back("offered");
            if (options.layers == 2 && of_each_layer.size() == 2)
                return {};
            return "it takes two layers, and these are " + std::to_string(options.layers);
        }
        void refresh(view const& net) {
            events().push_back("refresh");
            first_ = net.parameters.values()[0];
        }
        result infer(view const& net, input given) const {
            events().push_back("infer");
            return {filled(net, given, S(10)), std::move(given.state)};
        }
        tape forward(view const& net, input given) const {
            events().push_back("forward " + std::to_string(given.draw));
            tape made;
            made.outputs = filled(net, given, S(20));
            made.held = {given.xs.shape()[0], given.xs.shape()[1]};
            made.state = std::move(given.state);
            return made;
        }
        template <class Parameters>
        result backward(view const&, tape const& of, sluice::stack_upstream<S, State> given,
                        Parameters& gradients) const {
            events().push_back(given.want_inputs ? "backward" : "backward without inputs");
            gradients.values()[0] = S(7);
            auto dxs = xt::xtensor<S, 3>::from_shape({of.held[0], of.held[1], 1});
            dxs.fill(S(3));
            return {std::move(dxs), std::move(given.state)};
        }

    private:
        S first_ = 0; ///< of all parameters

        xt::xtensor<S, 3> filled(view const& net, input const& given, S more) const {
            std::size_t const width =
                net.of_each_layer.back().units * sluice::directions_of(net.options.direction);
            auto ys = xt::xtensor<S, 3>::from_shape({given.xs.shape()[0], given.xs.shape()[1], width});
            ys.fill(first_ + more);
            return ys;
        }
    };
};

} // namespace support
