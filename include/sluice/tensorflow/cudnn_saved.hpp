// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN as TensorFlow's saver writes them (CudnnGRUSaveable and its siblings, 1.4 and later):
// kernels that act on rows, [x, h] above each other and gates side by side, and one bias per gate.
//
//   GRU   gates/kernel [in + H, 2H]                     W_r^T W_u^T   above   R_r^T R_u^T
//         candidate/input_projection/kernel [in, H]     W_n^T
//         candidate/hidden_projection/kernel [H, H]     R_n^T
//         gates/bias [2H]                               b_Wr + b_Rr, b_Wu + b_Ru
//         candidate/input_projection/bias [H]           b_Wn
//         candidate/hidden_projection/bias [H]          b_Rn
//   LSTM  kernel [in + H, 4H], bias [4H]                gates in the order i, c, f, o
//   RNN   kernel [in + H, H], bias [H]
//
// They lie under a scope, then rnn/multi_rnn_cell/cell_<layer>/ or, in two directions,
// stack_bidirectional_rnn/cell_<layer>/bidirectional_rnn/fw/ and .../bw/, then the name of the cell; all
// kernels come first, then all biases. A sum of biases is read back as two halves: the function is the same,
// the single biases are not. A layer with skip_input, which takes its input as it is, has no rows for x.
//
//   auto saved = net.saved();                       of cudnn_gru_layers
//   save("model.safetensors", saved);               and load("model.safetensors", saved)
//   saved.read_into(cell, layer, direction);        a cell<cudnn_gru>, which then computes the same
//   saved.read_from(cell, layer, direction);        the other way
#pragma once

#include <cstddef>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/layout/frameworks/tensorflow_weights.hpp>
#include <sluice/layout/write.hpp>
#include <sluice/tensorflow/cudnn_options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// What cuDNN and TensorFlow call a page, its gates in cuDNN's order, the page with TensorFlow's kernels,
/// and how the saver lays a layer out, in two conventions of weights (layout/convention.hpp) with the same
/// tensors: `cell_table` is for the cells that compute the same with TensorFlow's kernels, `layer_table`
/// for the page.
template <class Page>
struct cudnn_mode;
template <>
struct cudnn_mode<canonical_gru> {
    using compatible = cudnn_gru;
    using cell_table = layout::tf_cudnn_compatible_gru_cell;
    static constexpr std::string_view rnn_mode = "gru", gates = "run";

    struct layer_table : layout::tf_cudnn_gru_names {
        using page = canonical_gru;
        static constexpr std::string_view name = "TensorFlow CudnnGRU";
        static constexpr layout::tensor tensors[] = {
            {"gates/kernel", "transposed W_r R_r / W_u R_u"},
            {"candidate/input_projection/kernel", "transposed W_n"},
            {"candidate/hidden_projection/kernel", "transposed R_n"},
            {"gates/bias", "b_Wr + b_Rr b_Wu + b_Ru"},
            {"candidate/input_projection/bias", "b_Wn"},
            {"candidate/hidden_projection/bias", "b_Rn"},
        };
    };
};
template <>
struct cudnn_mode<canonical_lstm> {
    using compatible = lstm;
    using cell_table = layout::tf_cudnn_compatible_lstm_cell;
    static constexpr std::string_view rnn_mode = "lstm", gates = "ifco";

    struct layer_table : cell_table {
        using page = canonical_lstm;
        static constexpr std::string_view name = "TensorFlow CudnnLSTM";
        static constexpr layout::tensor tensors[] = {
            {"kernel", "transposed W_i R_i / W_c R_c / W_f R_f / W_o R_o"},
            {"bias", "b_Wi + b_Ri b_Wc + b_Rc b_Wf + b_Rf b_Wo + b_Ro"},
        };
    };
};
template <>
struct cudnn_mode<canonical_tanh_rnn> {
    using compatible = tanh_rnn;
    using cell_table = layout::tf_rnn_cell;
    static constexpr std::string_view rnn_mode = "rnn_tanh", gates = "h";

    struct layer_table : cell_table {
        using page = canonical_tanh_rnn;
        static constexpr std::string_view name = "TensorFlow CudnnRNN";
        static constexpr layout::tensor tensors[] = {
            {"kernel", "transposed W_h R_h"},
            {"bias", "b_Wh + b_Rh"},
        };
    };
};
template <>
struct cudnn_mode<canonical_relu_rnn> : cudnn_mode<canonical_tanh_rnn> {
    using compatible = relu_rnn;
    static constexpr std::string_view rnn_mode = "rnn_relu";
};

} // namespace detail

