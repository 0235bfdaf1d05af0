// SPDX-License-Identifier: BSL-1.0
// A net whose cells, layers and sizes are chosen when the program runs. No page stands in its type:
//
//   auto const known = sluice::model_cells<float, sluice::lstm, sluice::dense>();
//   sluice::model_net net(known, {{"lstm", {.input = 1, .units = 16}}, {"dense", {.units = 1}}});
//   auto const ys = net.infer(xs);                       // [time, batch, 1]
//
// It is the stack of the same pages, layer for layer: the same numbers from the same seed, the same names of
// parameters, "layer0/W_i", and the same checkpoints. It infers, and does not learn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <sluice/cell/named_net.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/model_cell.hpp>
#include <sluice/net/starts.hpp>
#include <sluice/net/steps.hpp>
#include <sluice/parameter/parameter_reference.hpp>
#include <sluice/sequence/stack_base.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// The parameters of a model by their names in it.
template <class S>
class model_parameters {
public:
    using scalar_type = S;

    model_parameters() = default;
    /// Zeros.
    explicit model_parameters(std::vector<tensor_place> all) : array_(std::move(all)) {}

    std::span<S> values() { return array_.values(); }
    std::span<S const> values() const { return array_.values(); }
    arena<S> const& array() const { return array_; }
    /// `std::invalid_argument` for a name that is not there.
    parameter_reference<S const> operator[](std::string_view called) const& {
        array_.require("the map of parameters");
        tensor_place const& place = array_.places()[array_.place_of(called)];
        return {place.in(array_.values()), place.shape()};
    }

private:
    arena<S> array_{};
};

namespace detail {

/// What a model's base refers to.
template <class S, class Kernels>
struct model_parts {
    struct list {
        std::vector<net_page<S, Kernels>> pages{};
        std::vector<typename model_cell<S, Kernels>::program> inference{}, step{};
        std::vector<start_rule> starts{};
        std::vector<std::string_view> texts{}, expanded{};
    };
    std::shared_ptr<list> parts;

    model_parts(std::vector<model_cell<S, Kernels>> const& known, std::vector<model_layer> const& layers) {
        auto made = std::make_shared<list>();
        for (model_layer const& layer : layers) {
            auto const& of = cell_called(layer.cell, known);
            made->pages.push_back(of.page);
            made->inference.push_back(of.inference);
            made->step.push_back(of.step);
            made->starts.push_back(of.starts);
            made->texts.push_back(of.text);
            made->expanded.push_back(of.expanded);
        }
        if (layers.empty())
            fail<std::invalid_argument>({"a model expects at least one layer, but was given none"});
        parts = std::move(made);
    }
};

/// States have no names in the type of a model.
template <class S>
struct states_of_model {};

} // namespace detail

