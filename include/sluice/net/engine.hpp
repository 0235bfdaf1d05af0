// SPDX-License-Identifier: BSL-1.0
// What runs a cell between addresses of a backend's memory. An engine knows no page: equations reach it as
// values, and as programs, which hold what the file of a user compiles of them. Whatever puts layers together
// is therefore written once.
//
//   planned_engine     any cell, with the kernels of any backend (net/planned_engine.hpp)
//   lazy_engine        another one, which is told of changed parameters when it is first used after them
//                      (net/lazy_engine.hpp)
//   heads_engine       another one, and to infer one of some heads for each thread (net/heads_engine.hpp)
//   Backends add their own: of graphs that are evaluated node by node, of several layers in one call.
//
// The GRU of 3 inputs and 5 units over 4 steps of a batch of 2:
//
//   page_view          its planned graph, its leaves: x; h; W, R, b ...
//   cell_numbers       sizes, where each parameter lies in the array of the net, that array, the settings
//   engine_sequence    inputs {[4, 2, 3]}, states {[2, 5]}, final_states {[2, 5]}, outputs [4, 2, 5]
//   engine_gradients   outputs [4, 2, 5], final_states {[2, 5]}, inputs {[4, 2, 3]}, states {[2, 5]}, and an
//                      array that is laid out as the parameters are
//
//   stepper            the same cell, one step of a batch at a time
//
// refresh is called after every change of the parameters, and before anything is run. After it an engine may
// infer on several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/backend/sweep_program.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/execute/rows.hpp>
#include <sluice/graph/entries.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <vector>

namespace sluice {

/// What an engine reads of a page, besides programs.
struct page_view {
    graph_view graph{};          ///< of the forward plans
    basic_leaves<view> leaves{}; ///< of the graph: inputs, states, parameters, settings
};

/// The numbers of a cell: sizes, parameters and settings, without names.
template <class S>
struct cell_numbers {
    sizes extents;
    std::span<tensor_place const> places; ///< of its parameters in the array
    std::span<S const> parameters;        ///< all of the net
    std::span<arithmetic_of<S> const> settings;
};

/// A sequence, where it lies. Rows past a sequence's length are zeros in the inputs, and become zeros in the
/// outputs. Start and end states lie in different places.
template <class S>
struct engine_sequence {
    std::size_t steps = 0;
    row_times rows{};
    std::vector<S const*> inputs{}; ///< [time, batch, width] each
    std::vector<S const*> states{}; ///< [batch, width] each; of several layers [rows, batch, width]
    std::vector<S*> final_states{}; ///< the same
    S* outputs = nullptr;           ///< [time, batch, output]
    std::size_t output_row = 0;     ///< from one row of the outputs to the next; 0: they lie side by side
    std::uint64_t seed = 0;         ///< of masks that the engine draws
    std::size_t steps_of_part = 0;  ///< where forward does not keep the values of all steps; 0: it chooses
};

/// The gradients of what a sequence gave, and where those of what it was made from are to be put. Those of
/// the states may come and go in the same places.
template <class S>
struct engine_gradients {
    S* outputs = nullptr; ///< zeros past the ends of rows, which may be written again
    std::vector<S const*> final_states{};
    std::vector<S*> states{};
    std::vector<S*> inputs{};  ///< none: they are not wanted
    std::span<S> parameters{}; ///< of the net, which lie as its parameters do; what is there does not matter
};

/// Runs a cell one step after the other, for as long as inputs come, and holds its state meanwhile. It reads
/// and writes where it was told when it was made.
template <class S>
class stepper {
public:
    stepper(stepper const&) = delete;
    stepper& operator=(stepper const&) = delete;
    virtual ~stepper() = default;

    /// Rows [first, last) of a state become those of [batch, width].
    virtual void set_state(std::size_t state, S const* from, std::size_t first, std::size_t last) = 0;
    virtual void copy_state(std::size_t state, S* to) const = 0;
    /// One step. The first input, [batch, width], is at that address. Allocates nothing.
    virtual void step(S const* first) = 0;

protected:
    stepper() = default;
};

template <class S, class Kernels>
class engine {
public:
    using program = sweep_program<S, Kernels>;
    using numbers = cell_numbers<S>;
    /// What backward reads. The caller keeps the inputs and the start states of the sequence as long.
    using tape = std::shared_ptr<void const>;

    virtual ~engine() = default;

    /// For a cell that is copied. It knows the same parameters, until one of the two is told of others.
    virtual std::shared_ptr<engine> copy() const = 0;

    /// Asked of an engine of several layers: whether it runs such sequences. Where it does not, the layers
    /// run one after the other.
    virtual bool runs(std::size_t /*steps*/, bool has_resets) const { return !has_resets; }

    virtual void refresh(numbers const&) = 0;
    virtual void infer(program const& inference, numbers const&, engine_sequence<S> const&) const = 0;
    virtual tape forward(program const& forward, numbers const&, engine_sequence<S> const&) const = 0;
    virtual void backward(program const& backward, numbers const&, tape const&,
                          engine_gradients<S> const&) const = 0;
    /// Steps of a batch with inputs and an output, [batch, width] each, that the caller keeps as long.
    virtual std::unique_ptr<stepper<S>> prepare(program const& inference, numbers const&, std::size_t batch,
                                                std::vector<S const*> const& inputs, S* output) const = 0;
    /// After refresh: makes steps read the parameters that there are now.
    virtual void refresh(numbers const&, stepper<S>&) const = 0;

protected:
    engine() = default;
    engine(engine const&) = default;
    engine& operator=(engine const&) = default;
};

/// An engine that runs the plans of a page (net/planned_engine.hpp).
template <class S, class Kernels>
std::shared_ptr<engine<S, Kernels>> make_planned_engine(page_view const&);

} // namespace sluice
