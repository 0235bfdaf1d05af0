// SPDX-License-Identifier: BSL-1.0
// TensorFlow's CudnnGRU, CudnnLSTM, CudnnRNNTanh and CudnnRNNRelu (tf.contrib.cudnn_rnn): stacks of cuDNN's
// cells with one buffer of parameters, which run everywhere.
//
//   sluice::cudnn_gru_layers<float> net({.num_layers = 2, .num_units = 128, .input_size = 40});
//   auto const run = net(xs, net.zero_state(batch), is_training);       // [time, batch, directions x units]
//   auto const gradients = sluice::backward(net, run, dys);
//
// The buffer is in cuDNN's dense order: for each layer and direction all matrices, W then R, [units, in] each,
// then for each all biases, b_W then b_R. It is `params()`, and the gradients have the same order. All that a
// stack can do, these can.
#pragma once

#include <sluice/sequence/cudnn_saved.hpp>
#include <sluice/sequence/stack_unroll.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The names of TensorFlow's class. `seed` is that of dropout; TensorFlow joins it with the graph's, here it stands
/// alone.
struct cudnn_options {
    std::size_t num_layers = 1;
    std::size_t num_units = 0;
    std::size_t input_size = 0;
    sluice::input_mode input_mode = input_mode::linear_input;
    sluice::direction direction = direction::unidirectional;
    double dropout = 0;
    sluice::seed seed{};
};

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

    static constexpr std::string_view rnn_mode() { return mode::rnn_mode; }

    /// `from` is the seed of the initial values: glorot uniform for each matrix, biases 0. Throws
    /// `std::invalid_argument` as a stack does, for widths that are 0, and for skip_input where the input is not
    /// as wide as the units.
    explicit cudnn_layers(cudnn_options const& o, seed from = {})
        : base({.input = checked(o).input_size, .units = o.num_units},
               {.layers = o.num_layers,
                .direction = o.direction,
                .input_mode = o.input_mode,
                .dropout = o.dropout,
                .dropout_seed = o.seed},
               from),
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
    stack_run<base> operator()(xt::xexpression<E> const& xs, state_type const& state,
                               bool is_training = true) const {
        if (is_training)
            return unroll(static_cast<base const&>(*this), xs, state);
        auto found = infer(static_cast<base const&>(*this), xs, state);
        stack_run<base> run;
        run.outputs = std::move(found.outputs);
        run.state = std::move(found.state);
        return run;
    }

    /// The buffer, and how many numbers it has.
    std::span<scalar const> params() const { return this->parameters().values(); }
    std::size_t params_size() const { return params().size(); }
    /// Throws `std::invalid_argument` for another number of numbers; nothing changes then.
    void set_params(std::span<scalar const> values) {
        require_params("set_params", values);
        this->update_values([&](std::span<scalar> all) { std::ranges::copy(values, all.begin()); });
    }

    /// The tensors of a buffer, 2 x gates of each kind per layer and direction: first those that belong to the
    /// input, then those of the state, gates in cuDNN's order. A first layer that takes its input as it is has
    /// matrices [units, 0] there.
    cudnn_canonical<scalar> params_to_canonical(std::span<scalar const> params) const {
        require_params("params_to_canonical", params);
        cudnn_canonical<scalar> found;
        for_each_place([&](tensor_place const* place, bool is_bias) {
            std::span<scalar const> const values = place ? place->in(params) : std::span<scalar const>();
            if (is_bias)
                std::ranges::copy(values, found.biases.emplace_back(xt::zeros<scalar>({num_units_})).begin());
            else {
                std::size_t const columns = place ? place->extents[2] : 0;
                std::ranges::copy(
                    values, found.weights.emplace_back(xt::zeros<scalar>({num_units_, columns})).begin());
            }
        });
        return found;
    }
    /// The buffer of such tensors. Throws `std::invalid_argument` that names the tensor for another number or
    /// shape.
    std::vector<scalar> canonical_to_params(cudnn_canonical<scalar> const& from) const {
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
            std::size_t const number = is_bias ? bias++ : weight++;
            std::array<std::size_t, 2> const expected{num_units_, place && !is_bias ? place->extents[2] : 0};
            auto const take = [&](auto const& tensor, std::span<std::size_t const> shape) {
                if (!detail::shapes_agree(shape, tensor.shape()))
                    fail<std::invalid_argument>({"canonical_to_params expects ",
                                                 is_bias ? "bias " : "weight ", number, " of shape ", shape,
                                                 ", but got ", detail::extents_in(tensor.shape())});
                detail::require_numbers("a tensor given to canonical_to_params", tensor);
                if (place)
                    std::ranges::copy(tensor, place->in(std::span<scalar>(params)).begin());
            };
            if (is_bias)
                take(from.biases[number], std::span(expected).first(1));
            else
                take(from.weights[number], expected);
        });
        return params;
    }

    /// The layers as TensorFlow's saver writes them, under a scope: `save("model.safetensors", net.saved())`.
    cudnn_saved<Page, scalar> saved(std::string_view scope = {}) const {
        cudnn_saved<Page, scalar> found(scope, this->layers(), this->directions(), num_units_,
                                        this->input_size(), skips_input());
        convert(found, params(), [](scalar& kept, scalar value, bool is_half) {
            kept = is_half ? rounded<scalar>(widened(kept) + widened(value)) : value;
        });
        return found;
    }
    /// Takes the layers back; of a sum of two biases each becomes the half. Throws `std::invalid_argument` for
    /// layers of other sizes; nothing changes then.
    void restore(cudnn_saved<Page, scalar> const& from) {
        auto const expected = saved();
        for (std::size_t i = 0; i < expected.tensors().size(); ++i)
            if (i >= from.tensors().size() || from.tensors()[i].shape != expected.tensors()[i].shape)
                fail<std::invalid_argument>({"restore expects ", expected.tensors()[i].called, " of shape ",
                                             expected.tensors()[i].shape,
                                             ", but the saved layers are others"});
        if (from.tensors().size() != expected.tensors().size() || from.directions() != expected.directions())
            fail<std::invalid_argument>({"restore expects ", expected.layers(), " layers with ",
                                         expected.directions(), " directions, but the saved ones are ",
                                         from.layers(), " with ", from.directions()});
        std::vector<scalar> params(params_size());
        convert(from, std::span<scalar>(params), [](scalar const& kept, scalar& value, bool is_half) {
            value = is_half ? rounded<scalar>(widened(kept) / 2) : kept;
        });
        set_params(params);
    }

