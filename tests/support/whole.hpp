// SPDX-License-Identifier: BSL-1.0
// A backend that is offered whole stacks: it takes those of two layers, says what it was asked for, and gives
// numbers that cannot be those of the layers.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <sluice/net/engine.hpp>
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

/// Fills outputs with a number that follows from the first parameter when it was told of them.
template <class S, class Kernels>
class whole_engine final : public sluice::engine<S, Kernels> {
    using base = sluice::engine<S, Kernels>;

public:
    using typename base::numbers, typename base::program, typename base::tape;

    whole_engine(std::size_t output, std::size_t input, std::size_t state)
        : output_(output), input_(input), state_(state) {}

    std::shared_ptr<base> copy() const override {
        events().push_back("copy");
        return std::make_shared<whole_engine>(*this);
    }
    void refresh(numbers const& net) override {
        events().push_back("refresh");
        first_ = net.parameters[0];
    }
    void infer(program const&, numbers const&, sluice::engine_sequence<S> const& given) const override {
        events().push_back("infer");
        fill(given, 10);
    }
    tape forward(program const&, numbers const&, sluice::engine_sequence<S> const& given) const override {
        events().push_back("forward " + std::to_string(given.seed));
        fill(given, 20);
        return std::make_shared<std::array<std::size_t, 2>>(std::array{given.steps, given.rows.batch});
    }
    void backward(program const&, numbers const&, tape const& of,
                  sluice::engine_gradients<S> const& found) const override {
        events().push_back(found.inputs.empty() ? "backward without inputs" : "backward");
        auto const [steps, batch] = *static_cast<std::array<std::size_t, 2> const*>(of.get());
        found.parameters[0] = S(7);
        for (S* const dxs : found.inputs)
            std::fill_n(dxs, steps * batch * input_, S(3));
        std::copy_n(found.final_states[0], batch * state_, found.states[0]);
    }
    std::unique_ptr<sluice::stepper<S>> prepare(program const&, numbers const&, std::size_t,
                                                std::vector<S const*> const&, S*) const override {
        events().push_back("prepare"); // which is never asked for
        return {};
    }
    void refresh(numbers const&, sluice::stepper<S>&) const override {}

private:
    std::size_t output_, input_, state_;
    S first_ = 0;

    void fill(sluice::engine_sequence<S> const& given, S more) const {
        std::fill_n(given.outputs, given.steps * given.rows.batch * output_, first_ + more);
        std::copy_n(given.states[0], given.rows.batch * state_, given.final_states[0]);
    }
};

struct whole_stacks {
    template <class Page, class S>
    using lowering = sluice::xtensor::planned::lowering<Page, S>;

    template <class S, class... Pages>
    struct stack_engine {
        using net_type = sluice::net<sluice::host_memory<S, sluice::xtensor::kernels>>;

        static std::string why_not(sluice::stack_options const& options, net_type const& net) {
            events().push_back("offered");
            if (options.layers == 2 && net.layers.size() == 2)
                return {};
            return "it takes two layers, and these are " + std::to_string(options.layers);
        }
        static std::shared_ptr<sluice::engine<S, sluice::xtensor::kernels>> make(sluice::stack_options const&,
                                                                                 net_type const& net) {
            events().push_back("make");
            return std::make_shared<whole_engine<S, sluice::xtensor::kernels>>(
                net.layers[1].output * net.layers[1].ways.size(), net.layers[0].input,
                net.places[0].rows * net.places[0].width);
        }
        static std::uint64_t seed_of(sluice::stack_options const&, std::uint64_t draw, std::size_t) {
            return draw;
        }
    };
};

} // namespace support
