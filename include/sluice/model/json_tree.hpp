// SPDX-License-Identifier: BSL-1.0
// A JSON file as a tree, of whoever may have written it. It is read by events, and counted while it grows
// (checkpoint/budget.hpp): not more than 17 times the file and 16 MiB, 32 levels, each key of an object once.
//
//   {"type": "dense", "shape": [null, 1], "weights": [[[0.5], [2]], [1]]}
//
//   tree.member("type").text       "dense"
//   tree.member("weights").items   a list of two; items[0].items[1].numbers is {2}
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/utf8.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// What stands in a JSON file. A list of which all items are numbers has them in `numbers`.
struct json_value {
    enum class kind { null, boolean, number, text, list, object };

    kind is = kind::null;
    double number = 0; ///< of a boolean 0 or 1
    std::string text{};
    std::vector<double> numbers{};
    std::vector<json_value> items{};  ///< of a list with other items, and the members of an object
    std::vector<std::string> names{}; ///< of the members

    /// The member of that name of an object; nothing where there is none, and of what is no object.
    json_value const* find(std::string_view name) const {
        for (std::size_t k = 0; k < names.size(); ++k)
            if (names[k] == name)
                return &items[k];
        return nullptr;
    }
    /// How many items a list has.
    std::size_t size() const { return items.empty() ? numbers.size() : items.size(); }
};

namespace detail {

/// The events of the JSON parser, in the form that nlohmann::json::sax_parse calls.
class json_events {
public:
    static constexpr std::size_t most_levels = 32;

    json_events(json_value& root, std::string file, checkpoint_budget& left)
        : root_(root), file_(std::move(file)), left_(left) {}

    bool null() { return add({}); }
    bool boolean(bool value) { return add({.is = json_value::kind::boolean, .number = value ? 1. : 0.}); }
    bool number_integer(std::int64_t value) { return add_number(static_cast<double>(value)); }
    bool number_unsigned(std::uint64_t value) { return add_number(static_cast<double>(value)); }
    bool number_float(double value, std::string const&) { return add_number(value); }
    bool string(std::string& text) {
        take(text.size(), "a text");
        json_value made{.is = json_value::kind::text};
        made.text = std::move(text);
        return add(std::move(made));
    }
    bool binary(std::vector<std::uint8_t>&) { return false; }
    bool start_object(std::size_t) { return open(json_value::kind::object); }
    bool start_array(std::size_t) { return open(json_value::kind::list); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& text) {
        json_value& in = *open_.back();
        left_.step(in.names.size(), "the members of an object");
        if (in.find(text) != nullptr)
            throw checkpoint_errors::duplicate_key(file_ + ": an object has the member " +
                                                   checkpoint_errors::shown(text) + " twice.");
        take(of_growth * sizeof(std::string) + text.size(), "the name of a member");
        in.names.push_back(std::move(text));
        return true;
    }
    template <class Problem>
    bool parse_error(std::size_t position, std::string const& token, Problem const&) {
        throw checkpoint_errors::not_json(file_ + " is not JSON: the parser stopped at byte " +
                                          std::to_string(position) + " of it, after " +
                                          checkpoint_errors::shown(token) + ".");
    }

private:
    static constexpr std::uint64_t of_growth = 3; // an array that grows, and what it was

    /// Small files are free: a layer of few numbers is a hundred bytes of text and thousands of memory.
    void take(std::uint64_t bytes, std::string_view what) {
        std::uint64_t const free = std::min(bytes, free_);
        free_ -= free;
        left_.take(bytes - free, what);
    }
    bool add_number(double value) {
        if (!open_.empty() && open_.back()->is == json_value::kind::list && open_.back()->items.empty()) {
            take(of_growth * sizeof(double), "the numbers of a list");
            open_.back()->numbers.push_back(value);
            return true;
        }
        return add({.is = json_value::kind::number, .number = value});
    }
    bool add(json_value&& value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return true;
        }
        json_value& in = *open_.back();
        for (double const number : in.numbers) { // not all are numbers
            take(of_growth * sizeof(json_value), "a list");
            in.items.push_back({.is = json_value::kind::number, .number = number});
        }
        in.numbers.clear();
        take(of_growth * sizeof(json_value), "a list or an object");
        in.items.push_back(std::move(value));
        return true;
    }
    bool open(json_value::kind kind) {
        if (open_.size() == most_levels)
            throw checkpoint_errors::not_json(file_ + " has lists and objects in each other, more than " +
                                              std::to_string(most_levels) +
                                              " levels deep; no model needs as many.");
        add({.is = kind});
        open_.push_back(open_.empty() ? &root_ : &open_.back()->items.back());
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    json_value& root_;
    std::string file_;
    checkpoint_budget& left_;
    std::uint64_t free_ = std::uint64_t(16) << 20;
    std::vector<json_value*> open_{}; // from the root to where the next event belongs
};

} // namespace detail

/// `file` is how errors call it. Throws checkpoint_errors::not_json, not_utf8, duplicate_key and
/// costs_too_much.
inline json_value parse_json(std::string_view text, std::string const& file) {
    using namespace checkpoint_errors;
    if (!is_utf8(text))
        throw not_utf8(file + " is not UTF-8.");
    if (text.find('\0') != std::string_view::npos) // the parser would take it for the end
        throw not_json(file + " is not JSON: it contains a zero byte.");
    checkpoint_budget left(text.size(), file);
    json_value root;
    detail::json_events events(root, file, left);
    nlohmann::json::sax_parse(text, &events);
    return root;
}

} // namespace sluice