/// The tensors of the saver: storable, so that `save` and `load` take them as they take a cell.
template <class Page, class S>
class cudnn_saved {
    using mode = detail::cudnn_mode<Page>;

public:
    struct tensor {
        std::string called{};
        std::vector<std::size_t> shape{};
        std::vector<S> values{};
    };

    /// Zeros. Of the options only those count that say which layers there are. Throws `std::invalid_argument`
    /// as the layers do.
    explicit cudnn_saved(cudnn_options const& o, std::string_view scope = {})
        : input_size_(detail::checked(o).input_size), units_(o.num_units),
          skips_input_(detail::skips_input(o)) {
        bool const is_one_way = directions_of(o.direction) == 1;
        found_.prefix.append(scope).append(scope.empty() ? "" : "/");
        found_.spelling = of_cells.spellings[is_one_way ? 0 : 1];
        found_.extents = {o.num_layers, directions_of(o.direction)};
        for (std::size_t l = 0; l < o.num_layers; ++l)
            found_.of_layers.push_back({.input = skips(l) ? 0 : input_size(l), .units = units_});
        for (bool const biases : {false, true})
            for_each_cell(o.num_layers, [&](std::size_t l, std::size_t d) {
                for (std::size_t t = 0; t < of_cells.tensors.size(); ++t)
                    if (layout::detail::is_of_biases(of_cells.tables[t]) == biases) {
                        tensor made{
                            layout::detail::name_in_file(of_cells, found_, t, l, d, 0),
                            layout::detail::shape_of(of_cells, of_cells.tables[t], found_.of_layers[l], {}),
                            {}};
                        made.values.resize(detail::require_count(
                            made.called, {made.shape.front(), biases ? 1 : made.shape.back()}));
                        tensors_.push_back(std::move(made));
                    }
            });
    }

    std::vector<tensor> const& tensors() const { return tensors_; }
    std::size_t layers() const { return tensors_.size() / (directions() * of_cells.tensors.size()); }
    std::size_t directions() const { return found_.extents.directions; }
    std::size_t units() const { return units_; }
    /// How wide the input of a layer is.
    std::size_t input_size(std::size_t layer) const {
        return layer == 0 ? input_size_ : directions() * units_;
    }

    /// Gives one layer and direction to a cell of cudnn_gru, lstm, tanh_rnn or relu_rnn (of skip_input<page>
    /// where the layer takes its input as it is), which then computes the same. The forget bias of an lstm
    /// becomes 0. Throws `std::invalid_argument` for a cell of other equations or sizes, and for a layer or
    /// direction that is not there; nothing changes then.
    template <any_cell Cell>
    void read_into(Cell& cell, std::size_t layer, std::size_t direction = 0) const {
        require_cell("read_into", cell, layer, direction);
        archive const file = together();
        layout::detail::layer_weights const weights{file, of_cells, found_, layer, direction};
        cell.visit_tensors(
            [&](std::string_view called, auto shape, auto values) { weights.fill(called, shape, values); });
    }
    /// Gives all layers to a stack of such cells: a stack<cudnn_gru>, say.
    template <any_stack Stack>
    void read_into(Stack& net) const {
        require_stack("read_into", net);
        archive const file = together();
        net.visit_tensors([&](std::string_view called, auto shape, auto values) {
            for_each_cell(layers(), [&](std::size_t l, std::size_t d) {
                if (std::string const prefix = net.prefix(l, d); called.starts_with(prefix))
                    layout::detail::layer_weights{file, of_cells, found_, l, d}.fill(
                        called.substr(prefix.size()), shape, values);
            });
        });
    }

    /// Takes one layer and direction from such a cell. The forget bias of an lstm is added to b_f. Throws as
    /// read_into does; nothing changes then.
    template <any_cell Cell>
    void read_from(Cell const& cell, std::size_t layer, std::size_t direction = 0) {
        require_cell("read_from", cell, layer, direction);
        write(of_cells, layout::detail::tensors_of(cell), layer, direction);
    }
    /// Takes all layers from a stack of such cells.
    template <any_stack Stack>
    void read_from(Stack const& net) {
        require_stack("read_from", net);
        for (std::size_t l = 0; l < layers(); ++l)
            for (std::size_t d = 0; d < directions(); ++d)
                write(of_cells, layout::detail::tensors_of(net, l, d), l, d);
    }

