// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN as TensorFlow's saver writes them (CudnnGRUSaveable and its siblings, 1.4 and later): kernels
// that act on rows, [x, h] above each other and gates side by side, and one bias per gate.
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
// stack_bidirectional_rnn/cell_<layer>/bidirectional_rnn/fw/ and .../bw/, then the name of the cell; all kernels
// come first, then all biases. A sum of biases is read back as two halves: the function is the same, the single
// biases are not. A layer that takes its input as it is (skip_input) has no rows for x.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <sluice/cell/canonical.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/shape.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// A tensor of the saver: some gates of a layer, side by side, of the product with x, of that with h, or both.
struct saved_form {
    std::string_view called;
    bool is_bias;
    bool of_input, of_state;
    std::string_view gates; ///< their letters in the page, in order
};

/// What cuDNN and TensorFlow call a page, its gates in cuDNN's order, those of the cell with TensorFlow's kernels
/// (cudnn_gru, lstm, tanh_rnn, relu_rnn), and the form in which it is saved.
template <class Page>
struct cudnn_mode;
template <>
struct cudnn_mode<canonical_gru> {
    static constexpr std::string_view rnn_mode = "gru", cell = "cudnn_compatible_gru_cell", gates = "run",
                                      cell_gates = "run";
    static constexpr std::array<saved_form, 6> forms{{
        {"gates/kernel", false, true, true, "ru"},
        {"candidate/input_projection/kernel", false, true, false, "n"},
        {"candidate/hidden_projection/kernel", false, false, true, "n"},
        {"gates/bias", true, true, true, "ru"},
        {"candidate/input_projection/bias", true, true, false, "n"},
        {"candidate/hidden_projection/bias", true, false, true, "n"},
    }};
};
template <>
struct cudnn_mode<canonical_lstm> {
    static constexpr std::string_view rnn_mode = "lstm", cell = "cudnn_compatible_lstm_cell", gates = "ifco",
                                      cell_gates = "ifjo";
    static constexpr std::array<saved_form, 2> forms{{
        {"kernel", false, true, true, "icfo"},
        {"bias", true, true, true, "icfo"},
    }};
};
template <>
struct cudnn_mode<canonical_tanh_rnn> {
    static constexpr std::string_view rnn_mode = "rnn_tanh", cell = "basic_rnn_cell", gates = "h",
                                      cell_gates = "h";
    static constexpr std::array<saved_form, 2> forms{{
        {"kernel", false, true, true, "h"},
        {"bias", true, true, true, "h"},
    }};
};
template <>
struct cudnn_mode<canonical_relu_rnn> : cudnn_mode<canonical_tanh_rnn> {
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

    /// Zeros, for layers whose inputs have these widths; the first has none where it takes x as it is.
    cudnn_saved(std::string_view scope, std::size_t layers, std::size_t directions, std::size_t units,
                std::size_t first_input, bool skips_input)
        : directions_(directions), units_(units), skips_input_(skips_input) {
        for (bool const biases : {false, true})
            for (std::size_t l = 0; l < layers; ++l)
                for (std::size_t d = 0; d < directions; ++d)
                    for (detail::saved_form const& form : mode::forms)
                        if (form.is_bias == biases)
                            add(scope, l, d, form, l == 0 ? first_input : directions * units);
    }

    std::vector<tensor> const& tensors() const { return tensors_; }
    std::size_t layers() const { return tensors_.size() / (directions_ * mode::forms.size()); }
    std::size_t directions() const { return directions_; }
    std::size_t units() const { return units_; }

    /// f(form, tensor) for the tensors of one layer and direction.
    template <class F>
    void for_each_of(std::size_t layer, std::size_t direction, F&& f) {
        for_each(*this, layer, direction, f);
    }
    template <class F>
    void for_each_of(std::size_t layer, std::size_t direction, F&& f) const {
        for_each(*this, layer, direction, f);
    }
    /// How many rows of a kernel belong to x.
    std::size_t input_rows(std::size_t layer, detail::saved_form const& form, tensor const& t) const {
        bool const has = form.of_input && !(layer == 0 && skips_input_);
        return has ? t.shape[0] - (form.of_state ? units_ : 0) : 0;
    }

