// SPDX-License-Identifier: BSL-1.0
// A net as a model's file of the library's own format (model/own_json.hpp), with any cells:
//
//   sluice::stack<sluice::layers<sluice::mgu, sluice::dense>> net(...);      // learns
//   sluice::write_model("amp.json", sluice::describe_net(net));
//   auto const amp = sluice::read_model("amp.json", cells);      // plays, in a program with these cells
//
// What is read back has the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <sluice/cell/cell.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_writer.hpp>
#include <sluice/sequence/stack.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

class model_writer : json_writer {
public:
    explicit model_writer(described_model const& from) : from_(from) {}

    std::string text() {
        if (from_.layers.empty())
            fail<std::invalid_argument>({"a model has at least one layer, but this one has none"});
        text_ = "{\"sluice_model\": " + std::to_string(own_format_version);
        if (from_.sample_rate != 0)
            put_member("sample_rate", from_.sample_rate);
        if (from_.adds_input != 0)
            put_member("adds_input", from_.adds_input);
        if (!from_.numbers.given.empty()) {
            text_ += ",\n \"settings\": {";
            bool is_first = true;
            for (auto const& [called, value] : from_.numbers.given) {
                put_name(called, is_first);
                put(value, called);
            }
            text_ += '}';
        }
        text_ += ",\n \"layers\": [";
        for (std::size_t l = 0; l < from_.layers.size(); ++l) {
            text_ += l == 0 ? "\n  " : ",\n  ";
            put(from_.layers[l]);
        }
        text_ += ']';
        if (!from_.starts.empty()) {
            text_ += ",\n \"starts\": ";
            put(from_.starts, " ");
        }
        return text_ + "}\n";
    }

private:
    void put(double value, std::string_view called) {
        if (!std::isfinite(value))
            fail<std::invalid_argument>(
                {"a file of a model has finite numbers, but ", called, " is ", value});
        put_number(value);
    }
    void put_member(std::string_view called, double value) {
        bool is_first = false;
        put_name(called, is_first);
        put(value, called);
    }
    void put_name(std::string_view called, bool& is_first) {
        text_ += std::exchange(is_first, false) ? "" : ", ";
        put_text(called);
        text_ += ": ";
    }
    void put(std::vector<described_parameter> const& all, std::string_view before) {
        text_ += '{';
        for (std::size_t k = 0; k < all.size(); ++k) {
            text_ += k == 0 ? "" : ",";
            text_ += before;
            put_text(all[k].called);
            text_ += ": ";
            for (double const value : all[k].values)
                if (!std::isfinite(value))
                    put(value, all[k].called);
            put_numbers(all[k].values);
        }
        text_ += '}';
    }
    void put(described_layer const& one) {
        text_ += "{\"cell\": ";
        put_text(one.layer.cell);
        text_ += ", \"sizes\": {";
        sizes const& n = one.layer.extents;
        bool is_first = true;
        auto const put_size = [&](std::string_view called, std::size_t features, std::size_t usual) {
            if (features != usual) {
                put_name(called, is_first);
                append({features}, text_);
            }
        };
        put_size("input", n.input, 0);
        put_size("units", n.units, 0);
        put_size("projection", n.projection, 0);
        put_size("groups", n.groups, 1);
        for (own_size const& own : n.own)
            put_size(own.called.view(), own.features, 0);
        text_ += '}';
        if (!one.equations.empty()) {
            text_ += ",\n   \"equations\": ";
            put_text(one.equations);
        }
        text_ += ",\n   \"parameters\": ";
        put(one.parameters, "\n    ");
        text_ += '}';
    }

    described_model const& from_;
};

/// Adds a layer, with its parameters out of those of all, and the settings of its page, which layers share.
template <class Page, class Cell, class S>
void add_layer(Cell const& cell, std::span<S const> all, described_model& to) {
    described_layer made{.layer = {std::string(page_name<Page>()), cell.extents},
                         .parameters = {},
                         .equations = std::string(print<Page>().view())};
    for (tensor_place const& place : cell.places) {
        described_parameter one{.called = place.called};
        for (S const value : place.in(all))
            one.values.push_back(in_double(value));
        made.parameters.push_back(std::move(one));
    }
    to.layers.push_back(std::move(made));
    auto& given = to.numbers.given;
    auto const& entries = passes<Page>::settings;
    for (int k = 0; k < entries.size(); ++k) {
        std::string const called(entries[k].called.view());
        if (std::ranges::find(given, called, &std::pair<std::string, double>::first) == given.end())
            given.emplace_back(called, static_cast<double>(cell.settings[static_cast<std::size_t>(k)]));
    }
}

} // namespace detail

/// The description of a cell or a stack with its present values: layers, settings and parameters. Throws
/// `std::invalid_argument` for a stack that is more than one layer after the other in inference: with two
/// directions or the other one, residual layers or zoneout.
template <any_net Net>
described_model describe_net(Net const& net) {
    described_model made{.is_complete = true};
    auto const& layers = net.as_net().layers;
    auto const all = net.parameters().array().values();
    if constexpr (any_stack<Net>) {
        stack_options const& how = net.options();
        if (how.direction != direction::unidirectional || how.residual != residual::none || how.zoneout != 0)
            fail<std::invalid_argument>(
                {"a model is layers one after the other, but .direction of this stack is ",
                 name_of(how.direction), ", .residual ", name_of(how.residual), " and .zoneout ",
                 how.zoneout});
        for (std::size_t l = 0; l < layers.size(); ++l)
            net.with_page_of(l, [&]<class Page>() { detail::add_layer<Page>(layers[l].ways[0], all, made); });
    } else {
        static_assert(Net::input_count() == 1, "sluice: a layer of a model reads one input");
        detail::add_layer<typename Net::page_type>(layers[0].ways[0], all, made);
    }
    return made;
}

/// The text of a file. Throws `std::invalid_argument` for no layers, and for a number that is not finite.
inline std::string model_text(described_model const& from) {
    return detail::model_writer(from).text();
}

/// Writes it to a file: the whole of it, or the old file stays. Throws as model_text does, and
/// checkpoint_error where the file cannot be written.
inline void write_model(std::filesystem::path const& path, described_model const& from) {
    detail::replace_file(path, model_text(from));
}

} // namespace sluice
