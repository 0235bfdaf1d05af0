// SPDX-License-Identifier: BSL-1.0
// A model of a net whose cells the program has compiled itself:
//
//   auto const known = sluice::model_cells<float, my_cell, sluice::dense>();
//   auto const amp = sluice::make_model(sluice::read_description("amp.json"), known);
//   auto const mine = sluice::make_cell_list(known);      // for files that compile no cell
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/model/cell_list.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/model.hpp>
#include <sluice/model/model_net.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// A small file may name sizes for which no machine has memory.
inline void require_states(std::size_t count) {
    if (constexpr std::size_t most = std::size_t(1) << 24; count > most)
        fail<std::invalid_argument>(
            {"the states of a model have at most ", most, " numbers, but those of its layers have ", count});
}

} // namespace detail

/// A net of these layers, without what is added to its outputs. Throws `std::invalid_argument` as model_net
/// and its assign do, for a parameter that is not finite, for equations that are not those of the program's
/// cell, and where a model that has all parameters has others than its layers.
template <class S, class Kernels>
model_net<S, Kernels> make_model_net(described_model const& from,
                                     std::vector<model_cell<S, Kernels>> const& known) {
    std::vector<model_layer> layers;
    std::size_t count = 0;
    for (described_layer const& one : from.layers) {
        if (!one.equations.empty() && cell_called(one.layer.cell, known).text != one.equations)
            fail<std::invalid_argument>(
                {"the cell ", one.layer.cell, " of the model has other equations than ",
                 "that of this program; its layer ", layers.size(), " has\n", one.equations,
                 "\nTo run it with those of the program, take the ", "equations out of the model"});
        layers.push_back(one.layer);
        for (described_parameter const& parameter : one.parameters)
            count += parameter.values.size();
    }
    model_net<S, Kernels> made(known, layers, from.numbers, {},
                               from.is_complete ? std::optional(count) : std::nullopt);
    detail::require_states(made.state_count());
    for (std::size_t l = 0; l < from.layers.size(); ++l)
        for (described_parameter const& one : from.layers[l].parameters) {
            for (double const value : one.values)
                if (!std::isfinite(value))
                    fail<std::invalid_argument>({"a parameter of a model is finite, but ", one.called,
                                                 " of layer ", l, " has the number ", value});
            made.assign("layer" + std::to_string(l) + "/" + one.called, one.values);
        }
    for (described_parameter const& one : from.starts)
        made.start_at(one.called, one.values);
    return made;
}

namespace detail {

template <class S, class Kernels>
class body_of_net final : public model_body<S> {
public:
    body_of_net(described_model const& from, std::vector<model_cell<S, Kernels>> const& known)
        : net_(make_model_net(from, known)) {
        this->input_size = net_.input_size();
        this->output_size = net_.output_size();
        this->parameter_count = net_.parameter_count();
        require_finite("adds_input", from.adds_input);
        this->adds_input = rounded<S>(from.adds_input);
        this->sample_rate = from.sample_rate;
        append({from.source, "\n", this->input_size, this->input_size == 1 ? " input, " : " inputs, ",
                this->output_size, this->output_size == 1 ? " output" : " outputs",
                from.adds_input != 0 ? ", to which the first input is added" : "", ", ",
                this->parameter_count, " parameters\n"},
               this->description);
        if (from.sample_rate > 0)
            append({"it learned at ", from.sample_rate, " Hz\n"}, this->description);
        append({"an output follows from all inputs up to its own, by ", net_.state_count(),
                " numbers of state\n"},
               this->description);
        this->description += net_.text();
    }

    xt::xtensor<S, 3> infer(xt::xtensor<S, 3> const& xs) const override { return net_.infer(xs); }
    std::unique_ptr<model_steps<S>> steps(std::size_t batch, S* output) const override {
        return std::make_unique<steps_of_net>(net_, batch, output);
    }

private:
    class steps_of_net final : public model_steps<S> {
    public:
        steps_of_net(model_net<S, Kernels> const& of, std::size_t batch, S* output)
            : net_(of), batch_(batch), steps_(of.steps(batch, output)) {}
        void step(S const* x) override { steps_.step(x); }
        void reset() override { net_.restart(steps_, batch_); }

    private:
        model_net<S, Kernels> const& net_;
        std::size_t batch_;
        net_steps<host_memory<S, Kernels>> steps_;
    };

    model_net<S, Kernels> net_;
};

template <class S, class Kernels>
class cells_of_program final : public cell_list_body<S> {
public:
    explicit cells_of_program(std::vector<model_cell<S, Kernels>> known) : known_(std::move(known)) {
        for (auto const& one : known_)
            this->cells.emplace_back(one.name, one.text);
    }
    std::shared_ptr<model_body<S> const> make(described_model const& from) const override {
        return std::make_shared<body_of_net<S, Kernels> const>(from, known_);
    }

private:
    std::vector<model_cell<S, Kernels>> known_;
};

} // namespace detail

/// Throws as make_model_net does.
template <class S, class Kernels>
model<S> make_model(described_model const& from, std::vector<model_cell<S, Kernels>> const& known) {
    return model<S>(std::make_shared<detail::body_of_net<S, Kernels> const>(from, known));
}

/// The cells as a value without a kernel in its type.
template <class S, class Kernels>
cell_list<S> make_cell_list(std::vector<model_cell<S, Kernels>> known) {
    return cell_list<S>(std::make_shared<detail::cells_of_program<S, Kernels> const>(std::move(known)));
}

} // namespace sluice
