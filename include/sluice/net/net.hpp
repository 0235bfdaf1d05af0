// SPDX-License-Identifier: BSL-1.0
// A net: layers one after the other, over whole sequences, in the memory of a backend. No page is known here;
// engines (net/engine.hpp) run the cells.
//
//   layer 0          reads x [time, batch, input]
//   layer l > 0      reads the outputs of layer l - 1, those of both directions side by side
//   reversed         y_t = cell of x_(end) .. x_t; row b begins at lengths[b] - 1
//   bidirectional    y_t = [forward y_t, backward y_t]                           [time, batch, 2 output]
//   residual         y = layer(x) + x
//   dropout          on what a layer gives the next one; in a draw only
//
// A memory says how numbers are kept between the layers (net/host_memory.hpp is that of the host):
//
//   scalar, kernels                   of the engines
//   tensor                            [time, batch, width], side by side, movable: data(), size(), shape()
//   make(steps, batch, width)         one that is to be written before it is read
//   send(host tensor)                 one with the numbers of the host's
//   clear(rows, width, to, row), copy(rows, width, from, row, to, row), add(count, from, to)
//   repeat(rows, width, from, to), add_rows(rows, width, from, to)      to[row] = from;  to += all rows
//   reverse(steps, batch, width, from, row, to, row, ends)
//                                     each row backwards within its length; rows lie so many numbers apart
//   ends, ends_of(lengths), spread(from, to)   lengths for reverse;   to[t, b] = from[t or 0, b or 0]
//   mask, drop(how, draw, first_row, values), drop_again(how, draw, first_row, mask, gradients)
//                                     masks values; the mask is what it takes to mask their gradients
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/net/layer.hpp>
#include <sluice/net/records.hpp>
#include <sluice/net/reverse.hpp>
#include <sluice/net/state_rows.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

template <class Memory>
class net {
    using S = typename Memory::scalar;
    using tensor = typename Memory::tensor;
    using tape = net_tape<Memory>;
    using cell = net_cell<Memory>;
    using layer = net_layer<Memory>;

public:
    using memory_type = Memory;
    using engine_type = engine<S, typename Memory::kernels>;
    /// Of each page.
    using programs = std::span<typename engine_type::program const>;

    Memory memory{};
    std::vector<layer> layers{};
    std::vector<net_state_place> places{};  ///< of all states
    std::vector<tensor_place> parameters{}; ///< all places, those of the cells among them
    bool is_cell = false;                   ///< a cell by itself, all of whose inputs are given
    std::shared_ptr<engine_type> whole{};   ///< of all layers, where one engine has them
    std::function<std::uint64_t(std::uint64_t draw, std::size_t first_row)> seed_of_whole{};

    /// For a net that is copied.
    void copy_engines() {
        for (layer& one : layers)
            for (cell& way : one.ways)
                way.runs = way.runs->copy();
        whole = whole ? whole->copy() : nullptr;
    }
    std::vector<tensor> make_states(std::size_t batch) const {
        std::vector<tensor> made;
        for (net_state_place const& p : places)
            made.push_back(memory.make(p.rows, batch, p.width));
        return made;
    }

    /// After every change of the parameters, which are all of the net, and of settings.
    void refresh(std::span<S const> all) {
        for (layer& one : layers)
            for (cell& way : one.ways)
                way.runs->refresh(way.numbers(all));
        if (whole)
            refresh_whole(all);
    }
    void refresh_whole(std::span<S const> all) { whole->refresh(numbers_of_whole(all)); }

    // These are defined below, and not inline: a program that links the compiled runtime compiles none of it.

