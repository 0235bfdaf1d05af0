// SPDX-License-Identifier: BSL-1.0
// The library's own file of a model, which holds layers of any cell. It is JSON, and people can read it:
//
//   { "sluice_model": 1,                               the version of the format
//     "sample_rate": 44100, "adds_input": 1,           may be left out
//     "settings": {"forget_bias": 0.5},                of all layers that have them
//     "layers": [ {"cell": "mgu", "sizes": {"input": 1, "units": 16}, "equations": "f = ...",
//                  "parameters": {"W_f": [...], "R_f": [...], ...}},
//                 {"cell": "dense", "sizes": {"input": 16, "units": 1}, "parameters": {...}} ],
//     "starts": {"layer0/h": [...]} }                  of states that do not start as the equations say
//
// Parameters have the names and orders of the page, and all are there. Where "equations" are, they are
// compared with those of the program's cell of that name. write_model (model/write_model.hpp) writes it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <sluice/checkpoint/error.hpp>
#include <sluice/core/extents.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_reader.hpp>
#include <sluice/model/json_tree.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

class own_json_reader : json_reader {
public:
    own_json_reader(json_value const& root, std::string file) : json_reader(root, std::move(file)) {}

    described_model read() {
        only(root_, std::array<std::string_view, 6>{"sluice_model", "sample_rate", "adds_input", "settings",
                                                    "layers", "starts"});
        if (double const found = number(root_, "sluice_model"); found != own_format_version)
            refuse("it is of version " + std::to_string(found) + " of the format, and version " +
                   std::to_string(own_format_version) + " is read");
        described_model made{.source = "Sluice, " + file_, .is_complete = true};
        made.sample_rate = root_.find("sample_rate") ? number(root_, "sample_rate") : 0;
        made.adds_input = root_.find("adds_input") ? number(root_, "adds_input") : 0;
        if (!(made.sample_rate >= 0))
            refuse("sample_rate is in Hz, and not negative");
        if (json_value const* const all = object(root_, "settings"))
            for (std::size_t k = 0; k < all->names.size(); ++k)
                made.numbers.given.emplace_back(all->names[k], number(*all, all->names[k]));
        made.starts = lists(root_, "starts");
        json_value const& layers = member(root_, "layers");
        if (layers.is != json_value::kind::list || layers.items.empty())
            refuse("layers should be a list of one layer or more");
        for (std::size_t l = 0; l < layers.items.size(); ++l) {
            at("layer " + std::to_string(l));
            made.layers.push_back(layer(layers.items[l]));
        }
        return made;
    }

private:
    void only(json_value const& of, std::span<std::string_view const> known) const {
        if (of.is != json_value::kind::object)
            refuse("an object is expected");
        for (std::string const& name : of.names)
            if (std::ranges::find(known, name) == known.end())
                refuse("the member " + checkpoint_errors::shown(name) +
                       " is none of this format; leave it out");
    }
    double number(json_value const& of, std::string_view name) const {
        json_value const& found = member(of, name);
        if (found.is != json_value::kind::number || !std::isfinite(found.number))
            refuse(checkpoint_errors::shown(name) + " should be a number");
        return found.number;
    }
    json_value const* object(json_value const& of, std::string_view name) const {
        json_value const* const found = of.find(name);
        if (found != nullptr && found->is != json_value::kind::object)
            refuse(checkpoint_errors::shown(name) + " should be an object");
        return found;
    }
    /// Names, and a list of numbers for each.
    std::vector<described_parameter> lists(json_value const& of, std::string_view name) const {
        std::vector<described_parameter> made;
        json_value const* const all = object(of, name);
        for (std::size_t k = 0; all != nullptr && k < all->names.size(); ++k) {
            json_value const& one = all->items[k];
            if (one.is != json_value::kind::list || !one.items.empty())
                refuse(checkpoint_errors::shown(all->names[k]) + " should be a list of numbers");
            made.push_back({all->names[k], one.numbers});
        }
        return made;
    }
    described_layer layer(json_value const& from) const {
        only(from, std::array<std::string_view, 4>{"cell", "sizes", "equations", "parameters"});
        described_layer made{.layer = {.cell = text_of(from, "cell")},
                             .parameters = lists(from, "parameters")};
        if (made.layer.cell.empty())
            refuse("cell should be the name of one");
        made.equations = text_of(from, "equations");
        json_value const* const all = object(from, "sizes");
        for (std::size_t k = 0; all != nullptr && k < all->names.size(); ++k) {
            std::string const& called = all->names[k];
            std::size_t const features = width_of(number(*all, called), checkpoint_errors::shown(called));
            sizes& n = made.layer.extents;
            if (called == "input")
                n.input = features;
            else if (called == "units")
                n.units = features;
            else if (called == "projection")
                n.projection = features;
            else if (called == "groups")
                n.groups = features;
            else if (called.empty() || called.size() >= name::capacity || n.own.count == own_sizes::most)
                refuse("a cell has at most 8 sizes of its own, with names of 1 to 31 letters");
            else
                n.own.items[n.own.count++] = own_size(called, features);
        }
        return made;
    }
};

} // namespace detail

/// Whether it is a model of the library's own format, and not another program's JSON.
inline bool is_own_json(json_value const& root) {
    return root.find("sluice_model") != nullptr;
}

/// `file` is how errors call it. Throws checkpoint_error for another version, and for what is none of the
/// format.
inline described_model describe_own_json(json_value const& root, std::string const& file) {
    return detail::own_json_reader(root, file).read();
}

} // namespace sluice
