// SPDX-License-Identifier: BSL-1.0
// Layers on the device, one after the other or all in one call of cuDNN's: what sequence/layer.hpp and
// sequence/stack_unroll.hpp do on the host, with the same masks. No page is known here; engines
// (cudnn/engine.hpp) run the cells. The caller holds the queue's turn; nothing waits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <sluice/cudnn/resident_parts.hpp>
#include <sluice/cudnn/sequence_kernels.hpp>
#include <sluice/sequence/layer.hpp>
#include <utility>
#include <vector>

namespace sluice::cudnn {

template <class S>
class resident_layers {
    using number = arithmetic_of<S>;
    using sequence = tensor<S, 3>;
    using tape = resident_tape<S>;

public:
    std::vector<resident_layer<S>> layers{};
    std::vector<resident_place> places{}; ///< of all states
    bool is_cell = false;                 ///< a cell by itself, all of whose inputs are given
    std::shared_ptr<engine<S>> whole{};   ///< of all layers, where cuDNN has them; runs no resets
    std::function<std::uint64_t(std::uint64_t draw)> seed_of_whole{};

    std::shared_ptr<queue> const& work() const { return with_.work(); }
    kernels const& with() const { return with_; }

    sequence make(std::size_t steps, std::size_t batch, std::size_t width) const {
        return sequence({steps, batch, width}, work());
    }
    /// Zeros behind the end of each row.
    void clear_padding(sequence& values, std::vector<std::size_t> const& lengths) const {
        auto const [steps, batch, width] = values.shape();
        for (std::size_t b = 0; b < lengths.size(); ++b)
            if (std::size_t const end = lengths[b]; end < steps)
                with_.clear(steps - end, width, values.data() + (end * batch + b) * width, batch * width);
    }
    std::vector<sequence> make_states(std::size_t batch) const {
        std::vector<sequence> made;
        for (resident_place const& p : places)
            made.push_back(make(p.rows, batch, p.width));
        return made;
    }

    /// Runs a sequence. Into `kept` goes what backward reads; null: nothing does.
    resident_answer<S> run(engine_parameters<S> const& parameters, resident_sequence<S> given,
                           tape* kept) const {
        tape own;
        tape& t = kept == nullptr ? own : *kept;
        t.steps = given.inputs[0].shape()[0];
        t.batch = given.inputs[0].shape()[1];
        t.lengths = given.lengths;
        if (!t.lengths.empty() && turns()) {
            t.ends = tensor<std::size_t, 1>({t.batch}, work());
            work()->upload(t.lengths.data(), t.batch * sizeof(std::size_t), t.ends.data());
        }
        for (sequence& xs : given.inputs)
            clear_padding(xs, t.lengths);
        t.states = std::move(given.states);
        resident_answer<S> found{.states = make_states(t.batch)};
        if (whole && given.resets.is_none())
            run_whole(parameters, given, kept != nullptr, t, found);
        else
            run_layers(parameters, given, kept != nullptr, t, found);
        return found;
    }

    /// From the gradients of the outputs and of the states at the end; those of the parameters are zeros
    /// before.
    resident_back<S> backward(engine_parameters<S> const& parameters, tape const& t, sequence ds,
                              std::vector<sequence> const& dstates, S* gradients, bool want_inputs) const {
        clear_padding(ds, t.lengths);
        resident_back<S> found{.states = make_states(t.batch)};
        if (whole && t.layers.size() == 1 && t.layers[0].ways[0].by == whole)
            back_whole(parameters, t, std::move(ds), dstates, gradients, want_inputs, found);
        else
            back_layers(parameters, t, std::move(ds), dstates, gradients, want_inputs, found);
        return found;
    }

private:
    kernels with_{};
    sequence_kernels sequences_{with_.work()};

    /// Whether any direction of a layer is a backward one.
    bool turns() const {
        return std::ranges::any_of(
            layers, [](auto const& layer) { return layer.is_reversed || layer.ways.size() > 1; });
    }
    static std::size_t const* ends_of(tape const& t) { return t.lengths.empty() ? nullptr : t.ends.data(); }
    /// Each row backwards within its length.
    sequence turned(tape const& t, sequence const& values) const {
        std::size_t const width = values.shape()[2];
        sequence made = make(t.steps, t.batch, width);
        sequences_.turn(t.steps, t.batch, width, values.data(), width, made.data(), width, ends_of(t));
        return made;
    }
    /// sum += more
    void add_to(sequence& sum, sequence const& more) const {
        with_.arrange(1, sum.size(), 1, strided<S const>{more.data(), 0, 1}, strided<S const>{}, false,
                      strided<S>{sum.data(), 0, 1}, true);
    }
    template <class T, class Tensors>
    static std::vector<T*> addresses(Tensors& tensors) {
        std::vector<T*> all;
        for (auto& one : tensors)
            all.push_back(one.data());
        return all;
    }
    /// Of the states of one direction of a layer.
    template <class T, class Tensors>
    std::vector<T*> row_of(resident_layer<S> const& layer, std::size_t way, Tensors& tensors) const {
        std::vector<T*> all;
        for (std::size_t const place : layer.states)
            all.push_back(tensors[place].data() +
                          (layer.first_row + way) * tensors[place].shape()[1] * tensors[place].shape()[2]);
        return all;
    }
    /// A mask for all steps and rows.
    sequence spread(tape const& t, sequence values) const {
        auto const [steps, rows, width] = values.shape();
        if (steps == t.steps && rows == t.batch)
            return values;
        sequence made = make(t.steps, t.batch, width);
        std::size_t const side_by_side = rows * width;
        if (side_by_side > 0)
            with_.arrange(made.size() / side_by_side, side_by_side, 1, strided<S const>{values.data(), 0, 1},
                          strided<S const>{}, false, strided<S>{made.data(), side_by_side, 1}, false);
        return made;
    }
    sequence sent(xt::xtensor<S, 3> const& values) const {
        sequence made = make(values.shape()[0], values.shape()[1], values.shape()[2]);
        work()->upload(values.data(), values.size() * sizeof(S), made.data());
        return made;
    }