template <class S, class Kernels>
class model_net : detail::model_parts<S, Kernels>,
                  public named_net<stack_base<S, Kernels>, model_parameters<S>, detail::states_of_model<S>> {
    using parts_type = detail::model_parts<S, Kernels>;
    using base = named_net<stack_base<S, Kernels>, model_parameters<S>, detail::states_of_model<S>>;

public:
    using typename base::memory_type;

    /// Layers in order, of cells that the program has; `numbers` are the settings of all layers that have
    /// them. Throws `std::invalid_argument` as a stack does, for no layers, for a cell that the program has
    /// not, and for another number of parameters than is expected, before there is memory for them.
    model_net(std::vector<model_cell<S, Kernels>> const& known, std::vector<model_layer> const& layers,
              settings const& numbers = {}, seed from = {}, std::optional<std::size_t> expected = {})
        : parts_type(known, layers), base(this->parts->pages, false, stack_options{}, nullptr) {
        std::vector<sizes> given;
        for (model_layer const& layer : layers)
            given.push_back(layer.extents);
        this->add_layers({}, given, numbers);
        std::vector<tensor_place> all;
        this->lay_out(all);
        require_count(all, expected);
        for (std::size_t l = 0; l < layers.size(); ++l)
            if (auto const* const step = detail::step_of_sizes(cell_called(layers[l].cell, known),
                                                               this->as_net().layers[l].ways[0].extents))
                this->parts->step[l] = *step;
        this->parameters_ = model_parameters<S>(std::move(all));
        this->start(this->parts->starts, from, this->parameters_.values());
    }

    /// Gives one parameter new values, [its shape] side by side, by its name. Throws `std::invalid_argument`
    /// for a name that is not there and another number of values; nothing changes then.
    void assign(std::string_view called, std::span<double const> values) {
        this->require();
        auto const& array = this->parameters_.array();
        tensor_place const place = array.places()[array.place_of(called)];
        if (values.size() != place.count())
            fail<std::invalid_argument>(
                {"assign expects ", place.count(), " values for ", called, ", but got ", values.size()});
        auto const to = place.in(this->parameters_.values());
        for (std::size_t i = 0; i < values.size(); ++i)
            to[i] = rounded<S>(values[i]);
        this->parameter_changed(called, this->parameters_.values());
    }

    /// A state starts at these numbers in every row, by its name, "layer0/c". Throws `std::invalid_argument`
    /// for a name that is not there, another number of values, and values that are not finite.
    void start_at(std::string_view called, std::span<double const> values) {
        auto const& places = this->as_net().places;
        for (std::size_t k = 0; k < places.size(); ++k) {
            if (places[k].called != called)
                continue;
            if (values.size() != places[k].width)
                fail<std::invalid_argument>({"start_at expects ", places[k].width, " values for ", called,
                                             ", but got ", values.size()});
            std::vector<S> row;
            for (double const value : values) {
                detail::require_finite(called, value);
                row.push_back(rounded<S>(value));
            }
            starts_.resize(places.size());
            starts_[k] = std::move(row);
            return;
        }
        fail<std::invalid_argument>({"start_at expects the name of a state, such as ",
                                     places.empty() ? "layer0/h" : places[0].called, ", but got '",
                                     called.substr(0, 60), "'"});
    }

    /// The outputs [time, batch, output] of xs [time, batch, input], from the states that the equations start
    /// at, or start_at said. May run on several threads at once. Throws `std::invalid_argument` for another
    /// width.
    xt::xtensor<S, 3> infer(xt::xtensor<S, 3> xs) const {
        this->check_parameters("infer");
        if (xs.shape()[2] != this->input_size())
            fail<std::invalid_argument>({"a model expects xs of shape [time, batch, ", this->input_size(),
                                         "], but got ", detail::extents_in(xs.shape())});
        auto const& of = this->as_net();
        std::span<S const> const numbers = this->parameters_.values();
        net_sequence<memory_type> given{.states = starts(xs.shape()[1])};
        given.inputs.push_back(std::move(xs));
        return of.infer(this->parts->inference, numbers, std::move(given)).outputs;
    }

    /// Steps of a batch, which give their outputs at `output`, [batch, output], from the start states. The
    /// model stays where it is as long.
    net_steps<memory_type> steps(std::size_t batch, S* output) const {
        this->check_parameters("a stream");
        std::span<S const> const numbers = this->parameters_.values();
        net_steps<memory_type> made(this->as_net(), this->parts->step, numbers, batch, output);
        restart(made, batch);
        return made;
    }
    /// Back to the start states. Allocates.
    void restart(net_steps<memory_type>& live, std::size_t batch) const {
        auto const states = starts(batch);
        for (std::size_t k = 0; k < states.size(); ++k)
            live.set_state(k, states[k].data(), 0, batch);
    }

    /// Numbers of its states, of one row.
    std::size_t state_count() const {
        std::size_t count = 0;
        for (auto const& place : this->as_net().places)
            count += place.rows * place.width;
        return count;
    }

    /// What checkpoints compare: that of the stack of the same pages.
    std::string equations_text() const { return this->equations_of(this->parts->expanded); }
    /// Its layers, their widths and equations, as print has them of a stack.
    std::string text() const { return this->printed(this->parts->texts); }

private:
    static void require_count(std::vector<tensor_place> const& all, std::optional<std::size_t> expected) {
        double count = 0; // more than an array can have is counted as well
        for (tensor_place const& place : all)
            count += static_cast<double>(place.extents[0]) * static_cast<double>(place.extents[1]) *
                     static_cast<double>(place.extents[2]);
        if (expected && count != static_cast<double>(*expected))
            fail<std::invalid_argument>(
                {"layers of these sizes have ", count, " parameters, but the model is given ", *expected});
    }

    std::vector<std::vector<S>> starts_{}; // of each state; none: where the equations start it

    std::vector<typename memory_type::tensor> starts(std::size_t batch) const {
        auto states = start_states(this->as_net(), std::span<S const>(this->parameters_.values()), batch);
        for (std::size_t k = 0; k < starts_.size(); ++k)
            for (std::size_t b = 0; b < batch && !starts_[k].empty(); ++b)
                std::copy(starts_[k].begin(), starts_[k].end(),
                          states[k].begin() + static_cast<std::ptrdiff_t>(b * starts_[k].size()));
        return states;
    }
};

template <class S, class Kernels>
model_net(std::vector<model_cell<S, Kernels>>, std::vector<model_layer>) -> model_net<S, Kernels>;

} // namespace sluice