    /// Runs a sequence and keeps nothing.
    net_result<Memory> infer(programs with, std::span<S const> all, net_sequence<Memory> given) const;
    /// The same of a cell by itself, without padding, which reads inputs and states where they lie.
    net_result<Memory> infer(programs with, std::span<S const> all, engine_sequence<S> given) const;
    /// The same, in a draw or without one; what backward reads is put into `kept`.
    net_result<Memory> forward(programs with, std::span<S const> all, net_sequence<Memory> given,
                               std::shared_ptr<tape const>& kept) const;
    net_gradients<Memory> backward(programs with, std::span<S const> all, tape const& t,
                                   net_upstream<Memory> given, std::span<S> gradients) const;

private:
    cell_numbers<S> numbers_of_whole(std::span<S const> all) const {
        return {layers[0].ways[0].extents, parameters, all, {}};
    }
    /// Whether any direction of a layer is a backward one.
    bool turns() const {
        return std::ranges::any_of(layers,
                                   [](layer const& one) { return one.is_reversed || one.ways.size() > 1; });
    }
    /// Zeros past the end of each row.
    void clear_padding(tensor& values, std::vector<std::size_t> const& lengths) const {
        if (lengths.empty())
            return;
        auto const [steps, batch, width] = values.shape();
        for (std::size_t b = 0; b < lengths.size(); ++b)
            if (std::size_t const end = lengths[b]; end < steps)
                memory.clear(steps - end, width, values.data() + (end * batch + b) * width, batch * width);
    }
    /// Each row backwards within its length.
    tensor turned(tape const& t, tensor const& values) const {
        std::size_t const width = values.shape()[2];
        tensor made = memory.make(t.steps, t.batch, width);
        memory.reverse(t.steps, t.batch, width, values.data(), width, made.data(), width, t.ends);
        return made;
    }
    /// From a column on; a tensor without numbers may have no address.
    template <class T>
    static T* columns_of(T* data, std::size_t first) {
        return data == nullptr ? data : data + first;
    }
    /// sum += more
    void add_to(tensor& sum, tensor const& more) const { memory.add(sum.size(), more.data(), sum.data()); }
    /// Of the states of one direction of a layer.
    template <class T, class Tensors>
    static std::vector<T*> row_of(layer const& one, std::size_t way, Tensors& tensors) {
        std::vector<T*> all;
        for (std::size_t const place : one.states)
            all.push_back(tensors[place].data() +
                          (one.first_row + way) * tensors[place].shape()[1] * tensors[place].shape()[2]);
        return all;
    }

    /// What a cell is given besides what the layer reads.
    std::vector<std::optional<tensor>> inputs_of(cell const& way, tape const& t) const {
        std::vector<std::optional<tensor>> all(way.widths.size());
        if (!way.masks)
            return all;
        auto masks =
            t.draw ? way.masks(t.steps, t.batch, t.draw, t.first_row) : std::vector<xt::xtensor<S, 3>>();
        for (std::size_t k = 0; k < all.size(); ++k)
            if (k != way.reads)
                all[k] = t.draw ? spread(t, memory.send(std::move(masks[k]))) : spread(t, way.constants[k]);
        return all;
    }
    /// A mask for all steps and rows.
    tensor spread(tape const& t, tensor const& from) const {
        tensor made = memory.make(t.steps, t.batch, from.shape()[2]);
        memory.spread(from, made);
        return made;
    }
    tensor spread(tape const& t, tensor&& from) const {
        if (from.shape()[0] == t.steps && from.shape()[1] == t.batch)
            return std::move(from);
        return spread(t, std::as_const(from));
    }

    /// Runs one direction of a layer; gives its outputs in the order of its steps.
    tensor run_way(programs with, std::span<S const> all, layer const& one, std::size_t d,
                   net_sequence<Memory> const& given, bool keeps, tape& t, typename tape::layer& own,
                   std::vector<tensor>& end) const {
        cell const& way = one.ways[d];
        auto& kept = own.ways[d];
        if (!is_cell) {
            kept.inputs = inputs_of(way, t);
            if (one.turns(d))
                kept.inputs[way.reads] = turned(t, own.xs);
        }
        reset_mask const turned_resets =
            one.turns(d) ? detail::reversed(given.resets, t.lengths, t.steps, t.batch) : reset_mask();
        reset_mask const& resets = one.turns(d) ? turned_resets : given.resets;
        engine_sequence<S> asked{.steps = t.steps,
                                 .rows = {t.batch, t.lengths, resets.values()},
                                 .states = row_of<S const>(one, d, t.states),
                                 .final_states = row_of<S>(one, d, end),
                                 .steps_of_part = given.steps_of_part};
        for (std::optional<tensor> const& xs : kept.inputs)
            asked.inputs.push_back(xs ? xs->data() : own.xs.data());
        tensor ys = memory.make(t.steps, t.batch, one.output);
        asked.outputs = ys.data();
        if (keeps)
            kept.kept = way.runs->forward(with[way.page], way.numbers(all), asked);
        else
            way.runs->infer(with[way.page], way.numbers(all), asked);
        return ys;
    }