    /// What runs a way is given besides what the layer reads.
    std::vector<sequence> inputs_of(resident_cell<S> const& cell, tape const& t,
                                    std::optional<std::uint64_t> draw) const {
        std::vector<sequence> all(cell.widths.size());
        if (!cell.masks)
            return all;
        if (draw) {
            auto const masks = cell.masks(t.steps, t.batch, draw);
            for (std::size_t k = 0; k < all.size(); ++k)
                if (k != cell.reads)
                    all[k] = spread(t, sent(masks[k]));
        } else
            for (std::size_t k = 0; k < all.size(); ++k)
                if (k != cell.reads)
                    all[k] = spread(t, cell.constants[k].copy());
        return all;
    }

    static engine_sequence<S> rows_of(tape const& t, reset_mask const& resets) {
        return {.steps = t.steps, .batch = t.batch, .lengths = t.lengths, .resets = resets};
    }

    /// Runs one direction of a layer; gives its outputs in the order of its steps.
    sequence run_way(engine_parameters<S> const& parameters, resident_layer<S> const& layer, std::size_t d,
                     resident_sequence<S> const& given, bool keeps, tape& t, typename tape::layer& own,
                     std::vector<sequence>& end) const {
        resident_cell<S> const& cell = layer.ways[d];
        auto& way = own.ways[d];
        if (!is_cell) {
            way.inputs = inputs_of(cell, t, given.draw);
            if (layer.turns(d))
                way.inputs[cell.reads] = turned(t, own.xs);
        }
        unroll_options rows{t.lengths, given.resets};
        if (layer.turns(d))
            rows = sluice::detail::reversed(rows, t.steps, t.batch);
        auto asked = rows_of(t, rows.resets);
        for (sequence const& xs : way.inputs)
            asked.inputs.push_back(xs.work() ? xs.data() : own.xs.data());
        asked.states = row_of<S const>(layer, d, t.states);
        asked.final_states = row_of<S>(layer, d, end);
        sequence ys = make(t.steps, t.batch, layer.output);
        asked.outputs = ys.data();
        way.by = cell.runs(given.resets);
        if (keeps)
            way.kept = way.by->forward(parameters, asked);
        else
            way.by->infer(parameters, asked);
        return ys;
    }

    void run_layers(engine_parameters<S> const& parameters, resident_sequence<S>& given, bool keeps, tape& t,
                    resident_answer<S>& found) const {
        sequence xs = is_cell ? sequence() : std::move(given.inputs[0]);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            resident_layer<S> const& layer = layers[l];
            typename tape::layer own;
            own.xs = std::move(xs);
            own.ways.resize(layer.ways.size());
            if (is_cell)
                own.ways[0].inputs = std::move(given.inputs);
            std::size_t const ways = layer.ways.size(), width = layer.output;
            sequence ys;
            for (std::size_t d = 0; d < ways; ++d) {
                sequence one = run_way(parameters, layer, d, given, keeps, t, own, found.states);
                if (ways == 1)
                    ys = layer.turns(d) ? turned(t, one) : std::move(one);
                else if (d == 0) {
                    ys = make(t.steps, t.batch, ways * width);
                    with_.copy(t.steps * t.batch, width, one.data(), width, ys.data(), ways * width);
                } else
                    sequences_.turn(t.steps, t.batch, width, one.data(), width, ys.data() + d * width,
                                    ways * width, ends_of(t));
            }
            if (layer.is_residual)
                add_to(ys, own.xs);
            if (l + 1 < layers.size() && given.draw && layer.behind.rate() > 0)
                drop(layer, *given.draw, own, ys);
            xs = std::move(ys);
            if (keeps)
                t.layers.push_back(std::move(own));
        }
        found.outputs = std::move(xs);
    }
    /// Drops outputs of a layer; the masks are the CPU's.
    void drop(resident_layer<S> const& layer, std::uint64_t draw, typename tape::layer& own,
              sequence& ys) const {
        auto shape = ys.shape();
        if (layer.behind.is_variational())
            shape[0] = std::min<std::size_t>(shape[0], 1);
        xt::xtensor<number, 3> const ones = xt::ones<number>(shape);
        xt::xtensor<number, 3> const mask = layer.behind(ones, draw);
        own.mask = tensor<number, 3>(shape, work());
        work()->upload(mask.data(), mask.size() * sizeof(number), own.mask.data());
        sequences_.mask(ys.size(), std::as_const(ys).data(), std::as_const(own.mask).data(), own.mask.size(),
                        ys.data());
    }

