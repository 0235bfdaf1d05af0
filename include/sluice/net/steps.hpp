// SPDX-License-Identifier: BSL-1.0
// A net one time step after the other, for as long as inputs come, in the host's memory. Every layer reads
// what the one before it gives in the same step; nothing is dropped, and no direction is a backward one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sluice/net/net.hpp>
#include <span>
#include <vector>

namespace sluice {
namespace detail {

/// A layer.
template <class Memory>
struct net_stage {
    using S = typename Memory::scalar;
    using tensor = typename Memory::tensor;

    std::vector<tensor> inputs{};
    tensor own_output{}; ///< of all layers but the last
    S* output = nullptr;
    std::size_t output_size = 0;
    std::unique_ptr<stepper<S>> runs{};
    std::size_t page = 0, reads = 0;
    sizes extents{};
    bool is_residual = false;
    std::vector<std::size_t> states{};  ///< their places in the list of all
    std::vector<std::size_t> offsets{}; ///< where this layer's rows of them begin

    void take_options(Memory const& memory, net_layer<Memory> const& from) {
        is_residual = from.is_residual;
        auto const& way = from.ways[0];
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (way.masks && k != reads)
                memory.spread(way.constants[k], inputs[k]);
    }
};

} // namespace detail

template <class Memory>
class net_steps {
    using S = typename Memory::scalar;
    using tensor = typename Memory::tensor;

public:
    using net_type = net<Memory>;

    /// What the last layer gives lies at `output` after each step, [batch, output], which the caller keeps.
    net_steps(net_type const& of, typename net_type::programs with, std::span<S const> all, std::size_t batch,
              S* output)
        : memory_(of.memory) {
        layers_.reserve(of.layers.size());
        for (auto const& layer : of.layers) {
            auto const& way = layer.ways[0];
            auto& made = layers_.emplace_back();
            made.page = way.page;
            made.extents = way.extents;
            made.reads = way.reads;
            made.states = layer.states;
            for (std::size_t const place : layer.states)
                made.offsets.push_back(layer.first_row * batch * of.places[place].width);
            for (std::size_t k = 0; k < way.widths.size(); ++k) {
                auto& input = made.inputs.emplace_back(of.memory.make(1, batch, way.widths[k]));
                of.memory.clear(1, input.size(), input.data(), input.size());
            }
            made.take_options(of.memory, layer);
            bool const is_last = layers_.size() == of.layers.size();
            if (!is_last)
                made.own_output = of.memory.make(1, batch, layer.output);
            made.output = is_last ? output : made.own_output.data();
            made.output_size = batch * layer.output;
            std::vector<S const*> inputs;
            for (tensor const& input : made.inputs)
                inputs.push_back(input.data());
            made.runs = way.runs->prepare(with[way.page], way.numbers(all), batch, inputs, made.output);
        }
        find_only();
    }

    /// Whether a net has layers of the same pages and sizes.
    bool fits(net_type const& of) const {
        return std::ranges::equal(layers_, of.layers, [](stage const& mine, auto const& layer) {
            auto const& way = layer.ways[0];
            return layer.ways.size() == 1 && !layer.is_reversed && way.page == mine.page &&
                   way.extents == mine.extents;
        });
    }
    /// When the parameters or options have changed, or lie elsewhere, of a net that fits.
    void refresh(net_type const& of, std::span<S const> all) {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            auto const& way = of.layers[l].ways[0];
            layers_[l].take_options(of.memory, of.layers[l]);
            way.runs->refresh(way.numbers(all), *layers_[l].runs);
        }
        find_only();
    }

    /// Rows [first, last) of a state, [rows, batch, width]. Allocates nothing.
    void set_state(std::size_t place, S const* numbers, std::size_t first, std::size_t last) {
        for (auto& one : layers_)
            for (std::size_t k = 0; k < one.states.size(); ++k)
                if (one.states[k] == place)
                    one.runs->set_state(k, numbers + one.offsets[k], first, last);
    }
    void copy_state(std::vector<tensor>& states) const {
        for (auto const& one : layers_)
            for (std::size_t k = 0; k < one.states.size(); ++k)
                one.runs->copy_state(k, states[one.states[k]].data() + one.offsets[k]);
    }

    /// Where input k of the first layer can be written before a step.
    S* input(std::size_t k) { return layers_[0].inputs[k].data(); }

    /// x is what the first layer reads, [batch, input].
    void step(S const* x) {
        if (only_ != nullptr)
            only_->step(x);
        else
            step_layers(x);
    }

private:
    using stage = detail::net_stage<Memory>;

    Memory memory_;
    std::vector<stage> layers_{};
    stepper<S>* only_ = nullptr; ///< of one layer that does nothing besides

    void find_only() {
        bool const is_only = layers_.size() == 1 && layers_[0].reads == 0 && !layers_[0].is_residual;
        only_ = is_only ? layers_[0].runs.get() : nullptr;
    }
    [[gnu::noinline]] void step_layers(S const* x) {
        for (auto& one : layers_) {
            if (one.reads == 0)
                one.runs->step(x);
            else {
                std::size_t const count = one.inputs[one.reads].size();
                if (x != one.inputs[one.reads].data())
                    memory_.copy(1, count, x, count, one.inputs[one.reads].data(), count);
                one.runs->step(one.inputs[0].data());
            }
            if (one.is_residual)
                memory_.add(one.output_size, x, one.output);
            x = one.output;
        }
    }
};

} // namespace sluice
