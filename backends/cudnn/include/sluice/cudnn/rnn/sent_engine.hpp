// SPDX-License-Identifier: BSL-1.0
// An engine (net/engine.hpp) between addresses of the host around one of the device: what it is given is
// sent, run, and fetched. The inner engine has the parameters in an array of their own, side by side; they
// are sent when they are needed for the first time after they have changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sluice/cudnn/rnn/rnn_memory.hpp>
#include <sluice/cudnn/runtime/queue.hpp>
#include <sluice/net/engine.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice::cudnn {

/// Numbers that a sequence has for each row of the batch, of a state all rows of the layers together.
struct sent_widths {
    std::vector<std::size_t> inputs{}, states{};
    std::size_t output = 0;
};

template <class S, class Kernels>
class sent_engine final : public engine<S, Kernels> {
    using base = engine<S, Kernels>;

public:
    using typename base::numbers, typename base::program, typename base::tape;

    /// `make(places, count)` makes the inner engine, of parameters that lie there among so many numbers.
    template <class Make>
    sent_engine(sent_widths widths, std::span<tensor_place const> places, Make const& make)
        : widths_(std::move(widths)), places_(places.begin(), places.end()),
          count_(sluice::detail::lay_out(places_)),
          inner_(make(std::span<tensor_place const>(places_), count_)) {}

    std::shared_ptr<base> copy() const override {
        return std::make_shared<sent_engine>(
            widths_, places_, [this](std::span<tensor_place const>, std::size_t) { return inner_->copy(); });
    }
    bool runs(std::size_t steps, bool has_resets) const override { return inner_->runs(steps, has_resets); }
    void refresh(numbers const&) override { is_stale_ = true; }

