// SPDX-License-Identifier: BSL-1.0
// What readers of models in JSON share: members that have to be there, numbers in shapes that are expected,
// and sentences that say which layer of which file.
#pragma once

#include <cmath>
#include <cstddef>
#include <sluice/checkpoint/error.hpp>
#include <sluice/model/json_tree.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::detail {

class json_reader {
protected:
    using rows = std::vector<double>;
    static constexpr std::size_t widest = std::size_t(1) << 20;

    json_reader(json_value const& root, std::string file)
        : root_(root), file_(file), where_(std::move(file)) {}

    /// Which part of the file is read: "layer 2".
    void at(std::string_view part) { where_ = file_ + ": " + std::string(part); }

    [[noreturn]] void refuse(std::string const& words) const {
        throw checkpoint_errors::bad_entry(where_ + ": " + words + ".");
    }
    json_value const& member(json_value const& of, std::string_view name) const {
        json_value const* const found = of.find(name);
        if (found == nullptr)
            throw checkpoint_errors::missing_field(where_ + " lacks the member '" + std::string(name) +
                                                   "', which such a model has.");
        return *found;
    }
    std::string text_of(json_value const& of, std::string_view name) const {
        json_value const* const found = of.find(name);
        return found == nullptr ? std::string() : found->text;
    }
    /// A number of an object, or another one where there is none.
    double number_of(json_value const& of, std::string_view name, double otherwise) const {
        json_value const* const found = of.find(name);
        return found == nullptr || found->is == json_value::kind::null ? otherwise : found->number;
    }
    /// A whole number from 1 on.
    std::size_t width_of(double number, std::string_view what) const {
        if (!(number >= 1 && number <= static_cast<double>(widest) && number == std::floor(number)))
            refuse(std::string(what) + " should be a whole number from 1 to " + std::to_string(widest));
        return static_cast<std::size_t>(number);
    }
    rows vector_of(json_value const& from, std::size_t count, std::string_view what) const {
        if (from.is != json_value::kind::list || from.numbers.size() != count || !from.items.empty())
            refuse(std::string(what) + " should be " + std::to_string(count) + " numbers");
        return from.numbers;
    }
    rows matrix_of(json_value const& from, std::size_t height, std::size_t width,
                   std::string_view what) const {
        if (from.is != json_value::kind::list || from.items.size() != height)
            refuse(std::string(what) + " should be [" + std::to_string(height) + ", " +
                   std::to_string(width) + "]");
        rows all;
        for (json_value const& row : from.items) {
            auto const numbers = vector_of(row, width, std::string(what) + ", each row,");
            all.insert(all.end(), numbers.begin(), numbers.end());
        }
        return all;
    }
    /// The columns of one gate of so many, of [height, gates * units].
    static rows columns_of_gate(rows const& all, std::size_t gate, std::size_t gates, std::size_t units) {
        rows found;
        for (std::size_t row = 0; row * gates * units < all.size(); ++row)
            for (std::size_t u = 0; u < units; ++u)
                found.push_back(all[(row * gates + gate) * units + u]);
        return found;
    }
    /// The rows of one gate, of [gates * units, width], as [width, units].
    static rows rows_of_gate(rows const& all, std::size_t gate, std::size_t units, std::size_t width) {
        rows found(width * units);
        for (std::size_t u = 0; u < units; ++u)
            for (std::size_t k = 0; k < width; ++k)
                found[k * units + u] = all[(gate * units + u) * width + k];
        return found;
    }
    static rows sum_of(rows a, rows const& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] += b[i];
        return a;
    }

    json_value const& root_;
    std::string file_, where_;
};

} // namespace sluice::detail