    net_result<Memory> run(programs with, std::span<S const> all, net_sequence<Memory> given, tape& t,
                           bool keeps) const {
        t.steps = given.inputs[0].shape()[0];
        t.batch = given.inputs[0].shape()[1];
        t.lengths = given.lengths;
        t.draw = given.draw;
        t.first_row = given.first_row;
        if (turns())
            t.ends = memory.ends_of(t.lengths);
        for (tensor& xs : given.inputs)
            clear_padding(xs, t.lengths);
        t.states = std::move(given.states);
        net_result<Memory> found{.states = make_states(t.batch)};
        t.is_whole = whole && whole->runs(t.steps, !given.resets.is_none());
        if (t.is_whole)
            run_whole(with, all, given, keeps, t, found);
        else
            run_layers(with, all, given, keeps, t, found);
        return found;
    }

    void run_layers(programs with, std::span<S const> all, net_sequence<Memory>& given, bool keeps, tape& t,
                    net_result<Memory>& found) const {
        tensor xs{};
        if (!is_cell)
            xs = std::move(given.inputs[0]);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            layer const& one = layers[l];
            typename tape::layer own;
            own.xs = std::move(xs);
            own.ways.resize(one.ways.size());
            if (is_cell)
                for (tensor& input : given.inputs)
                    own.ways[0].inputs.push_back(std::move(input));
            std::size_t const ways = one.ways.size(), width = one.output;
            tensor ys{};
            for (std::size_t d = 0; d < ways; ++d) {
                tensor part = run_way(with, all, one, d, given, keeps, t, own, found.states);
                if (ways == 1)
                    ys = one.turns(d) ? turned(t, part) : std::move(part);
                else if (d == 0) {
                    ys = memory.make(t.steps, t.batch, ways * width);
                    memory.copy(t.steps * t.batch, width, part.data(), width, ys.data(), ways * width);
                } else
                    memory.reverse(t.steps, t.batch, width, std::as_const(part).data(), width,
                                   columns_of(ys.data(), d * width), ways * width, t.ends);
            }
            if (one.is_residual)
                add_to(ys, own.xs);
            if (l + 1 < layers.size() && given.draw && one.after.rate() > 0)
                own.mask = memory.drop(one.after, *given.draw, given.first_row, ys);
            if (one.is_reversed)
                own.xs = {}; // its cell has read another order
            xs = std::move(ys);
            if (keeps)
                t.layers.push_back(std::move(own));
        }
        found.outputs = std::move(xs);
    }

    void run_whole(programs with, std::span<S const> all, net_sequence<Memory>& given, bool keeps, tape& t,
                   net_result<Memory>& found) const {
        bool const turns = layers[0].is_reversed;
        typename tape::layer own;
        own.xs = turns ? turned(t, given.inputs[0]) : std::move(given.inputs[0]);
        own.ways.resize(1);
        tensor ys = memory.make(t.steps, t.batch, layers.back().ways.size() * layers.back().output);
        engine_sequence<S> const asked{.steps = t.steps,
                                       .rows = {t.batch, t.lengths, {}},
                                       .inputs = {std::as_const(own.xs).data()},
                                       .states = detail::addresses<S const>(t.states),
                                       .final_states = detail::addresses<S>(found.states),
                                       .outputs = ys.data(),
                                       .seed = given.draw ? seed_of_whole(*given.draw, given.first_row) : 0};
        if (keeps)
            own.ways[0].kept = whole->forward(with[0], numbers_of_whole(all), asked);
        else
            whole->infer(with[0], numbers_of_whole(all), asked);
        found.outputs = turns ? turned(t, ys) : std::move(ys);
        if (keeps)
            t.layers.push_back(std::move(own));
    }

    void back_whole(programs with, std::span<S const> all, tape const& t, net_upstream<Memory> given,
                    std::span<S> gradients, net_gradients<Memory>& found) const {
        bool const turns = layers[0].is_reversed;
        tensor ds = turns ? turned(t, given.outputs) : std::move(given.outputs), dxs{};
        engine_gradients<S> asked{.outputs = ds.data(),
                                  .final_states = detail::addresses<S const>(given.states),
                                  .states = detail::addresses<S>(found.states),
                                  .parameters = gradients};
        if (given.want_inputs) {
            dxs = memory.make(t.steps, t.batch, layers[0].input);
            asked.inputs = {dxs.data()};
        }
        whole->backward(with[0], numbers_of_whole(all), t.layers[0].ways[0].kept, asked);
        if (given.want_inputs)
            found.inputs.push_back(turns ? turned(t, dxs) : std::move(dxs));
    }

    void back_layers(programs with, std::span<S const> all, tape const& t, net_upstream<Memory> given,
                     std::span<S> gradients, net_gradients<Memory>& found) const {
        tensor ds = std::move(given.outputs);
        for (std::size_t l = layers.size(); l-- > 0;) {
            layer const& one = layers[l];
            auto const& own = t.layers[l];
            if (own.mask)
                memory.drop_again(one.after, *t.draw, t.first_row, *own.mask, ds);
            bool const wants = l > 0 || given.want_inputs;
            std::size_t const ways = one.ways.size();
            tensor dxs{};
            for (std::size_t d = 0; d < ways; ++d) {
                cell const& way = one.ways[d];
                std::optional<tensor> part;
                if (ways > 1 || one.turns(d))
                    part = part_of_outputs(one, d, t, ds);
                engine_gradients<S> asked{.outputs = part ? part->data() : ds.data(),
                                          .final_states = row_of<S const>(one, d, given.states),
                                          .states = row_of<S>(one, d, found.states),
                                          .parameters = gradients};
                std::vector<tensor> of_inputs;
                for (std::size_t k = 0; k < way.widths.size() && wants; ++k) {
                    of_inputs.push_back(memory.make(t.steps, t.batch, way.widths[k]));
                    asked.inputs.push_back(of_inputs.back().data());
                }
                if (wants && !way.has_inputs)
                    memory.clear(1, of_inputs[0].size(), of_inputs[0].data(), of_inputs[0].size());
                way.runs->backward(with[way.page], way.numbers(all), own.ways[d].kept, asked);
                if (!wants)
                    continue;
                if (is_cell) {
                    found.inputs = std::move(of_inputs);
                    return;
                }
                tensor& read = of_inputs[way.reads];
                tensor in_time = one.turns(d) ? turned(t, read) : std::move(read);
                if (d == 0)
                    dxs = std::move(in_time);
                else
                    add_to(dxs, in_time);
            }
            if (given.ready)
                given.ready(l);
            if (one.is_residual && wants)
                add_to(dxs, ds);
            ds = std::move(dxs);
        }
        if (given.want_inputs)
            found.inputs.push_back(std::move(ds));
    }
    /// The gradients of the outputs of one direction, in the order of its steps.
    tensor part_of_outputs(layer const& one, std::size_t d, tape const& t, tensor const& ds) const {
        std::size_t const ways = one.ways.size(), width = one.output;
        tensor part = memory.make(t.steps, t.batch, width);
        S const* const from = columns_of(ds.data(), d * width);
        if (one.turns(d))
            memory.reverse(t.steps, t.batch, width, from, ways * width, part.data(), width, t.ends);
        else
            memory.copy(t.steps * t.batch, width, from, ways * width, part.data(), width);
        return part;
    }
};

