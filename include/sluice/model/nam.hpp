// SPDX-License-Identifier: BSL-1.0
// Models of the Neural Amp Modeler (github.com/sdatkinson/NeuralAmpModelerCore) with an LSTM: `.nam` files.
//
//   { "version": "0.5.4", "architecture": "LSTM", "sample_rate": 48000,
//     "config": {"num_layers": 1, "input_size": 1, "hidden_size": 24},
//     "weights": [ for each layer  [W R] [4 units, input + units], row by row; gates i, f, g, o
//                                  b [4 units], h [units], c [units]: where the states start
//                  at the end      weights [units] and bias [1] of a dense layer ] }
//
// Other architectures, such as WaveNet, are refused.
#pragma once

#include <cstddef>
#include <sluice/checkpoint/error.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_tree.hpp>
#include <sluice/model/pytorch_layers.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

class nam_reader : pytorch_reader {
public:
    nam_reader(json_value const& root, std::string file) : pytorch_reader(root, std::move(file)) {}

    described_model read() {
        described_model found;
        found.source = "NAM, " + file_;
        std::string const type = text_of(root_, "architecture");
        if (type != "LSTM")
            refuse("a model of the architecture " + checkpoint_errors::shown(type) +
                   " cannot be run; one of the architecture 'LSTM' can");
        found.sample_rate = number_of(root_, "sample_rate", 48000);
        found.numbers = {{"forget_bias", 0}};
        json_value const& about = member(root_, "config");
        numbers_ = &member(root_, "weights").numbers;
        at("config");
        auto const whole = [&](std::string_view name) { return width_of(member(about, name).number, name); };
        std::size_t const units = whole("hidden_size"), layers = whole("num_layers");
        std::size_t width = whole("input_size");
        at("weights");
        for (std::size_t l = 0; l < layers; ++l, width = units) {
            rows const both = next(4 * units, width + units);
            rows w, r;
            for (std::size_t row = 0; row < 4 * units; ++row)
                for (std::size_t k = 0; k < width + units; ++k)
                    (k < width ? w : r).push_back(both[row * (width + units) + k]);
            found.layers.push_back(lstm_of(width, units, w, r, next(4 * units, 1)));
            std::string const layer = "layer" + std::to_string(l) + "/";
            found.starts.push_back({layer + "h", next(units, 1)});
            found.starts.push_back({layer + "c", next(units, 1)});
        }
        rows const head = next(units, 1), bias = next(1, 1);
        found.layers.push_back(linear_of(units, 1, head, bias));
        if (taken_ != numbers_->size())
            refuse("there are " + std::to_string(numbers_->size()) + " numbers, but these layers have " +
                   std::to_string(taken_));
        return found;
    }

private:
    rows next(std::size_t height, std::size_t width) {
        if (height > (numbers_->size() - taken_) / width)
            refuse("there are " + std::to_string(numbers_->size()) +
                   " numbers, but these layers have more than that");
        auto const from = numbers_->begin() + static_cast<std::ptrdiff_t>(taken_);
        taken_ += height * width;
        return rows(from, from + static_cast<std::ptrdiff_t>(height * width));
    }

    std::vector<double> const* numbers_ = nullptr;
    std::size_t taken_ = 0;
};

} // namespace detail

/// Whether it is a model of NAM, and not another program's JSON.
inline bool is_nam(json_value const& root) {
    return root.find("architecture") != nullptr && root.find("config") != nullptr;
}

/// `file` is how errors call it. Throws checkpoint_error for another architecture and other numbers.
inline described_model describe_nam(json_value const& root, std::string const& file) {
    return detail::nam_reader(root, file).read();
}

} // namespace sluice
