// SPDX-License-Identifier: BSL-1.0
// What runs a cell, or a whole stack, between addresses of the device. An engine knows no page, so that
// whatever puts layers together is written once for all of them. There are two:
//
//   planned_engine     any cell: its plans (lower/plan_runner.hpp)
//   network_engine     layers that are cuDNN's (cudnn/rnn_network.hpp)
//
// Both derive what they need from the parameters, and do it again when the version of these is another. All
// that is asked of an engine is asked while its queue's turn is held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sluice/cudnn/resident_weights.hpp>
#include <sluice/cudnn/rnn_network.hpp>
#include <sluice/lower/plan_lowering.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice::cudnn {

/// All parameters of a net.
template <class S>
struct engine_parameters {
    S const* values;
    std::size_t count;
    std::uint64_t version;
};

/// A sequence. Inputs are [time, batch, width], with zeros after the end of each row. States are
/// [batch, width], those of all layers [rows, batch, width]. Start and end states lie in different places.
template <class S>
struct engine_sequence {
    std::size_t steps = 0, batch = 0;
    std::span<std::size_t const> lengths{};
    reset_mask resets{};
    std::vector<S const*> inputs{}, states{};
    std::vector<S*> final_states{};
    S* outputs = nullptr;
    std::uint64_t seed = 0; ///< of masks that cuDNN draws
};

/// The gradients of what it gave, and where those of what it was made from are to be put.
template <class S>
struct engine_gradients {
    S* outputs = nullptr; ///< zeros behind the ends of rows
    std::vector<S const*> final_states{};
    std::vector<S*> states{};
    std::vector<S*> inputs{}; ///< none: they are not wanted
    S* parameters = nullptr;  ///< of the net; zeros before
};

template <class S>
class engine {
public:
    /// What backward reads; the inputs and states of the sequence are kept by the caller as long.
    using tape = std::shared_ptr<void const>;

    engine() = default;
    engine(engine const&) = delete;
    engine& operator=(engine const&) = delete;
    virtual ~engine() = default;

    virtual void infer(engine_parameters<S> const&, engine_sequence<S> const&) = 0;
    virtual tape forward(engine_parameters<S> const&, engine_sequence<S> const&) = 0;
    virtual void backward(engine_parameters<S> const&, tape const&, engine_gradients<S> const&) = 0;
};

template <class Page, class S, class Kernels>
class planned_engine final : public engine<S> {
    using second = plans<Page>;
    using kernels = checked_kernels<Kernels, S>;
    using runner = plan_runner<S, kernels>;
    using typename engine<S>::tape;

public:
    /// The places are those of the cell in the array of all parameters.
    planned_engine(sizes const& n, std::span<tensor_place const> places,
                   std::vector<arithmetic_of<S>> settings)
        : extents_(n), places_(places.begin(), places.end()), settings_(std::move(settings)) {}

    void infer(engine_parameters<S> const& all, engine_sequence<S> const& given) override {
        refresh(all);
        run(memory(runner_.pool(), program<sluice::detail::inference_plan<Page>>(), extents_, given), given);
    }
    tape forward(engine_parameters<S> const& all, engine_sequence<S> const& given) override {
        refresh(all);
        auto made = std::make_shared<memory>(runner_.pool(), program<sluice::detail::forward_plan<Page>>(),
                                             extents_, given);
        run(*made, given);
        return made;
    }
    void backward(engine_parameters<S> const& all, tape const& of,
                  engine_gradients<S> const& found) override {
        refresh(all);
        auto const& m = *static_cast<memory const*>(of.get());
        std::size_t const batch = m.run.values.batch;
        for (std::size_t k = 0; k < found.states.size(); ++k) {
            std::size_t const width = extent(passes<Page>::states[static_cast<int>(k)].columns, extents_);
            with().copy(1, batch * width, found.final_states[k], batch * width, found.states[k],
                        batch * width);
        }
        if (passes<Page>::inputs.empty() && !found.inputs.empty()) {
            std::size_t const count = m.run.values.steps * batch * input_width<Page>(0, extents_);
            with().clear(1, count, found.inputs[0], count);
        }
        runner_.backward(numbers(), program<sluice::detail::backward_plan<Page>>(), m.run,
                         {.parameters = {found.parameters, all.count},
                          .places = places_,
                          .inputs = found.inputs,
                          .states = found.states,
                          .outputs = found.outputs,
                          .rows = m.rows()});
    }

private:
    /// A run, and the rows that it refers to.
    struct memory {
        std::vector<std::size_t> lengths;
        reset_mask resets;
        typename runner::run_type run;

        memory(typename runner::pool_type const& pool, sweep_program<S, kernels> const& how, sizes const& n,
               engine_sequence<S> const& given)
            : lengths(given.lengths.begin(), given.lengths.end()), resets(given.resets),
              run(pool, how, n, given.steps, given.batch) {}
        memory(memory const&) = delete;
        memory& operator=(memory const&) = delete;
        row_times rows() const { return {run.values.batch, lengths, resets.values()}; }
    };