template <class Memory>
net_result<Memory> net<Memory>::infer(programs with, std::span<S const> all,
                                      net_sequence<Memory> given) const {
    tape nothing;
    return run(with, all, std::move(given), nothing, false);
}

template <class Memory>
net_result<Memory> net<Memory>::infer(programs with, std::span<S const> all, engine_sequence<S> given) const {
    cell const& way = layers[0].ways[0];
    net_result<Memory> found{.outputs = memory.make(given.steps, given.rows.batch, layers[0].output),
                             .states = make_states(given.rows.batch)};
    given.final_states = detail::addresses<S>(found.states);
    given.outputs = found.outputs.data();
    way.runs->infer(with[way.page], way.numbers(all), given);
    return found;
}

template <class Memory>
net_result<Memory> net<Memory>::forward(programs with, std::span<S const> all, net_sequence<Memory> given,
                                        std::shared_ptr<tape const>& kept) const {
    auto made = std::make_shared<tape>();
    auto found = run(with, all, std::move(given), *made, true);
    kept = std::move(made);
    return found;
}

template <class Memory>
net_gradients<Memory> net<Memory>::backward(programs with, std::span<S const> all, tape const& t,
                                            net_upstream<Memory> given, std::span<S> gradients) const {
    clear_padding(given.outputs, t.lengths);
    net_gradients<Memory> found{.states = make_states(t.batch)};
    if (t.is_whole)
        back_whole(with, all, t, std::move(given), gradients, found);
    else
        back_layers(with, all, t, std::move(given), gradients, found);
    return found;
}

} // namespace sluice
