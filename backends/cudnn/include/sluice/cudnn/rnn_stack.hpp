// SPDX-License-Identifier: BSL-1.0
// The lowering of a whole stack: one call of cuDNN's RNN for all layers and directions, with dropout between
// them and rows of different lengths. Where the parameters are cuDNN's own, the stack's array is the weight
// space as it lies.
//
// cuDNN has no reversed direction: every layer of a reversed stack reads the steps of a row from the last to
// the first, so the sequence is turned round on its way in and on its way out.
//
// The masks of dropout are cuDNN's: they follow from the seed of the stack and the number of the draw, on one
// kind of device, and are others than those of the CPU.
#pragma once

#include <sluice/cudnn/rnn_cell.hpp>
#include <sluice/cudnn/stack_cells.hpp>
#include <sluice/net/reverse.hpp>
#include <sluice/net/whole_stack.hpp>

namespace sluice::cudnn {

/// The seed of cuDNN's masks in a draw.
inline std::uint64_t seed_of_dropout(stack_options const& how, std::uint64_t draw) {
    return random_stream(seed{random_stream(how.dropout_seed, "dropout of cuDNN")() + draw})();
}

template <rnn_options Options, class S, class State, class... Pages>
class rnn_stack_lowering {
    using cells = stack_cells<S, State, Pages...>;
    using view = stack_view<S>;
    using input = stack_input<S, State>;
    using result = stack_result<S, State>;
    using tensor = xt::xtensor<S, 3>;

public:
    struct tape : result {
        std::shared_ptr<rnn_tape const> kept{};

        bool is_kept() const { return kept != nullptr; }
        std::array<std::size_t, 2> shape() const { return kept->shape(); }
    };

    static std::string why_not(stack_options const& how, std::span<sizes const> of_each_layer) {
        return cells::why_not(how, of_each_layer);
    }

    void refresh(view const&) { network_.refresh(); }

    result infer(view const& net, input given) const {
        result found = room_for(net, given);
        if (found.outputs.size() > 0)
            run(net, given, found, [&](auto const&... all) { network_.infer(all...); });
        return found;
    }

    tape forward(view const& net, input given) const {
        tape made;
        result found = room_for(net, given);
        if (found.outputs.size() > 0)
            run(net, given, found, [&](auto const&... all) {
                made.kept = network_.forward(all..., seed_of_dropout(net.options, given.draw));
            });
        else
            made.kept = rnn_tape::of_nothing(given.xs.shape()[0], given.xs.shape()[1]);
        static_cast<result&>(made) = std::move(found);
        return made;
    }

    template <class Parameters>
    result backward(view const& net, tape const& of, stack_upstream<S, State> given,
                    Parameters& gradients) const {
        rnn_shape const mine = shape(net);
        auto const [steps, batch] = of.shape();
        result found{.state = std::move(given.state)};
        if (given.want_inputs)
            found.outputs.resize({steps, batch, mine.input});
        if (of.kept->is_of_nothing())
            return found;
        tensor dys = turned(net, std::move(given.outputs), of.kept->lengths);
        auto const dh = cells::gather(found.state, cells::hidden),
                   dc = cells::gather(found.state, cells::inner);
        std::vector<S> dh_start(dh.size()), dc_start(dc.size());
        std::vector<S> of_weights(cells::is_canonical() ? 0 : layout_of(mine).size);
        network_.backward(*of.kept, weights_of(net), {.dy = dys.data(), .dh = dh.data(), .dc = dc.data()},
                          {.dx = given.want_inputs ? found.outputs.data() : nullptr,
                           .dh = dh_start.data(),
                           .dc = dc_start.data(),
                           .weights = of_weights.empty() ? gradients.values().data() : of_weights.data()});
        if (!of_weights.empty())
            cells::add_gradients(net, layout_of(mine), of_weights, gradients);
        cells::scatter(dh_start, found.state, cells::hidden);
        cells::scatter(dc_start, found.state, cells::inner);
        found.outputs = turned(net, std::move(found.outputs), of.kept->lengths);
        return found;
    }

    /// The engine of all layers of a stack, whose states are as `state`, on the device.
    template <class Kernels>
    static std::unique_ptr<engine<S, Kernels>> make_engine(view const& net, State const& state) {
        rnn_shape const mine = shape(net);
        weight_layout const layout = layout_of(mine);
        return std::make_unique<network_engine<S, Kernels>>(
            mine, Options,
            weight_map<S>(cells::blocks(net, layout), layout.size, net.parameters.values().size()),
            network_states{cells::places_of(state, cells::hidden), cells::places_of(state, cells::inner)});
    }

    static rnn_shape shape(view const& net) { return cells::shape_of(net.options, net.of_each_layer); }
    rnn_network const& network() const { return network_; }

private:
    rnn_network network_{rnn_numbers_of<S>::value, Options};

    /// Each row backwards within its length, where the stack is a reversed one.
    static tensor turned(view const& net, tensor values, std::span<std::size_t const> lengths) {
        if (net.options.direction != direction::reversed || values.size() == 0)
            return values;
        auto const [steps, batch, width] = values.shape();
        auto made = tensor::from_shape(values.shape());
        sluice::detail::reverse_in_time<S>(steps, batch, width, values.data(), width, made.data(), width,
                                           lengths);
        return made;
    }
    static result room_for(view const& net, input const& given) {
        result found{.state = given.state};
        found.outputs.resize({given.xs.shape()[0], given.xs.shape()[1], shape(net).output()});
        return found;
    }
    static auto weights_of(view const& net) {
        return [&net] {
            if constexpr (cells::is_canonical())
                return net.parameters.values();
            else
                return cells::weights(net, layout_of(shape(net)));
        };
    }

    /// call(shape, weights, sequence, answer), and the answer as the stack gives it.
    template <class Call>
    static void run(view const& net, input& given, result& found, Call const& call) {
        auto h = cells::gather(given.state, cells::hidden), c = cells::gather(given.state, cells::inner);
        given.xs = turned(net, std::move(given.xs), given.lengths);
        std::vector<S> h_end(h.size()), c_end(c.size());
        call(shape(net), weights_of(net),
             rnn_sequence{.steps = given.xs.shape()[0],
                          .batch = given.xs.shape()[1],
                          .lengths = given.lengths,
                          .x = given.xs.data(),
                          .h = h.data(),
                          .c = c.data()},
             rnn_answer{.y = found.outputs.data(), .h = h_end.data(), .c = c_end.data()});
        found.outputs = turned(net, std::move(found.outputs), given.lengths);
        cells::scatter(h_end, found.state, cells::hidden);
        cells::scatter(c_end, found.state, cells::inner);
    }
};

} // namespace sluice::cudnn
