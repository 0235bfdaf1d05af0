// SPDX-License-Identifier: BSL-1.0
// Engines that sum their steps, so that all numbers of a net of them can be worked out by hand.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <sluice/backend/kernels.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/net.hpp>
#include <utility>
#include <vector>

namespace net_test {

using kernels = sluice::no_kernels;
using memory = sluice::host_memory<double, kernels>;
using engine = sluice::engine<double, kernels>;
using net_type = sluice::net<memory>;
using tensor = memory::tensor;
using engine_sequence = sluice::engine_sequence<double>;
using engine_gradients = sluice::engine_gradients<double>;
using steps = std::vector<double>;

/// What the fakes of a net were asked for.
struct calls {
    std::vector<std::size_t> resets{}, lengths{};
    int refreshed = 0, inferred = 0;
    double parameter = 0;
};

/// y_t = factor (x_0 + .. + x_t), and the state is the number of steps. The gradient of x is that of the
/// outputs times 10, that of the state one more, and that of each parameter 1.
class summing final : public engine {

public:
    summing(std::size_t width, double factor, calls& seen) : width_(width), factor_(factor), seen_(&seen) {}
    std::shared_ptr<engine> copy() const override { return std::make_shared<summing>(*this); }
    void refresh(numbers const&) override { ++seen_->refreshed; }
    void infer(program const&, numbers const& cell, engine_sequence const& given) const override {
        ++seen_->inferred;
        run(cell, given);
    }
    tape forward(program const&, numbers const& cell, engine_sequence const& given) const override {
        run(cell, given);
        return std::make_shared<std::size_t>(given.steps * given.rows.batch);
    }
    void backward(program const&, numbers const& cell, tape const& of,
                  engine_gradients const& found) const override {
        std::size_t const rows = *static_cast<std::size_t const*>(of.get());
        for (double* const to : found.inputs)
            for (std::size_t i = 0; i < rows * width_; ++i)
                to[i] = 10 * found.outputs[i];
        for (std::size_t k = 0; k < found.states.size(); ++k)
            found.states[k][0] = found.final_states[k][0] + 1;
        for (auto const& place : cell.places)
            for (double& number : place.in(found.parameters))
                number = 1;
    }

    std::unique_ptr<sluice::stepper<double>> prepare(program const&, numbers const&, std::size_t batch,
                                                     std::vector<double const*> const& inputs,
                                                     double* output) const override {
        return std::make_unique<steps_of_sum>(batch * width_, factor_, inputs, output);
    }
    void refresh(numbers const& cell, sluice::stepper<double>&) const override {
        seen_->parameter = cell.parameters[0];
    }

private:
    std::size_t width_;
    double factor_;
    calls* seen_;

    /// Its state is the sum of the first row so far.
    class steps_of_sum final : public sluice::stepper<double> {
    public:
        steps_of_sum(std::size_t count, double factor, std::vector<double const*> inputs, double* output)
            : sums_(count), factor_(factor), inputs_(std::move(inputs)), output_(output) {}
        void set_state(std::size_t, double const* from, std::size_t first, std::size_t last) override {
            for (std::size_t row = first; row < last; ++row)
                sums_[row] = from[row];
        }
        void copy_state(std::size_t, double* to) const override { std::ranges::copy(sums_, to); }
        void step(double const* first) override {
            for (std::size_t i = 0; i < sums_.size(); ++i)
                output_[i] = sums_[i] += factor_ * first[i] + (inputs_.size() > 1 ? inputs_[1][i] : 0);
        }

    private:
        std::vector<double> sums_;
        double factor_;
        std::vector<double const*> inputs_;
        double* output_;
    };

    void run(numbers const& cell, engine_sequence const& given) const {
        auto const& rows = given.rows;
        seen_->lengths.assign(rows.lengths.begin(), rows.lengths.end());
        for (std::size_t i = 0; i < rows.resets.size(); ++i)
            if (rows.resets[i])
                seen_->resets.push_back(i);
        seen_->parameter = cell.places.empty() ? 0 : cell.places[0].in(cell.parameters)[0];
        std::size_t const of_step = rows.batch * width_;
        for (std::size_t i = 0; i < given.steps * of_step; ++i)
            given.outputs[i] = factor_ * given.inputs[0][i] + (i >= of_step ? given.outputs[i - of_step] : 0);
        for (std::size_t k = 0; k < given.states.size(); ++k)
            *given.final_states[k] = *given.states[k] + static_cast<double>(given.steps);
    }
};

inline sluice::net_layer<memory> layer_of(std::size_t width, calls& seen, bool is_reversed = false,
                                          std::size_t ways = 1,
                                          std::vector<sluice::tensor_place> const& places = {}) {
    sluice::net_layer<memory> made;
    for (std::size_t d = 0; d < ways; ++d) {
        auto& way = made.ways.emplace_back();
        way.runs = std::make_shared<summing>(width, 1, seen);
        way.places = places;
        way.widths = {width};
    }
    made.is_reversed = is_reversed;
    made.input = made.output = width;
    return made;
}
/// [steps, batch, width]: step t of row b is 10 t + b, each feature 100 more.
inline tensor numbered(std::size_t time, std::size_t batch, std::size_t width) {
    auto xs = memory::make(time, batch, width);
    for (std::size_t t = 0; t < time; ++t)
        for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t k = 0; k < width; ++k)
                xs(t, b, k) = static_cast<double>(10 * t + b + 100 * k);
    return xs;
}
inline steps row_of(tensor const& xs, std::size_t b, std::size_t k = 0) {
    steps all;
    for (std::size_t t = 0; t < xs.shape()[0]; ++t)
        all.push_back(xs(t, b, k));
    return all;
}
inline sluice::net_sequence<memory> on(tensor xs, std::vector<std::size_t> lengths = {}) {
    sluice::net_sequence<memory> made{.lengths = std::move(lengths)};
    made.inputs.push_back(std::move(xs));
    return made;
}
inline std::array<engine::program, 1> const nothing{};

} // namespace net_test