    /// Gives one layer and direction to a cell of cudnn_gru, lstm, tanh_rnn or relu_rnn (of skip_input<page> where
    /// the layer takes its input as it is), which then computes the same. The forget bias of an lstm becomes 0.
    /// Throws `std::invalid_argument` for a cell of another page or of other sizes; nothing changes then.
    template <class Cell>
    void read_into(Cell& cell, std::size_t layer, std::size_t direction = 0) const {
        std::map<std::string, std::vector<S>, std::less<>> found;
        for_each_of(layer, direction, [&](detail::saved_form const& form, tensor const& t) {
            std::size_t const columns = form.gates.size() * units_;
            std::size_t const of_input = form.is_bias ? 1 : input_rows(layer, form, t);
            for (std::size_t g = 0; g < form.gates.size(); ++g) {
                char const gate = mode::cell_gates[mode::gates.find(form.gates[g])];
                auto const take = [&](std::string_view kind, std::size_t first, std::size_t rows) {
                    auto& values = found[std::string(kind) + gate];
                    for (std::size_t r = first; r < first + rows; ++r)
                        for (std::size_t i = 0; i < units_; ++i)
                            values.push_back(t.values[r * columns + g * units_ + i]);
                };
                if (form.is_bias)
                    take(form.of_input ? "b_" : "b_R", 0, 1);
                else {
                    if (of_input > 0)
                        take("W_", 0, of_input);
                    if (form.of_state)
                        take("R_", of_input, units_);
                }
            }
        });
        std::size_t used = 0;
        std::as_const(cell).visit_tensors([&](std::string_view called, auto shape, auto values) {
            if (shape.empty())
                return;
            auto const at = found.find(called);
            if (at == found.end() || at->second.size() != values.size())
                fail<std::invalid_argument>({"the saved layer has no ", called, " of shape ", shape,
                                             "; it is read into a cell of ", mode::cell,
                                             "'s equations and sizes"});
            ++used;
        });
        if (used != found.size())
            fail<std::invalid_argument>({"the saved layer has ", found.size(),
                                         " parameters, but the cell takes ", used,
                                         "; it is read into a cell of ", mode::cell, "'s equations"});
        cell.visit_tensors([&](std::string_view called, auto shape, auto values) {
            if (shape.empty())
                values[0] = 0; // the forget bias
            else if constexpr (std::is_same_v<typename decltype(values)::value_type, S>)
                std::ranges::copy(found.find(called)->second, values.begin());
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

private:
    std::size_t directions_, units_;
    bool skips_input_;
    std::vector<tensor> tensors_{}; ///< all kernels, then all biases

    void add(std::string_view scope, std::size_t layer, std::size_t direction, detail::saved_form const& form,
             std::size_t input) {
        tensor t;
        append({scope, scope.empty() ? "" : "/",
                directions_ == 1 ? "rnn/multi_rnn_cell/cell_" : "stack_bidirectional_rnn/cell_", layer,
                directions_ == 1 ? "/"
                : direction == 0 ? "/bidirectional_rnn/fw/"
                                 : "/bidirectional_rnn/bw/",
                mode::cell, "/", form.called},
               t.called);
        std::size_t const rows =
            (form.of_input && !(layer == 0 && skips_input_) ? input : 0) + (form.of_state ? units_ : 0);
        std::size_t const columns = form.gates.size() * units_;
        t.shape = form.is_bias ? std::vector<std::size_t>{columns} : std::vector<std::size_t>{rows, columns};
        t.values.resize(detail::require_count(t.called, {form.is_bias ? 1 : rows, columns}));
        tensors_.push_back(std::move(t));
    }

    template <class Self, class F>
    static void for_each(Self& self, std::size_t layer, std::size_t direction, F& f) {
        if (layer >= self.layers() || direction >= self.directions_)
            fail<std::invalid_argument>({"the saved layers are ", self.layers(), " with ", self.directions_,
                                         " directions; there is no layer ", layer, ", direction ",
                                         direction});
        std::size_t const cells = self.layers() * self.directions_;
        std::size_t const cell = layer * self.directions_ + direction;
        for (bool const biases : {false, true}) {
            std::size_t const each = static_cast<std::size_t>(
                std::ranges::count(mode::forms, biases, &detail::saved_form::is_bias));
            std::size_t at = (biases ? cells * (mode::forms.size() - each) : 0) + cell * each;
            for (detail::saved_form const& form : mode::forms)
                if (form.is_bias == biases)
                    f(form, self.tensors_[at++]);
        }
    }
};

} // namespace sluice
