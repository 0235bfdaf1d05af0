// SPDX-License-Identifier: BSL-1.0
// A net of a file, as a value. No page and no kernel stands in its type, so that a program that runs models
// compiles none: the library sluice::models has them.
//
//   sluice::model<float> const amp = sluice::read_model("amp.nam");     // <sluice/model/read_model.hpp>
//   auto live = amp.stream();
//   live.process(in, out);           // samples; allocates nothing
//
//   y_t = net(x_t)  (+ a times the first input, where the file says so)
//
// Copies share what never changes. Several streams of a model may run, each on a thread of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// The steps of a model: a net's (model/model_of_net.hpp).
template <class S>
class model_steps {
public:
    virtual ~model_steps() = default;
    /// x [batch, input]; the outputs lie where they were told to be. Allocates nothing.
    virtual void step(S const* x) = 0;
    /// Back to the start. Allocates.
    virtual void reset() = 0;
};

/// What a model is, once it is read.
template <class S>
class model_body {
public:
    std::size_t input_size = 0, output_size = 0, parameter_count = 0;
    std::string description{};
    S adds_input = 0; ///< so many times the first input
    double sample_rate = 0;

    virtual ~model_body() = default;
    virtual xt::xtensor<S, 3> infer(xt::xtensor<S, 3> const& xs) const = 0;
    /// Steps that put their outputs there, [batch, output].
    virtual std::unique_ptr<model_steps<S>> steps(std::size_t batch, S* output) const = 0;

    void add_input(S const* x, S* y) const noexcept {
        for (std::size_t i = 0; i < output_size; ++i)
            y[i] += adds_input * x[0];
    }
};

} // namespace detail

/// A model that runs step by step, and holds its state. It keeps the model.
template <class S>
class model_stream {
public:
    using scalar_type = S;

    model_stream(model_stream&&) noexcept = default;
    model_stream& operator=(model_stream&&) noexcept = default;

    std::size_t batch() const { return batch_; }
    std::size_t input_size() const { return own().input_size; }
    std::size_t output_size() const { return own().output_size; }

    /// x [batch, input] -> [batch, output], there until the next step. Allocates nothing. Throws
    /// `std::invalid_argument` for another number of values.
    std::span<S const> step(std::span<S const> x) {
        if (std::size_t const width = own().input_size * batch_; x.size() != width)
            fail<std::invalid_argument>(
                {"a step of a model expects ", width, " numbers, [batch, input], but got ", x.size()});
        run(x.data());
        return output_;
    }
    /// Steps one after the other: in [time, batch, input], out [time, batch, output], which may be the same
    /// place where both are as wide. Allocates nothing. Throws `std::invalid_argument` where the two are not
    /// whole steps, and as many; nothing is run then.
    void process(std::span<S const> in, std::span<S> out) {
        std::size_t const width = batch_ * own().input_size, high = output_.size();
        std::size_t const steps = width == 0 ? 0 : in.size() / width;
        if (in.size() != steps * width || out.size() != steps * high)
            fail<std::invalid_argument>({"process expects whole steps, of ", width, " numbers in and ", high,
                                         " out, and as many of both, but got ", in.size(), " and ",
                                         out.size()});
        for (std::size_t t = 0; t < steps; ++t) {
            run(in.data() + t * width);
            std::copy(output_.begin(), output_.end(), out.begin() + static_cast<std::ptrdiff_t>(t * high));
        }
    }
    /// Back to the start. Allocates.
    void reset() {
        own();
        steps_->reset();
    }

private:
    template <class>
    friend class model;

    model_stream(std::shared_ptr<detail::model_body<S> const> of, std::size_t batch)
        : body_(std::move(of)), batch_(batch), output_(batch * body_->output_size),
          steps_(body_->steps(batch, output_.data())) {}

    detail::model_body<S> const& own() const {
        if (!body_)
            fail<std::logic_error>({"a stream of a model", detail::was_moved_from});
        return *body_;
    }
    void run(S const* x) {
        steps_->step(x);
        if (body_->adds_input != 0)
            for (std::size_t b = 0; b < batch_; ++b)
                body_->add_input(x + b * body_->input_size, output_.data() + b * body_->output_size);
    }

    std::shared_ptr<detail::model_body<S> const> body_;
    std::size_t batch_;
    std::vector<S> output_;
    std::unique_ptr<detail::model_steps<S>> steps_;
};

template <class S>
class model {
public:
    using scalar_type = S;

    /// Of a net: make_model and read_model do this.
    explicit model(std::shared_ptr<detail::model_body<S> const> of) : body_(std::move(of)) { own(); }

    std::size_t input_size() const { return own().input_size; }
    std::size_t output_size() const { return own().output_size; }
    std::size_t parameter_count() const { return own().parameter_count; }
    /// At which it learned, in Hz; 0 where the file does not say.
    double sample_rate() const { return own().sample_rate; }
    /// For people: where it is from, its sizes, layers and equations.
    std::string const& describe() const { return own().description; }

    /// xs [time, batch, input] -> [time, batch, output], from the start of the model. May run on several
    /// threads at once. Throws `std::invalid_argument` for another width.
    xt::xtensor<S, 3> infer(xt::xtensor<S, 3> const& xs) const {
        detail::require_numbers("xs", xs);
        xt::xtensor<S, 3> ys = own().infer(xs);
        if (body_->adds_input != 0)
            for (std::size_t row = 0; row < xs.shape()[0] * xs.shape()[1]; ++row)
                body_->add_input(xs.data() + row * input_size(), ys.data() + row * output_size());
        return ys;
    }

    /// Throws `std::invalid_argument` for a batch that no array can have.
    model_stream<S> stream(std::size_t batch = 1) const {
        detail::require_count("the outputs of a step", {batch, output_size()});
        detail::require_count("the inputs of a step", {batch, input_size()});
        return model_stream<S>(body_, batch);
    }

private:
    detail::model_body<S> const& own() const {
        if (!body_)
            fail<std::logic_error>({"a model", detail::was_moved_from});
        return *body_;
    }

    std::shared_ptr<detail::model_body<S> const> body_;
};

} // namespace sluice
