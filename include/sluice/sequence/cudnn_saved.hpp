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
// the single biases are not. A layer that takes its input as it is (skip_input) has no rows for x.
//
//   auto saved = net.saved();                       of cudnn_gru_layers
//   save("model.safetensors", saved);               and load("model.safetensors", saved)
//   saved.read_into(cell, layer, direction);        a cell<cudnn_gru>, which then computes the same
//   saved.read_from(cell, layer, direction);        the other way
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/cell/skip_input.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/sequence/cudnn_forms.hpp>
#include <sluice/sequence/cudnn_options.hpp>
#include <sluice/sequence/stack.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

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
        : directions_(directions_of(detail::checked(o).direction)), units_(o.num_units),
          input_size_(o.input_size), skips_input_(detail::skips_input(o)) {
        for (bool const biases : {false, true})
            for (std::size_t l = 0; l < o.num_layers; ++l)
                for (std::size_t d = 0; d < directions_; ++d)
                    for (detail::saved_form const& form : mode::forms)
                        if (form.is_bias == biases)
                            add(scope, l, d, form);
    }

    std::vector<tensor> const& tensors() const { return tensors_; }
    std::size_t layers() const { return tensors_.size() / (directions_ * mode::forms.size()); }
    std::size_t directions() const { return directions_; }
    std::size_t units() const { return units_; }
    /// How wide the input of a layer is.
    std::size_t input_size(std::size_t layer) const {
        return layer == 0 ? input_size_ : directions_ * units_;
    }

    /// Gives one layer and direction to a cell of cudnn_gru, lstm, tanh_rnn or relu_rnn (of skip_input<page>
    /// where the layer takes its input as it is), which then computes the same. The forget bias of an lstm
    /// becomes 0. Throws `std::invalid_argument` for a cell of other equations or sizes, and for a layer or
    /// direction that is not there; nothing changes then.
    template <any_cell Cell>
    void read_into(Cell& cell, std::size_t layer, std::size_t direction = 0) const {
        require_cell("read_into", cell, layer, direction);
        cell.visit_tensors([&](std::string_view called, auto, auto values) {
            read_into_tensor(called, values, layer, direction);
        });
    }
    /// Gives all layers to a stack of such cells: a stack<cudnn_gru>, say.
    template <any_stack Stack>
    void read_into(Stack& net) const {
        require_stack("read_into", net);
        net.visit_tensors([&](std::string_view called, auto, auto values) {
            for_each_cell([&](std::size_t l, std::size_t d) {
                if (std::string const prefix = net.prefix(l, d); called.starts_with(prefix))
                    read_into_tensor(called.substr(prefix.size()), values, l, d);
            });
        });
    }

    /// Takes one layer and direction from such a cell. The forget bias of an lstm is added to b_f. Throws as
    /// read_into does; nothing changes then.
    template <any_cell Cell>
    void read_from(Cell const& cell, std::size_t layer, std::size_t direction = 0) {
        require_cell("read_from", cell, layer, direction);
        cell.visit_tensors([&](std::string_view called, auto, auto values) {
            read_from_tensor(called, values, layer, direction);
        });
    }
    /// Takes all layers from a stack of such cells.
    template <any_stack Stack>
    void read_from(Stack const& net) {
        require_stack("read_from", net);
        net.visit_tensors([&](std::string_view called, auto, auto values) {
            for_each_cell([&](std::size_t l, std::size_t d) {
                if (std::string const prefix = net.prefix(l, d); called.starts_with(prefix))
                    read_from_tensor(called.substr(prefix.size()), values, l, d);
            });
        });
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

    // For the layers.

    /// f(saved_block) for each gate of each tensor of one layer and direction. Throws `std::invalid_argument`
    /// for one that is not there.
    template <class F>
    void for_each_block(std::size_t layer, std::size_t direction, F const& f) {
        for_each_block_of(*this, layer, direction, f);
    }
    template <class F>
    void for_each_block(std::size_t layer, std::size_t direction, F const& f) const {
        for_each_block_of(*this, layer, direction, f);
    }

private:
    std::size_t directions_, units_, input_size_;
    bool skips_input_;
    std::vector<tensor> tensors_{}; ///< all kernels, then all biases

    bool skips(std::size_t layer) const { return layer == 0 && skips_input_; }
    /// How many rows of a kernel multiply x.
    std::size_t input_rows(std::size_t layer, detail::saved_form const& form) const {
        return form.of_input && !skips(layer) ? input_size(layer) : 0;
    }

    void add(std::string_view scope, std::size_t layer, std::size_t direction,
             detail::saved_form const& form) {
        tensor t;
        append({scope, scope.empty() ? "" : "/",
                directions_ == 1 ? "rnn/multi_rnn_cell/cell_" : "stack_bidirectional_rnn/cell_", layer,
                directions_ == 1 ? "/"
                : direction == 0 ? "/bidirectional_rnn/fw/"
                                 : "/bidirectional_rnn/bw/",
                mode::cell, "/", form.called},
               t.called);
        std::size_t const rows = input_rows(layer, form) + (form.of_state ? units_ : 0);
        std::size_t const columns = form.gates.size() * units_;
        t.shape = form.is_bias ? std::vector<std::size_t>{columns} : std::vector<std::size_t>{rows, columns};
        t.values.resize(detail::require_count(t.called, {form.is_bias ? 1 : rows, columns}));
        tensors_.push_back(std::move(t));
    }

    template <class F>
    void for_each_cell(F const& f) const {
        for (std::size_t l = 0; l < layers(); ++l)
            for (std::size_t d = 0; d < directions_; ++d)
                f(l, d);
    }

    template <class Self, class F>
    static void for_each_block_of(Self& self, std::size_t layer, std::size_t direction, F const& f) {
        using tensor_type = std::remove_reference_t<decltype(self.tensors_.front())>;
        if (layer >= self.layers() || direction >= self.directions_)
            fail<std::invalid_argument>({"the saved layers are ", self.layers(), " with ", self.directions_,
                                         " directions; there is no layer ", layer, ", direction ",
                                         direction});
        std::size_t const cells = self.layers() * self.directions_;
        std::size_t const cell = layer * self.directions_ + direction;
        std::size_t first = 0;
        for (bool const biases : {false, true}) {
            std::size_t const each = static_cast<std::size_t>(
                std::ranges::count(mode::forms, biases, &detail::saved_form::is_bias));
            tensor_type* next = self.tensors_.data() + first + cell * each;
            for (detail::saved_form const& form : mode::forms) {
                if (form.is_bias != biases)
                    continue;
                tensor_type& t = *next++;
                std::size_t const columns = form.gates.size() * self.units_;
                std::size_t const of_x = self.input_rows(layer, form);
                for (std::size_t g = 0; g < form.gates.size(); ++g) {
                    std::size_t const column = g * self.units_;
                    auto const block = [&](std::size_t row, std::size_t rows, bool x, bool h) {
                        f(detail::saved_block<tensor_type>{t, row * columns + column, rows, columns,
                                                           form.gates[g], biases, x, h});
                    };
                    if (biases)
                        block(0, 1, form.of_input, form.of_state);
                    if (!biases && of_x > 0)
                        block(0, of_x, true, false);
                    if (!biases && form.of_state)
                        block(of_x, self.units_, false, true);
                }
            }
            first += cells * each;
        }
    }

    /// Whether the compatible cell calls a block so.
    template <class Block>
    static bool is_called(std::string_view called, Block const& block) {
        std::string_view const kind = block.is_bias    ? (block.of_input ? "b_" : "b_R")
                                      : block.of_input ? "W_"
                                                       : "R_";
        return called.size() == kind.size() + 1 && called.starts_with(kind) &&
               called.back() == mode::cell_gates[mode::gates.find(block.gate)];
    }
    template <class T>
    void read_into_tensor(std::string_view called, std::span<T> values, std::size_t layer,
                          std::size_t direction) const {
        if (called == "forget_bias")
            values[0] = T(0);
        else if constexpr (std::is_same_v<T, S>) // settings are of another type where S is narrow
            for_each_block(layer, direction, [&](auto const& block) {
                for (std::size_t r = 0; is_called(called, block) && r < block.rows; ++r)
                    for (std::size_t i = 0; i < units_; ++i)
                        values[r * units_ + i] = block.at(r, i);
            });
    }
    /// A cell shows its settings behind its parameters.
    template <class T>
    void read_from_tensor(std::string_view called, std::span<T const> values, std::size_t layer,
                          std::size_t direction) {
        for_each_block(layer, direction, [&](auto const& block) {
            if constexpr (std::is_same_v<T, arithmetic_of<S>>)
                if (called == "forget_bias" && block.is_bias && block.gate == 'f')
                    for (std::size_t i = 0; i < units_; ++i)
                        block.at(0, i) = rounded<S>(widened(block.at(0, i)) + values[0]);
            if constexpr (std::is_same_v<T, S>)
                for (std::size_t r = 0; is_called(called, block) && r < block.rows; ++r)
                    for (std::size_t i = 0; i < units_; ++i)
                        block.at(r, i) = values[r * units_ + i];
        });
    }

    template <class Cell>
    void require_cell(std::string_view who, Cell const& cell, std::size_t layer,
                      std::size_t direction) const {
        static_assert(std::is_same_v<typename Cell::scalar_type, S>,
                      "sluice: saved layers and the cells that read them are of the same scalar");
        for_each_block(layer, direction, [](auto const&) {}); // which refuses a layer that is not there
        using compatible = typename mode::compatible;
        std::string const expected(skips(layer) ? print<skip_input<compatible>, notation::expanded>().view()
                                                : print<compatible, notation::expanded>().view());
        if (std::string const came = cell.equations_text(); came != expected)
            fail<std::invalid_argument>({who, ", layer ", layer, ", expects a cell of ",
                                         skips(layer) ? "skip_input of " : "", compatible::name, ":\n",
                                         expected, "\nbut it is of\n", came});
        if (cell.extents().units != units_ || cell.input_size() != input_size(layer))
            fail<std::invalid_argument>({who, ", layer ", layer, ", expects a cell of ", units_,
                                         " units and an input of ", input_size(layer), ", but it is of ",
                                         cell.extents().units, " and ", cell.input_size()});
    }
    template <class Stack>
    void require_stack(std::string_view who, Stack const& net) const {
        if (net.layers() != layers() || net.directions() != directions_ ||
            net.options().direction == direction::reversed)
            fail<std::invalid_argument>({who, " expects a stack of ", layers(), " layers with ", directions_,
                                         " directions, but it is of ", net.layers(), ", ",
                                         name_of(net.options().direction)});
        net.for_each_layer([&](auto const& one, auto at) {
            for (std::size_t d = 0; d < directions_; ++d)
                require_cell(who, one.cells()[d], at.layer, d);
        });
    }
};

} // namespace sluice