    void infer(program const& inference, numbers const& cell,
               engine_sequence<S> const& given) const override {
        queue::lock const mine(*work_);
        run(sequence(*this, given), given,
            [&](engine_sequence<S> const& asked) { inner_->infer(inference, sent(cell), asked); });
    }
    tape forward(program const& forward, numbers const& cell,
                 engine_sequence<S> const& given) const override {
        queue::lock const mine(*work_);
        auto made = std::make_shared<sequence>(*this, given);
        run(*made, given, [&](engine_sequence<S> const& asked) {
            made->kept = inner_->forward(forward, sent(cell), asked);
        });
        return made;
    }
    void backward(program const& backward, numbers const& cell, tape const& of,
                  engine_gradients<S> const& found) const override {
        queue::lock const mine(*work_);
        auto const& m = *static_cast<sequence const*>(of.get());
        device_arrays arrays;
        std::vector<std::size_t> ends, states, inputs;
        std::size_t const rows = m.steps * m.batch;
        std::size_t const outputs = arrays.add(rows * widths_.output * sizeof(S));
        for (std::size_t const width : widths_.states) {
            ends.push_back(arrays.add(m.batch * width * sizeof(S)));
            states.push_back(arrays.add(m.batch * width * sizeof(S)));
        }
        for (std::size_t k = 0; k < found.inputs.size(); ++k)
            inputs.push_back(arrays.add(rows * widths_.inputs[k] * sizeof(S)));
        std::size_t const parameters = arrays.add(count_ * sizeof(S));
        arrays.allocate(work_);
        auto const at = [&](std::size_t offset) { return static_cast<S*>(arrays.at(offset)); };

        engine_gradients<S> asked{.outputs = at(outputs), .parameters = {at(parameters), count_}};
        work_->upload(found.outputs, rows * widths_.output * sizeof(S), at(outputs));
        for (std::size_t k = 0; k < states.size(); ++k) {
            work_->upload(found.final_states[k], m.batch * widths_.states[k] * sizeof(S), at(ends[k]));
            asked.final_states.push_back(at(ends[k]));
            asked.states.push_back(at(states[k]));
        }
        for (std::size_t const input : inputs)
            asked.inputs.push_back(at(input));
        inner_->backward(backward, sent(cell), m.kept, asked);

        std::vector<S> gradients(count_);
        fetching all(*work_);
        all.add(at(parameters), count_, gradients.data());
        for (std::size_t k = 0; k < states.size(); ++k)
            all.add(at(states[k]), m.batch * widths_.states[k], found.states[k]);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            all.add(at(inputs[k]), rows * widths_.inputs[k], found.inputs[k]);
        all.wait();
        for (std::size_t i = 0; i < places_.size(); ++i)
            std::ranges::copy(places_[i].in(std::span<S const>(gradients)),
                              cell.places[i].in(found.parameters).begin());
    }
    /// Steps send and fetch for themselves.
    std::unique_ptr<stepper<S>> prepare(program const& inference, numbers const& cell, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override {
        queue::lock const mine(*work_);
        return inner_->prepare(inference, sent(cell), batch, inputs, output);
    }
    void refresh(numbers const& cell, stepper<S>& steps) const override {
        queue::lock const mine(*work_);
        inner_->refresh(sent(cell), steps);
    }

private:
    /// Downloads, and waits for them.
    class fetching {
    public:
        explicit fetching(queue& work) : work_(&work) {}
        fetching(fetching const&) = delete;
        fetching& operator=(fetching const&) = delete;
        /// Nothing may arrive later, when the host's memory is another's.
        ~fetching() {
            if (!is_done_)
                (void)cudaStreamSynchronize(work_->stream());
        }
        void add(S const* from, std::size_t count, S* to) { work_->download(from, count * sizeof(S), to); }
        void wait() {
            work_->wait();
            is_done_ = true;
        }

    private:
        queue* work_;
        bool is_done_ = false;
    };

    /// The inputs and start states of a sequence on the device, and what the inner engine keeps.
    struct sequence {
        std::size_t steps, batch;
        device_arrays arrays{};
        std::vector<S const*> inputs{}, states{};
        tape kept{};

        sequence(sent_engine const& of, engine_sequence<S> const& given)
            : steps(given.steps), batch(given.rows.batch) {
            std::vector<std::size_t> of_inputs, of_states;
            for (std::size_t const width : of.widths_.inputs)
                of_inputs.push_back(arrays.add(steps * batch * width * sizeof(S)));
            for (std::size_t const width : of.widths_.states)
                of_states.push_back(arrays.add(batch * width * sizeof(S)));
            arrays.allocate(of.work_);
            auto const send = [&](S const* from, std::size_t count, std::size_t to) {
                of.work_->upload(from, count * sizeof(S), arrays.at(to));
                return static_cast<S const*>(arrays.at(to));
            };
            for (std::size_t k = 0; k < of_inputs.size(); ++k)
                inputs.push_back(send(given.inputs[k], steps * batch * of.widths_.inputs[k], of_inputs[k]));
            for (std::size_t k = 0; k < of_states.size(); ++k)
                states.push_back(send(given.states[k], batch * of.widths_.states[k], of_states[k]));
        }
    };

    sent_widths widths_;
    std::vector<tensor_place> places_;
    std::size_t count_;
    std::shared_ptr<base> inner_;
    std::shared_ptr<queue> work_ = queue::of_this_thread();
    mutable queue::block parameters_{}; ///< written in the queue's lock
    mutable bool is_stale_ = true;

    /// The cell with its parameters on the device.
    numbers sent(numbers const& cell) const {
        if (is_stale_) {
            std::vector<S> all(count_);
            for (std::size_t i = 0; i < places_.size(); ++i)
                std::ranges::copy(cell.places[i].in(cell.parameters),
                                  places_[i].in(std::span<S>(all)).begin());
            parameters_.grow(*work_, count_ * sizeof(S));
            work_->upload(all.data(), count_ * sizeof(S), parameters_.data());
            inner_->refresh(there(cell));
            is_stale_ = false;
        }
        return there(cell);
    }
    numbers there(numbers const& cell) const {
        return {cell.extents, places_, {static_cast<S const*>(parameters_.data()), count_}, cell.settings};
    }

    /// ask(sequence on the device), and fetches what it gives.
    template <class Ask>
    void run(sequence const& there, engine_sequence<S> const& given, Ask const& ask) const {
        device_arrays arrays;
        std::size_t const rows = there.steps * there.batch;
        std::size_t const outputs = arrays.add(rows * widths_.output * sizeof(S));
        std::vector<std::size_t> states;
        for (std::size_t const width : widths_.states)
            states.push_back(arrays.add(there.batch * width * sizeof(S)));
        arrays.allocate(work_);
        engine_sequence<S> asked{.steps = there.steps,
                                 .rows = given.rows,
                                 .inputs = there.inputs,
                                 .states = there.states,
                                 .outputs = static_cast<S*>(arrays.at(outputs)),
                                 .seed = given.seed};
        for (std::size_t const state : states)
            asked.final_states.push_back(static_cast<S*>(arrays.at(state)));
        ask(asked);
        fetching all(*work_);
        all.add(asked.outputs, rows * widths_.output, given.outputs);
        for (std::size_t k = 0; k < states.size(); ++k)
            all.add(asked.final_states[k], there.batch * widths_.states[k], given.final_states[k]);
        all.wait();
    }
};

} // namespace sluice::cudnn