    runner runner_{second::graph, passes<Page>::graph, passes<Page>::entries};
    sizes extents_;
    std::vector<tensor_place> places_;
    std::vector<arithmetic_of<S>> settings_;
    std::optional<arena<S>> parameters_{}; ///< on the device: nobody reads its numbers here
    std::uint64_t version_ = 0;

    template <class Holder>
    static sweep_program<S, kernels> program() {
        return sluice::detail::program_of<Holder, S, kernels>();
    }
    kernels const& with() const { return runner_.pool()->kernels(); }
    cell_numbers<S> numbers() const { return {extents_, *parameters_, settings_}; }

    void refresh(engine_parameters<S> const& all) {
        if (parameters_ && version_ == all.version)
            return;
        parameters_.emplace(arena<S>::within({const_cast<S*>(all.values), all.count}, places_));
        runner_.refresh(numbers(), second::graph, second::inference);
        version_ = all.version;
    }
    void run(memory& m, engine_sequence<S> const& given) const {
        runner_.forward(numbers(), m.run,
                        {.inputs = given.inputs,
                         .states = given.states,
                         .final_states = given.final_states,
                         .outputs = given.outputs,
                         .rows = m.rows()});
    }
    void run(memory&& m, engine_sequence<S> const& given) const { run(m, given); }
};

/// Which of the states of a sequence are h and c, in the order of cuDNN's pseudo-layers. `inner` is empty
/// where the cell has no c.
struct network_states {
    std::vector<std::size_t> hidden{}, inner{};
};

template <class S>
class network_engine final : public engine<S> {
    using typename engine<S>::tape;

public:
    network_engine(rnn_shape const& shape, rnn_options const& options, weight_map<S> map,
                   network_states states)
        : shape_(shape), network_(rnn_numbers_of<S>::value, options), map_(std::move(map)),
          states_(std::move(states)) {}

    void infer(engine_parameters<S> const& all, engine_sequence<S> const& given) override {
        run(given, [&](rnn_sequence const& from, rnn_answer const& to) {
            network_.infer_there(shape_, weights(all), from, to);
        });
    }
    tape forward(engine_parameters<S> const& all, engine_sequence<S> const& given) override {
        tape made = rnn_tape::of_nothing(given.steps, given.batch);
        run(given, [&](rnn_sequence const& from, rnn_answer const& to) {
            made = network_.forward_there(shape_, weights(all), from, to, given.seed);
        });
        return made;
    }
    void backward(engine_parameters<S> const& all, tape const& of,
                  engine_gradients<S> const& found) override {
        auto const& kept = *static_cast<rnn_tape const*>(of.get());
        std::size_t const batch = kept.request.batch;
        if (kept.is_of_nothing())
            return copy_states(batch, found.final_states, found.states);
        void* of_weights = found.parameters;
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
        network_.backward_there(kept, weights(all), given, wanted);
        scatter(dh, found.states, states_.hidden, of_hidden(batch));
        scatter(dc, found.states, states_.inner, of_inner(batch));
        if (!map_.is_identity())
            map_.add_gradients(with_, static_cast<S const*>(of_weights), found.parameters);
    }

private:
    /// States one behind the other: where they lie, or in memory of their own.
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
    std::uint64_t version_ = 0;

    void const* weights(engine_parameters<S> const& all) {
        if (map_.is_identity())
            return all.values;
        if (weights_.data() == nullptr || version_ != all.version) {
            weights_.grow(*with_.work(), map_.size() * sizeof(S));
            map_.to_weights(with_, all.values, static_cast<S*>(weights_.data()));
            version_ = all.version;
        }
        return weights_.data();
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
    void run(engine_sequence<S> const& given, Call const& call) {
        std::size_t const batch = given.batch;
        if (given.steps == 0 || batch == 0)
            return copy_states(batch, given.states, given.final_states);
        joined const h = gathered(given.states, states_.hidden, of_hidden(batch)),
                     c = gathered(given.states, states_.inner, of_inner(batch)),
                     h_end = room_for(given.final_states, states_.hidden, of_hidden(batch)),
                     c_end = room_for(given.final_states, states_.inner, of_inner(batch));
        call({.steps = given.steps,
              .batch = batch,
              .lengths = given.lengths,
              .x = given.inputs[0],
              .h = h.data,
              .c = c.data},
             {.y = given.outputs, .h = h_end.data, .c = c_end.data});
        scatter(h_end, given.final_states, states_.hidden, of_hidden(batch));
        scatter(c_end, given.final_states, states_.inner, of_inner(batch));
    }
};

} // namespace sluice::cudnn