private:
    std::size_t num_units_;

    static cudnn_options const& checked(cudnn_options const& o) {
        if (o.num_units == 0 || o.input_size == 0)
            fail<std::invalid_argument>(
                {"layers of cuDNN expect num_units and input_size of at least 1, but they are ", o.num_units,
                 " and ", o.input_size});
        return o;
    }
    bool skips_input() const {
        auto const given = this->options().input_mode;
        return given == input_mode::skip_input ||
               (given == input_mode::auto_select && this->input_size() == num_units_);
    }
    void require_params(std::string_view who, std::span<scalar const> params) const {
        if (params.size() != params_size())
            fail<std::invalid_argument>(
                {who, " expects params_size() = ", params_size(), " numbers, but got ", params.size()});
    }

    /// Where a parameter of a layer lies; null for the matrices that a skipped input does not have.
    tensor_place const* place_of(std::size_t layer, std::size_t direction, char const* kind,
                                 char gate) const {
        if (layer == 0 && skips_input() && std::string_view(kind) == "W_")
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
                for (char const* const kind : {"W_", "R_", "b_W", "b_R"})
                    for (char const gate : mode::gates)
                        f(place_of(l, d, kind, gate), kind[0] == 'b');
    }

    /// f(number of the saver, number of the buffer, whether two biases make the former) for all of them.
    template <class Saved, class Params, class F>
    void convert(Saved& saved, Params params, F const& f) const {
        for (std::size_t l = 0; l < this->layers(); ++l)
            for (std::size_t d = 0; d < this->directions(); ++d)
                saved.for_each_of(l, d, [&](detail::saved_form const& form, auto& tensor) {
                    std::size_t const columns = form.gates.size() * num_units_;
                    std::size_t const rows_of_input = saved.input_rows(l, form, tensor);
                    for (std::size_t g = 0; g < form.gates.size(); ++g)
                        for (bool const of_state : {false, true}) {
                            if (!(of_state ? form.of_state : form.of_input))
                                continue;
                            char const* const kind = form.is_bias ? (of_state ? "b_R" : "b_W")
                                                     : of_state   ? "R_"
                                                                  : "W_";
                            tensor_place const* const place = place_of(l, d, kind, form.gates[g]);
                            std::size_t const width = place == nullptr ? 0
                                                      : form.is_bias   ? 1
                                                                       : place->extents[2];
                            std::size_t const row = of_state && !form.is_bias ? rows_of_input : 0;
                            for (std::size_t unit = 0; place != nullptr && unit < num_units_; ++unit)
                                for (std::size_t i = 0; i < width; ++i)
                                    f(tensor.values[(row + i) * columns + g * num_units_ + unit],
                                      params[place->first + unit * width + i],
                                      form.is_bias && form.of_input && form.of_state);
                        }
                });
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
