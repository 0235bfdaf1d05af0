// SPDX-License-Identifier: BSL-1.0
// TensorFlow's CudnnGRU, CudnnLSTM, CudnnRNNTanh and CudnnRNNRelu (tf.contrib.cudnn_rnn): stacks of cuDNN's
// cells with one buffer of parameters, which run everywhere.
//
//   sluice::cudnn_gru_layers<float> net({.num_layers = 2, .num_units = 128, .input_size = 40});
//   auto const run = net(xs, net.zero_state(batch), is_training);       // [time, batch, directions x units]
//   auto const gradients = sluice::backward(net, run, dys);
//
// The buffer is in cuDNN's dense order: for each layer and direction all matrices, W then R, [units, in]
// each, then for each all biases, b_W then b_R. It is `params()`, and the gradients have the same order. All
// that a stack can do, these can.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/tensorflow/cudnn_options.hpp>
#include <sluice/tensorflow/cudnn_saved.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// The parameters of all layers, one tensor each: [units, in] and [units].
template <class S>
struct cudnn_canonical {
    std::vector<xt::xtensor<S, 2>> weights{}; ///< [(layer x directions + direction) x 2 gates + number]
    std::vector<xt::xtensor<S, 1>> biases{};  ///< the same
};

template <class Page, class... Policies>
class cudnn_layers : public stack<any_input_mode<Page>, Policies...> {
    using base = stack<any_input_mode<Page>, Policies...>;
    using mode = detail::cudnn_mode<Page>;
    using scalar = typename base::scalar_type;

public:
    using typename base::state_type;
    using canonical_type = cudnn_canonical<scalar>;
    using saved_type = cudnn_saved<Page, scalar>;

    static constexpr std::string_view rnn_mode() { return mode::rnn_mode; }

    /// `from` is the seed of the initial values: glorot uniform for each matrix, biases 0, unless `starts`
    /// says something else. Throws `std::invalid_argument` that names an option that the layers cannot have.
    explicit cudnn_layers(cudnn_options const& o, seed from = {}, canonical_initial_values const& starts = {})
        : base({.input = detail::checked(o).input_size, .units = o.num_units},
               {.layers = o.num_layers,
                .direction = o.direction,
                .input_mode = o.input_mode,
                .dropout = o.dropout,
                .dropout_seed = o.seed},
               from, starts),
          num_units_(o.num_units) {}

    std::size_t num_layers() const { return this->layers(); }
    std::size_t num_units() const { return num_units_; }
    sluice::direction direction() const { return this->options().direction; }
    /// linear_input or skip_input: auto_select has become one of them.
    sluice::input_mode input_mode() const {
        return skips_input() ? input_mode::skip_input : input_mode::linear_input;
    }

    /// One call as TensorFlow has it. Only a run in training has dropout, and a tape for backward.
    template <class E>
    run_of<base> operator()(xt::xexpression<E> const& xs, state_type const& state,
                            bool is_training = true) const {
        if (is_training)
            return unroll(static_cast<base const&>(*this), xs, state);
        auto found = infer(static_cast<base const&>(*this), xs, state);
        run_of<base> run;
        run.outputs = std::move(found.outputs);
        run.state = std::move(found.state);
        return run;
    }
    /// The same from input_h [layers x directions, batch, units], where that is all of the state.
    template <class E, class H>
        requires(passes<Page>::states.size() == 1)
    run_of<base>
    operator()(xt::xexpression<E> const& xs, xt::xexpression<H> const& input_h,
               bool is_training = true) const {
        static_assert(detail::may_have_rank<H, 3>,
                      "sluice: layers of cuDNN expect input_h of shape [layers x "
                      "directions, batch, units], of rank 3");
        auto const& values = input_h.derived_cast();
        detail::require_numbers("input_h", values);
        if (values.dimension() != 3)
            fail<std::invalid_argument>(
                {"layers of cuDNN expect input_h of rank 3, but got ", detail::extents_in(values.shape())});
        state_type state;
        for_each_parameter(state, [&](auto, auto& tensor) { tensor = rounded_tensor<scalar>(values); });
        return (*this)(xs, state, is_training);
    }

    /// The buffer, and how many numbers it has.
    std::span<scalar const> params() const { return this->parameters().values(); }
    std::size_t params_size() const { return params().size(); }
    /// Throws `std::invalid_argument` for another number of numbers; nothing changes then.
    void set_params(std::span<scalar const> values) {
        require_params("set_params", values);
        this->update_values([&](std::span<scalar> all) { std::ranges::copy(values, all.begin()); });
    }