    void run_whole(engine_parameters<S> const& parameters, resident_sequence<S>& given, bool keeps, tape& t,
                   resident_answer<S>& found) const {
        bool const turns = layers[0].is_reversed;
        typename tape::layer own;
        own.xs = turns ? turned(t, given.inputs[0]) : std::move(given.inputs[0]);
        own.ways.resize(1);
        auto const& last = layers.back();
        sequence ys = make(t.steps, t.batch, last.ways.size() * last.output);
        auto asked = rows_of(t, {});
        asked.inputs = {own.xs.data()};
        asked.states = addresses<S const>(t.states);
        asked.final_states = addresses<S>(found.states);
        asked.outputs = ys.data();
        asked.seed = given.draw ? seed_of_whole(*given.draw) : 0;
        own.ways[0].by = whole;
        if (keeps)
            own.ways[0].kept = whole->forward(parameters, asked);
        else
            whole->infer(parameters, asked);
        found.outputs = turns ? turned(t, ys) : std::move(ys);
        if (keeps)
            t.layers.push_back(std::move(own));
    }

    void back_whole(engine_parameters<S> const& parameters, tape const& t, sequence ds,
                    std::vector<sequence> const& dstates, S* gradients, bool want_inputs,
                    resident_back<S>& found) const {
        bool const turns = layers[0].is_reversed;
        if (turns)
            ds = turned(t, ds);
        sequence dxs;
        engine_gradients<S> asked{.outputs = ds.data(),
                                  .final_states = addresses<S const>(dstates),
                                  .states = addresses<S>(found.states),
                                  .parameters = gradients};
        if (want_inputs) {
            dxs = make(t.steps, t.batch, layers[0].input);
            asked.inputs = {dxs.data()};
        }
        auto const& way = t.layers[0].ways[0];
        way.by->backward(parameters, way.kept, asked);
        if (want_inputs)
            found.inputs.push_back(turns ? turned(t, dxs) : std::move(dxs));
    }

    void back_layers(engine_parameters<S> const& parameters, tape const& t, sequence ds,
                     std::vector<sequence> const& dstates, S* gradients, bool want_inputs,
                     resident_back<S>& found) const {
        for (std::size_t l = layers.size(); l-- > 0;) {
            resident_layer<S> const& layer = layers[l];
            auto const& own = t.layers[l];
            if (own.mask.size() > 0)
                sequences_.mask(ds.size(), std::as_const(ds).data(), own.mask.data(), own.mask.size(),
                                ds.data());
            bool const wants = l > 0 || want_inputs;
            std::size_t const ways = layer.ways.size(), width = layer.output;
            sequence dxs;
            for (std::size_t d = 0; d < ways; ++d) {
                resident_cell<S> const& cell = layer.ways[d];
                sequence part;
                if (ways > 1 || layer.turns(d)) {
                    part = make(t.steps, t.batch, width);
                    S const* const from = std::as_const(ds).data() + d * width;
                    if (layer.turns(d))
                        sequences_.turn(t.steps, t.batch, width, from, ways * width, part.data(), width,
                                        ends_of(t));
                    else
                        with_.copy(t.steps * t.batch, width, from, ways * width, part.data(), width);
                }
                engine_gradients<S> asked{.outputs = part.work() ? part.data() : ds.data(),
                                          .final_states = row_of<S const>(layer, d, dstates),
                                          .states = row_of<S>(layer, d, found.states),
                                          .parameters = gradients};
                std::vector<sequence> of_inputs;
                for (std::size_t k = 0; k < cell.widths.size() && wants; ++k) {
                    of_inputs.push_back(make(t.steps, t.batch, cell.widths[k]));
                    asked.inputs.push_back(of_inputs.back().data());
                }
                own.ways[d].by->backward(parameters, own.ways[d].kept, asked);
                if (!wants)
                    continue;
                if (is_cell) {
                    found.inputs = std::move(of_inputs);
                    return;
                }
                sequence& read = of_inputs[cell.reads];
                sequence in_time = layer.turns(d) ? turned(t, read) : std::move(read);
                if (d == 0)
                    dxs = std::move(in_time);
                else
                    add_to(dxs, in_time);
            }
            if (layer.is_residual && wants)
                add_to(dxs, ds);
            ds = std::move(dxs);
        }
        if (want_inputs)
            found.inputs.push_back(std::move(ds));
    }
};

} // namespace sluice::cudnn
