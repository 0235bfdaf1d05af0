// SPDX-License-Identifier: BSL-1.0
// The engine (net/engine.hpp) of layers that are cuDNN's: one call of its RNN (cudnn/rnn/rnn_network.hpp),
// between addresses of the device. Sequences that cuDNN does not run, those with resets and those of more
// than 65,535 steps, go to another engine, and so do those of one layer that are faster there.
// All that is asked of it is asked while its queue's lock is held.
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/cudnn/rnn/resident_weights.hpp>
#include <sluice/cudnn/rnn/rnn_network.hpp>
#include <sluice/net/engine.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice::cudnn {

/// Which of the states of a sequence are h and c, in the order of cuDNN's pseudo-layers. `inner` is empty
/// where the cell has no c.
struct network_states {
    std::vector<std::size_t> hidden{}, inner{};
};

template <class S, class Kernels>
class network_engine final : public engine<S, Kernels> {
    using base = engine<S, Kernels>;

public:
    using typename base::numbers, typename base::program, typename base::tape;

    /// Without another engine, callers ask only for sequences that it `runs`, and for no single steps.
    network_engine(rnn_shape const& shape, rnn_network network, weight_map<S> map, network_states states,
                   std::shared_ptr<base> other = {})
        : shape_(shape), network_(std::move(network)), map_(std::move(map)), states_(std::move(states)),
          other_(std::move(other)) {}

    /// cuDNN takes no more steps (cudnnSetRNNDataDescriptor answers NOT_SUPPORTED; seen in 9.19), and has no
    /// resets.
    bool runs(std::size_t steps, bool has_resets) const override { return steps <= 65535 && !has_resets; }

    /// Has to be refreshed before it runs.
    std::shared_ptr<base> copy() const override {
        return std::make_shared<network_engine>(shape_, network_, map_, states_,
                                                other_ ? other_->copy() : nullptr);
    }
    void refresh(numbers const& net) override {
        if (!map_.is_identity()) {
            weights_.grow(*with_.work(), map_.size() * sizeof(S));
            map_.to_weights(with_, net.parameters.data(), static_cast<S*>(weights_.data()));
        }
        if (other_)
            other_->refresh(net);
    }

    void infer(program const& inference, numbers const& net, engine_sequence<S> const& given) const override {
        if (is_for_other(given, false))
            return other_->infer(inference, net, given);
        run(given, [&](rnn_sequence const& from, rnn_answer const& to) {
            network_.infer(shape_, weights(net), from, to);
        });
    }
    tape forward(program const& forward, numbers const& net, engine_sequence<S> const& given) const override {
        auto made = std::make_shared<memory>();
        if (is_for_other(given, true)) {
            made->of_other = other_->forward(forward, net, given);
            return made;
        }
        made->kept = rnn_tape::of_nothing(given.steps, given.rows.batch);
        run(given, [&](rnn_sequence const& from, rnn_answer const& to) {
            made->kept = network_.forward(shape_, weights(net), from, to, given.seed);
        });
        return made;
    }
    void backward(program const& backward, numbers const& net, tape const& of,
                  engine_gradients<S> const& found) const override {
        memory const& m = *static_cast<memory const*>(of.get());
        if (m.of_other)
            return other_->backward(backward, net, m.of_other, found);
        auto const& kept = *m.kept;
        clear(net.places, found.parameters); // as what follows is added
        std::size_t const batch = kept.request.batch;
        if (kept.is_of_nothing())
            return copy_states(batch, found.final_states, found.states);
        void* of_weights = found.parameters.data();
        queue::block own;
        if (!map_.is_identity()) {
            own = queue::block(*with_.work(), map_.size() * sizeof(S));
            of_weights = own.data();
            with_.clear(1, map_.size(), static_cast<S*>(of_weights), map_.size());
        }
        joined const h = gathered(found.final_states, states_.hidden, of_hidden(batch)),
                     c = gathered(found.final_states, states_.inner, of_inner(batch)),
                     dh = room_for(found.states, states_.hidden, of_hidden(batch)),
                     dc = room_for(found.states, states_.inner, of_inner(batch));
        rnn_upstream const given{found.outputs, h.data, c.data}; // without names, which nvcc 13 garbles here
        rnn_gradients const wanted{found.inputs.empty() ? nullptr : found.inputs[0], dh.data, dc.data,
                                   of_weights};
        network_.backward(kept, weights(net), given, wanted);
        scatter(dh, found.states, states_.hidden, of_hidden(batch));
        scatter(dc, found.states, states_.inner, of_inner(batch));
        if (!map_.is_identity())
            map_.add_gradients(with_, static_cast<S const*>(of_weights), found.parameters.data());
    }