    /// The tensors of a buffer, 2 x gates of each kind per layer and direction: first those that belong to
    /// the input, then those of the state, gates in cuDNN's order. A first layer that takes its input as it
    /// is has matrices [units, 0] there.
    canonical_type params_to_canonical(std::span<scalar const> params) const {
        require_params("params_to_canonical", params);
        canonical_type found;
        for_each_place([&](tensor_place const* place, bool is_bias) {
            std::span<scalar const> const values = place ? place->in(params) : std::span<scalar const>();
            std::array<std::size_t, 2> const shape{num_units_, place && !is_bias ? place->extents[2] : 0};
            if (is_bias)
                found.biases.push_back(xt::xtensor<scalar, 1>::from_shape({num_units_}));
            else
                found.weights.push_back(xt::xtensor<scalar, 2>::from_shape(shape));
            auto* const to = is_bias ? found.biases.back().data() : found.weights.back().data();
            std::ranges::copy(values, to);
        });
        return found;
    }
    /// The buffer of such tensors. Throws `std::invalid_argument` that names the tensor for another number or
    /// shape.
    std::vector<scalar> canonical_to_params(canonical_type const& from) const {
        std::size_t const count = 2 * mode::gates.size() * this->layers() * this->directions();
        auto const require = [&](std::string_view what, std::size_t came) {
            if (came != count)
                fail<std::invalid_argument>(
                    {"canonical_to_params expects ", count, " ", what, ", but got ", came});
        };
        require("weights", from.weights.size());
        require("biases", from.biases.size());
        std::vector<scalar> params(params_size());
        std::size_t weight = 0, bias = 0;
        for_each_place([&](tensor_place const* place, bool is_bias) {
            auto const take = [&](std::size_t number, auto const& tensor,
                                  std::vector<std::size_t> const& shape) {
                if (!detail::shapes_agree(shape, tensor.shape()))
                    fail<std::invalid_argument>(
                        {"canonical_to_params expects ", is_bias ? "bias " : "weight ", number, " (",
                         place ? place->called.c_str() : "which a skipped input does not have", ") of shape ",
                         shape, ", but got ", detail::extents_in(tensor.shape())});
                detail::require_numbers("a tensor that canonical_to_params is given", tensor);
                if (place)
                    std::ranges::copy(tensor, place->in(std::span<scalar>(params)).begin());
            };
            if (is_bias)
                take(bias, from.biases[bias], {num_units_}), ++bias;
            else
                take(weight, from.weights[weight], {num_units_, place ? place->extents[2] : 0}), ++weight;
        });
        return params;
    }

    /// The layers as TensorFlow's saver writes them, under a scope: `save("model.safetensors", net.saved())`.
    saved_type saved(std::string_view scope = {}) const {
        saved_type found({.num_layers = num_layers(),
                          .num_units = num_units_,
                          .input_size = this->input_size(),
                          .input_mode = input_mode(),
                          .direction = direction()},
                         scope);
        for (std::size_t l = 0; l < num_layers(); ++l)
            for (std::size_t d = 0; d < this->directions(); ++d) {
                layout::detail::cell_tensors<scalar> one;
                for_each_parameter_of(l, d, [&](std::string_view called, tensor_place const& place) {
                    one.add(called, place.in(params()));
                });
                found.write_layer(one, l, d);
            }
        return found;
    }
    /// Takes the layers back; of a sum of two biases each becomes the half. Throws `std::invalid_argument`
    /// for layers of other sizes; nothing changes then.
    void restore(saved_type const& from) {
        auto const expected = saved();
        if (from.layers() != num_layers() || from.directions() != this->directions())
            fail<std::invalid_argument>({"restore expects ", num_layers(), " saved layers with ",
                                         this->directions(), " directions, but they are ", from.layers(),
                                         " with ", from.directions()});
        for (std::size_t i = 0; i < expected.tensors().size(); ++i)
            if (auto const& mine = expected.tensors()[i]; mine.shape != from.tensors()[i].shape)
                fail<std::invalid_argument>({"restore expects ", mine.called, " of shape ", mine.shape,
                                             ", but the saved one is ", from.tensors()[i].shape});
        std::vector<scalar> params(params_size());
        archive const file = from.together();
        for (std::size_t l = 0; l < num_layers(); ++l)
            for (std::size_t d = 0; d < this->directions(); ++d)
                for_each_parameter_of(l, d, [&](std::string_view called, tensor_place const& place) {
                    from.read_parameter(file, called, place.in(std::span<scalar>(params)), l, d);
                });
        set_params(params);
    }

private:
    std::size_t num_units_;

    bool skips_input() const {
        return detail::skips_input({.num_units = num_units_,
                                    .input_size = this->input_size(),
                                    .input_mode = this->options().input_mode});
    }
    void require_params(std::string_view who, std::span<scalar const> params) const {
        if (params.size() != params_size())
            fail<std::invalid_argument>(
                {who, " expects params_size() = ", params_size(), " numbers, but got ", params.size()});
    }

    /// Where a parameter of a layer lies; null for the matrices that a skipped input does not have.
    tensor_place const* place_of(std::size_t layer, std::size_t direction, std::string_view kind,
                                 char gate) const {
        if (layer == 0 && kind == "W_" && skips_input())
            return nullptr;
        auto const& array = this->parameters().array();
        std::string name;
        append({this->prefix(layer, direction), kind, std::string_view(&gate, 1)}, name);
        return &array.places()[array.place_of(name)];
    }
    /// f(place, is_bias) in the canonical order.
    template <class F>
    void for_each_place(F const& f) const {
        for (std::size_t l = 0; l < this->layers(); ++l)
            for (std::size_t d = 0; d < this->directions(); ++d)
                for (std::string_view const kind : {"W_", "R_", "b_W", "b_R"})
                    for (char const gate : mode::gates)
                        f(place_of(l, d, kind, gate), kind[0] == 'b');
    }

    /// f(name in the page, place) for the parameters of a layer and direction.
    template <class F>
    void for_each_parameter_of(std::size_t layer, std::size_t direction, F const& f) const {
        std::string_view const prefix = this->prefix(layer, direction);
        for (tensor_place const& place : this->parameters().array().places())
            if (std::string_view const called = place.called; called.starts_with(prefix))
                f(called.substr(prefix.size()), place);
    }
};

template <class... Policies>
using cudnn_gru_layers = cudnn_layers<canonical_gru, Policies...>;
template <class... Policies>
using cudnn_lstm_layers = cudnn_layers<canonical_lstm, Policies...>;
template <class... Policies>
using cudnn_tanh_rnn_layers = cudnn_layers<canonical_tanh_rnn, Policies...>;
template <class... Policies>
using cudnn_relu_rnn_layers = cudnn_layers<canonical_relu_rnn, Policies...>;

} // namespace sluice
