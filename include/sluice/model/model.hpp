// SPDX-License-Identifier: BSL-1.0
// A model of a file, as a value: copies share what never changes. Several streams of it may run, each on a
// thread of its own.
//
//   auto const known = sluice::model_cells<float, sluice::lstm, sluice::cudnn_gru, sluice::dense>();
//   sluice::model const amp(sluice::read_description("amp.nam"), known);
//   sluice::model_stream live = amp.stream();
//   live.process(in, out);           // samples; allocates nothing
//
//   y_t = net(x_t)  (+ the first input, where the file says so)
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/model_net.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

template <class S, class Kernels>
class model_stream;

template <class S, class Kernels>
class model {
public:
    using stream_type = model_stream<S, Kernels>;

    /// Throws as make_model does.
    model(described_model const& from, std::vector<model_cell<S, Kernels>> const& known)
        : body_(std::make_shared<body const>(
              body{make_model(from, known), from.source, from.adds_input, from.sample_rate})) {}

    std::size_t input_size() const { return body_->net.input_size(); }
    std::size_t output_size() const { return body_->net.output_size(); }
    std::size_t parameter_count() const { return body_->net.parameter_count(); }
    /// At which it learned, in Hz; 0 where the file does not say.
    double sample_rate() const { return body_->sample_rate; }
    model_net<S, Kernels> const& net() const { return body_->net; }

    /// xs [time, batch, input] -> [time, batch, output], from the start of the model. Throws
    /// `std::invalid_argument` for another width.
    xt::xtensor<S, 3> infer(xt::xtensor<S, 3> const& xs) const {
        xt::xtensor<S, 3> ys = body_->net.infer(xs);
        if (body_->adds_input)
            for (std::size_t row = 0; row < xs.shape()[0] * xs.shape()[1]; ++row)
                body_->add_input(xs.data() + row * input_size(), ys.data() + row * output_size());
        return ys;
    }

    /// Throws `std::invalid_argument` for a batch that no array can have.
    stream_type stream(std::size_t batch = 1) const { return stream_type(*this, batch); }

    /// For people: where it is from, its sizes, layers and equations.
    std::string describe() const {
        std::string text;
        append({body_->source, "\n", input_size(), input_size() == 1 ? " input, " : " inputs, ",
                output_size(), output_size() == 1 ? " output" : " outputs",
                body_->adds_input ? ", to which the first input is added" : "", ", ", parameter_count(),
                " parameters\n"},
               text);
        if (body_->sample_rate > 0)
            append({"it learned at ", body_->sample_rate, " Hz\n"}, text);
        return text + body_->net.text();
    }

private:
    friend stream_type;
    struct body {
        model_net<S, Kernels> net;
        std::string source;
        bool adds_input;
        double sample_rate;

        void add_input(S const* x, S* y) const {
            for (std::size_t i = 0; i < net.output_size(); ++i)
                y[i] += x[0];
        }
    };
    std::shared_ptr<body const> body_;
};

/// A model that runs step by step, and holds its state. It keeps the model.
template <class S, class Kernels>
class model_stream {
public:
    model_stream(model<S, Kernels> const& of, std::size_t batch)
        : body_(of.body_), batch_(batch), output_(count_of_outputs(of, batch)),
          steps_(body_->net.steps(batch, output_.data())) {}
    model_stream(model_stream&&) noexcept = default;
    model_stream& operator=(model_stream&&) noexcept = default;

    std::size_t batch() const { return batch_; }

    /// x [batch, input] -> [batch, output], there until the next step. Allocates nothing. Throws
    /// `std::invalid_argument` for another number of values.
    std::span<S const> step(std::span<S const> x) {
        std::size_t const inputs = body_->net.input_size(), outputs = body_->net.output_size();
        if (x.size() != batch_ * inputs)
            fail<std::invalid_argument>({"a step of a model expects ", batch_ * inputs,
                                         " numbers, [batch, input], but got ", x.size()});
        steps_.step(x.data());
        if (body_->adds_input)
            for (std::size_t b = 0; b < batch_; ++b)
                body_->add_input(x.data() + b * inputs, output_.data() + b * outputs);
        return output_;
    }
    /// Steps one after the other: in [time, batch, input], out [time, batch, output], which may be the same
    /// place where both are as wide. Allocates nothing. Throws `std::invalid_argument` where the two are not
    /// whole steps, and as many.
    void process(std::span<S const> in, std::span<S> out) {
        std::size_t const width = batch_ * body_->net.input_size(), high = output_.size();
        std::size_t const steps = width == 0 ? 0 : in.size() / width;
        if (in.size() != steps * width || out.size() != steps * high)
            fail<std::invalid_argument>({"process expects whole steps, of ", width, " numbers in and ", high,
                                         " out, and as many of both, but got ", in.size(), " and ",
                                         out.size()});
        for (std::size_t t = 0; t < steps; ++t) {
            auto const y = step(in.subspan(t * width, width));
            std::copy(y.begin(), y.end(), out.begin() + static_cast<std::ptrdiff_t>(t * high));
        }
    }
    /// Back to the start. Allocates.
    void reset() { body_->net.restart(steps_, batch_); }

private:
    using body = typename model<S, Kernels>::body;

    static std::size_t count_of_outputs(model<S, Kernels> const& of, std::size_t batch) {
        detail::require_count("the outputs of a step", {batch, of.output_size()});
        detail::require_count("the inputs of a step", {batch, of.input_size()});
        return batch * of.output_size();
    }

    std::shared_ptr<body const> body_;
    std::size_t batch_;
    std::vector<S> output_;
    net_steps<host_memory<S, Kernels>> steps_;
};

template <class S, class Kernels>
model(described_model, std::vector<model_cell<S, Kernels>>) -> model<S, Kernels>;

} // namespace sluice