    /// cuDNN has no steps; the other engine does.
    std::unique_ptr<stepper<S>> prepare(program const& inference, numbers const& net, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override {
        return other_->prepare(inference, net, batch, inputs, output);
    }
    void refresh(numbers const& net, stepper<S>& steps) const override { other_->refresh(net, steps); }

private:
    struct memory {
        std::shared_ptr<rnn_tape const> kept{};
        tape of_other{}; ///< instead, where the other engine ran the sequence
    };
    /// States one after the other: where they lie, or in memory of their own.
    struct joined {
        S* data = nullptr;
        queue::block own{};
    };
    rnn_shape shape_;
    rnn_network network_;
    weight_map<S> map_;
    network_states states_;
    kernels with_{};
    queue::block weights_{};
    std::shared_ptr<base> other_;

    /// What cuDNN does not run, and what runs faster there.
    bool is_for_other(engine_sequence<S> const& given, bool training) const {
        bool const has_lengths = !given.rows.lengths.empty();
        rnn_demands const demands{given.steps, given.rows.batch, has_lengths,
                                  training}; // a variable for nvcc 13
        return !runs(given.steps, !given.rows.resets.empty()) ||
               (other_ && network_.is_faster_generated(shape_, demands));
    }
    void const* weights(numbers const& net) const {
        return map_.is_identity() ? net.parameters.data() : weights_.data();
    }

    /// Zeros in all places, side by side as far as they lie so.
    void clear(std::span<tensor_place const> places, std::span<S> all) const {
        for (std::size_t i = 0; i < places.size();) {
            std::size_t const first = places[i].first;
            std::size_t end = first;
            for (; i < places.size() && places[i].first == end; ++i)
                end += places[i].count();
            with_.clear(1, end - first, all.data() + first, end - first);
        }
    }
    /// The numbers of each of the states.
    std::size_t of_hidden(std::size_t batch) const {
        return shape_.pseudo_layers() / states_.hidden.size() * batch * shape_.projection;
    }
    std::size_t of_inner(std::size_t batch) const {
        return states_.inner.empty() ? 0
                                     : shape_.pseudo_layers() / states_.inner.size() * batch * shape_.units;
    }
    void copy(std::size_t count, S const* from, S* to) const { with_.copy(1, count, from, count, to, count); }
    template <class T>
    joined room_for(std::vector<T*> const& all, std::vector<std::size_t> const& which,
                    std::size_t count) const {
        if (which.empty())
            return {};
        if (which.size() == 1)
            return {const_cast<S*>(all[which[0]])};
        joined made{nullptr, queue::block(*with_.work(), which.size() * count * sizeof(S))};
        made.data = static_cast<S*>(made.own.data());
        return made;
    }
    joined gathered(std::vector<S const*> const& all, std::vector<std::size_t> const& which,
                    std::size_t count) const {
        joined made = room_for(all, which, count);
        for (std::size_t i = 0; i < which.size() && which.size() > 1; ++i)
            copy(count, all[which[i]], made.data + i * count);
        return made;
    }
    void scatter(joined const& from, std::vector<S*> const& all, std::vector<std::size_t> const& which,
                 std::size_t count) const {
        for (std::size_t i = 0; i < which.size() && which.size() > 1; ++i)
            copy(count, from.data + i * count, all[which[i]]);
    }
    void copy_states(std::size_t batch, std::vector<S const*> const& from, std::vector<S*> const& to) const {
        for (std::size_t const k : states_.hidden)
            copy(of_hidden(batch), from[k], to[k]);
        for (std::size_t const k : states_.inner)
            copy(of_inner(batch), from[k], to[k]);
    }

    /// call(sequence, answer), unless there are no numbers.
    template <class Call>
    void run(engine_sequence<S> const& given, Call const& call) const {
        std::size_t const batch = given.rows.batch;
        if (given.steps == 0 || batch == 0)
            return copy_states(batch, given.states, given.final_states);
        joined const h = gathered(given.states, states_.hidden, of_hidden(batch)),
                     c = gathered(given.states, states_.inner, of_inner(batch)),
                     h_end = room_for(given.final_states, states_.hidden, of_hidden(batch)),
                     c_end = room_for(given.final_states, states_.inner, of_inner(batch));
        call({.steps = given.steps,
              .batch = batch,
              .lengths = given.rows.lengths,
              .x = given.inputs[0],
              .h = h.data,
              .c = c.data},
             {.y = given.outputs, .h = h_end.data, .c = c_end.data});
        scatter(h_end, given.final_states, states_.hidden, of_hidden(batch));
        scatter(c_end, given.final_states, states_.inner, of_inner(batch));
    }
};

} // namespace sluice::cudnn
