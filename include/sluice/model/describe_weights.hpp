// SPDX-License-Identifier: BSL-1.0
// A model of the weights of a framework, where names and shapes say its structure: layers of one convention
// (layout/recognise.hpp), one after the other, and after them dense layers of PyTorch or Keras.
//
//   auto const file = sluice::safetensors::read("net.safetensors");
//   sluice::described_model const net = sluice::describe_weights(file, "net.safetensors");
//
//   rec.weight_ih_l0 [4 units, input], ...       lstm
//   lin.weight [output, units], lin.bias         dense: W_y [units, output]
//
// Where names and shapes leave a choice, such as which gate of a GRU keeps the old state, it has to be named.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/stored_numbers.hpp>
#include <sluice/layout/read.hpp>
#include <sluice/layout/recognise.hpp>
#include <sluice/model/described_model.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

class weights_reader {
public:
    weights_reader(archive const& file, std::string source) : file_(file), source_(std::move(source)) {}

    described_model read(std::string_view convention, std::span<std::string const> cells) {
        layout::recognised const found = choose(convention, cells);
        layout::description const& d = found.convention->what;
        described_model made{.source = std::string(found.convention->key) + ", " + source_};
        if (found.weights.extents.directions != 1)
            refuse("its layers run in both directions; a model that runs step by step has one");
        layout::detail::layer_weights const first{file_, d, found.weights, 0, 0};
        for (setting_entry const& entry : d.page_settings)
            if (auto const number = first.setting(entry.called.view()))
                made.numbers.given.emplace_back(entry.called.view(), *number);
        for (std::size_t layer = 0; layer < found.weights.extents.layers; ++layer) {
            sizes const& n = found.weights.of_layers[layer];
            layout::detail::layer_weights const weights{file_, d, found.weights, layer, 0};
            described_layer& one =
                made.layers.emplace_back(described_layer{.layer = {std::string(found.convention->page), n}});
            for (parameter_entry const& entry : d.parameters) {
                auto const extents = entry.extents(n);
                std::vector<double> values(extents[0] * extents[1] * extents[2]);
                weights.read(entry, std::span(values));
                one.parameters.push_back({std::string(entry.called.view()), std::move(values)});
            }
            width_ = n.projection > 0 ? n.projection : n.units;
        }
        add_dense(found, made);
        return made;
    }

private:
    [[noreturn]] void refuse(std::string const& words) const {
        throw checkpoint_errors::bad_entry(source_ + ": " + words + ".");
    }

    layout::recognised choose(std::string_view convention, std::span<std::string const> cells) const {
        auto all = layout::recognise(file_);
        std::erase_if(all, [&](layout::recognised const& one) {
            return convention.empty() ? !cells.empty() && !std::ranges::count(cells, one.convention->page)
                                      : one.convention->key != convention;
        });
        if (all.empty())
            refuse(convention.empty()
                       ? std::string("no weights of recurrent layers are recognised in it")
                       : "no weights of " + std::string(convention.substr(0, 60)) + " are recognised in it");
        std::string names;
        for (auto const& one : all)
            names += (names.empty() ? "" : ", ") + std::string(one.convention->key) +
                     (one.weights.called.empty() ? "" : " of '" + one.weights.called + "'");
        if (all.size() > 1)
            refuse("its weights may be " + names +
                   "; name the convention, and give a file with the layers of one net");
        return std::move(all.front());
    }

    /// What is left: layers with a matrix and a bias, each as wide as what comes before it.
    void add_dense(layout::recognised const& found, described_model& to) {
        std::set<std::string> left;
        for (stored_tensor const& one : file_.tensors())
            if (!found.tensors.contains(one.name))
                left.insert(one.name);
        bool const is_keras = found.convention->key.starts_with("keras");
        if (!is_keras && !found.convention->key.starts_with("pytorch"))
            left.clear(); // other frameworks number and name what is not a cell as they like
        while (!left.empty()) {
            auto const matrix = std::ranges::find_if(left, [&](std::string const& name) {
                auto const& shape = file_.tensor(name).shape;
                return is_matrix(name, is_keras) && shape.size() == 2 && shape[is_keras ? 0 : 1] == width_;
            });
            if (matrix == left.end())
                refuse("after its recurrent layers, " + std::to_string(width_) + " wide, the tensor " +
                       checkpoint_errors::shown(*left.begin()) +
                       " is of no dense layer of that width; such a net is put together in a program");
            std::string const name = *matrix, beside = bias_of(name, is_keras);
            std::size_t const units = file_.tensor(name).shape[is_keras ? 1 : 0];
            std::vector<double> const w = numbers_of(name);
            described_layer one{.layer = {"dense", {.input = width_, .units = units}}};
            one.parameters.push_back({"W_y", is_keras ? w : turned(w, units)});
            left.erase(matrix);
            if (left.erase(beside) > 0)
                one.parameters.push_back({"b_y", numbers_of(beside)});
            else
                one.parameters.push_back({"b_y", std::vector<double>(units)});
            if (one.parameters[1].values.size() != units)
                refuse(checkpoint_errors::shown(beside) + " should have " + std::to_string(units) +
                       " numbers");
            to.layers.push_back(std::move(one));
            width_ = units;
        }
    }
    std::vector<double> numbers_of(std::string const& name) const {
        stored_numbers<double> const from(file_, name);
        std::vector<double> all;
        auto const& shape = file_.tensor(name).shape;
        std::size_t const count =
            std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(from[i]);
        return all;
    }
    static bool is_matrix(std::string const& name, bool is_keras) {
        return is_keras ? name.find("kernel") != name.npos || name.ends_with("/0")
                        : name == "weight" || name.ends_with(".weight");
    }
    static std::string bias_of(std::string const& name, bool is_keras) {
        if (!is_keras)
            return name.substr(0, name.size() - 6) + "bias";
        if (name.ends_with("/0"))
            return name.substr(0, name.size() - 1) + "1";
        std::size_t const at = name.rfind("kernel");
        return name.substr(0, at) + "bias" + name.substr(at + 6);
    }
    /// [units, width] as [width, units].
    std::vector<double> turned(std::vector<double> const& w, std::size_t units) const {
        std::vector<double> made(w.size());
        for (std::size_t u = 0; u < units; ++u)
            for (std::size_t k = 0; k < width_; ++k)
                made[k * units + u] = w[u * width_ + k];
        return made;
    }

    archive const& file_;
    std::string source_;
    std::size_t width_ = 0;
};

} // namespace detail

/// `source` is how errors call the file; `convention` the name of one of `known_conventions`, or nothing
/// where names and shapes say which, of those whose cells are among `cells` if any are given. Throws
/// checkpoint_error where they do not, for layers in both directions, and for tensors of other layers
/// than recurrent and dense ones.
inline described_model describe_weights(archive const& file, std::string const& source,
                                        std::string_view convention = {},
                                        std::span<std::string const> cells = {}) {
    return detail::weights_reader(file, source).read(convention, cells);
}

} // namespace sluice
