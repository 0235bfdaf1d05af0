// SPDX-License-Identifier: BSL-1.0
// Layers of PyTorch in the names of our pages, for readers of models that learned there:
//
//   torch.nn.LSTM    [4 units, width], gates i, f, g, o; two biases, which are added; g is our j
//   torch.nn.GRU     [3 units, width], gates r, z, n; z is our u; n keeps both biases (the cuDNN GRU)
//   torch.nn.Linear  [units, width] -> W_y [width, units]
#pragma once

#include <cstddef>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_reader.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::detail {

class pytorch_reader : protected json_reader {
protected:
    using json_reader::json_reader;

    static described_layer lstm_of(std::size_t width, std::size_t units, rows const& w, rows const& r,
                                   rows const& b) {
        described_layer made{.layer = {"lstm", {.input = width, .units = units}}};
        constexpr std::string_view ours = "ifjo";
        for (std::size_t g = 0; g < ours.size(); ++g) {
            made.parameters.push_back({name("W_", ours[g]), rows_of_gate(w, g, units, width)});
            made.parameters.push_back({name("R_", ours[g]), rows_of_gate(r, g, units, units)});
            made.parameters.push_back({name("b_", ours[g]), rows_of_gate(b, g, units, 1)});
        }
        return made;
    }
    static described_layer gru_of(std::size_t width, std::size_t units, rows const& w, rows const& r,
                                  rows const& own, rows const& inside) {
        described_layer made{.layer = {"cudnn_gru", {.input = width, .units = units}}};
        constexpr std::string_view ours = "run";
        for (std::size_t g = 0; g < ours.size(); ++g) {
            made.parameters.push_back({name("W_", ours[g]), rows_of_gate(w, g, units, width)});
            made.parameters.push_back({name("R_", ours[g]), rows_of_gate(r, g, units, units)});
            rows const bias = rows_of_gate(own, g, units, 1);
            rows const recurrent = rows_of_gate(inside, g, units, 1);
            made.parameters.push_back({name("b_", ours[g]), g < 2 ? sum_of(bias, recurrent) : bias});
            if (g == 2)
                made.parameters.push_back({"b_Rn", recurrent});
        }
        return made;
    }
    static described_layer linear_of(std::size_t width, std::size_t units, rows const& w, rows const& b) {
        return {.layer = {"dense", {.input = width, .units = units}},
                .parameters = {{"W_y", rows_of_gate(w, 0, units, width)}, {"b_y", b}}};
    }

private:
    static std::string name(std::string_view kind, char gate) { return std::string(kind) + gate; }
};

} // namespace sluice::detail