    template <class F>
    void visit_tensors(F&& f) const {
        for (tensor const& t : tensors_)
            f(std::string_view(t.called), std::span<std::size_t const>(t.shape),
              std::span<S const>(t.values));
    }
    template <class F>
    void visit_tensors(F&& f) {
        for (tensor& t : tensors_)
            f(std::string_view(t.called), std::span<std::size_t const>(t.shape), std::span<S>(t.values));
    }

    // For the layers, by their own table.

    /// Takes the parameters of a layer.
    void write_layer(layout::detail::cell_tensors<S> const& from, std::size_t layer, std::size_t direction) {
        write(of_layers, from, layer, direction);
    }
    /// Gives a parameter of a layer its values.
    void read_parameter(archive const& file, std::string_view called, std::span<S> values, std::size_t layer,
                        std::size_t direction) const {
        layout::detail::layer_weights{file, of_layers, found_, layer, direction}.read(*of_layers.find(called),
                                                                                      values);
    }
    /// All tensors as an archive.
    archive together() const {
        archive all;
        for (tensor const& t : tensors_)
            all.add<S>(t.called, t.shape, t.values);
        return all;
    }

private:
    static constexpr layout::description of_cells = layout::describe<typename mode::cell_table>(),
                                         of_layers = layout::describe<typename mode::layer_table>();

    std::size_t input_size_, units_;
    bool skips_input_;
    layout::found_weights found_{};
    std::vector<tensor> tensors_{}; ///< all kernels, then all biases

    bool skips(std::size_t layer) const { return layer == 0 && skips_input_; }

    template <class F>
    void for_each_cell(std::size_t layers, F const& f) const {
        for (std::size_t l = 0; l < layers; ++l)
            for (std::size_t d = 0; d < directions(); ++d)
                f(l, d);
    }
    void write(layout::description const& by, layout::detail::cell_tensors<S> const& from, std::size_t layer,
               std::size_t direction) {
        layout::spelled_as const how{found_.prefix, found_.spelling};
        layout::detail::weights_writer<S> writer(by, how, found_.extents);
        writer.add(from, found_.of_layers[layer], layer, direction);
        archive made;
        writer.store(made);
        for (tensor& t : tensors_)
            if (made.contains(t.called)) {
                layout::detail::stored_numbers<S> const numbers(made, t.called);
                for (std::size_t i = 0; i < t.values.size(); ++i)
                    t.values[i] = numbers[i];
            }
    }

    template <class Cell>
    void require_cell(std::string_view who, Cell const& cell, std::size_t layer,
                      std::size_t direction) const {
        require_scalar<Cell>();
        if (layer >= layers() || direction >= directions())
            fail<std::invalid_argument>({"the saved layers are ", layers(), " with ", directions(),
                                         " directions; there is no layer ", layer, ", direction ",
                                         direction});
        require_layer(who, cell.equations_text(), cell.extents().units, cell.input_size(), layer);
    }
    template <class Net>
    static void require_scalar() {
        static_assert(std::is_same_v<typename Net::scalar_type, S>,
                      "sluice: saved layers and the cells that read them are of the same scalar");
    }
    void require_layer(std::string_view who, std::string_view equations, std::size_t units, std::size_t input,
                       std::size_t layer) const {
        using compatible = typename mode::compatible;
        std::string const expected(skips(layer) ? print<skip_input<compatible>, notation::expanded>().view()
                                                : print<compatible, notation::expanded>().view());
        if (equations != expected)
            fail<std::invalid_argument>({who, ", layer ", layer, ", expects a cell of ",
                                         skips(layer) ? "skip_input of " : "", compatible::name, ":\n",
                                         expected, "\nbut it is of\n", equations});
        if (units != units_ || input != input_size(layer))
            fail<std::invalid_argument>({who, ", layer ", layer, ", expects a cell of ", units_,
                                         " units and an input of ", input_size(layer), ", but it is of ",
                                         units, " and ", input});
    }
    template <class Stack>
    void require_stack(std::string_view who, Stack const& net) const {
        require_scalar<Stack>();
        if (net.layers() != layers() || net.directions() != directions() ||
            net.options().direction == direction::reversed)
            fail<std::invalid_argument>({who, " expects a stack of ", layers(), " layers with ", directions(),
                                         " directions, but it is of ", net.layers(), ", ",
                                         name_of(net.options().direction)});
        for (std::size_t l = 0; l < layers(); ++l)
            net.with_page_of(l, [&]<class OfLayer>() {
                auto const& of_layer = net.as_net().layers[l];
                require_layer(who, print<OfLayer, notation::expanded>().view(),
                              of_layer.ways[0].extents.units, of_layer.input, l);
            });
    }
};

} // namespace sluice
