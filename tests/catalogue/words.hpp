// SPDX-License-Identifier: BSL-1.0
// Numbers, shapes and initial values in words, for the book's page of a cell.
#pragma once

#include <array>
#include <cstdio>
#include <sluice/expr/page.hpp>
#include <sluice/graph/print/width_text.hpp>
#include <sluice/graph/recurrence.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catalogue_test {

/// 149248 and not 1.49248e+05
inline std::string in_full(double number) {
    std::array<char, 64> digits{};
    std::snprintf(digits.data(), digits.size(), "%.10g", number);
    return digits.data();
}

inline std::string in_time(double nanoseconds) {
    std::array<char, 64> digits{};
    bool const is_long = nanoseconds >= 1000;
    std::snprintf(digits.data(), digits.size(), is_long ? "%.3g µs" : "%.0f ns",
                  is_long ? nanoseconds / 1000 : nanoseconds);
    return digits.data();
}

/// units, 2 units + 3; nothing of what has no features
inline std::string width_of(sluice::graph_width const& w) {
    if (w.at < 0)
        return "1";
    sluice::text out;
    sluice::detail::width_sum::write_width(out, *w.of, w.at);
    return std::string(out.view());
}

/// [input, units]
inline std::string shape_of(sluice::parameter_entry const& e) {
    std::string const groups = width_of(e.groups), rows = width_of(e.rows), columns = width_of(e.columns);
    switch (e.rank) {
    case 0:
        return "a number";
    case 1:
        return "[" + columns + "]";
    case 2:
        return "[" + rows + ", " + columns + "]";
    default:
        return "[" + groups + ", " + rows + " / " + groups + ", " + columns + " / " + groups + "]";
    }
}

/// [64, 128]
inline std::string extents_of(sluice::parameter_entry const& e, sluice::sizes const& n) {
    auto const all = e.extents(n);
    std::string out;
    for (std::size_t k = 3 - e.rank; k < 3; ++k)
        out += (out.empty() ? "[" : ", ") + std::to_string(all[k]);
    return out.empty() ? out : out + "]";
}

/// The sizes beside input and units, by their names.
inline std::vector<std::pair<std::string, std::size_t>> own_sizes_of(sluice::sizes const& n) {
    std::vector<std::pair<std::string, std::size_t>> all;
    if (n.projection != 0)
        all.emplace_back("projection", n.projection);
    if (n.groups != 1)
        all.emplace_back("groups", n.groups);
    for (auto const& own : n.own)
        all.emplace_back(own.called.view(), own.features);
    return all;
}

inline std::string in_words(sluice::start const& s) {
    using form = sluice::initializer::form;
    std::ostringstream out;
    auto const [first, second] = s.how.numbers();
    switch (s.how.kind()) {
    case form::zeros:
        return "at 0";
    case form::ones:
        return "at 1";
    case form::constant:
        out << "at " << first;
        break;
    case form::uniform:
        out << "uniform from " << first << " to " << second;
        break;
    case form::normal:
        out << "normal, mean " << first << ", standard deviation " << second;
        break;
    case form::glorot_uniform:
        out << "Glorot uniform";
        if (s.fan_in != 0 || s.fan_out != 0)
            out << ", as a part of [" << s.fan_in << ", " << s.fan_out << "]";
        break;
    case form::orthogonal:
        out << "orthogonal";
        if (first != 1)
            out << ", times " << first;
        break;
    case form::values: {
        char const* before = "at ";
        std::size_t shown = 0;
        for (double const number : s.how.values()) {
            if (++shown > 3) {
                out << ", ...";
                break;
            }
            out << before << number;
            before = ", ";
        }
        break;
    }
    }
    return out.str();
}

/// What the class of a recurrence is good for.
inline std::string_view what_follows(sluice::recurrence r) {
    switch (r) {
    case sluice::recurrence::nonlinear:
        return "Each step waits for the one before.";
    case sluice::recurrence::elementwise_affine:
        return "Each number of the state is the one before times a factor, plus a term; both depend on the "
               "inputs "
               "only, so that steps can be taken together.";
    case sluice::recurrence::decay_and_outer_product:
        return "A matrix decays by its rows, columns or heads, and an outer product is added; steps can be "
               "taken "
               "together.";
    case sluice::recurrence::diagonal_plus_low_rank:
        return "The state is multiplied with a diagonal matrix plus one of low rank, which depend on the "
               "inputs "
               "only; steps can be taken together.";
    case sluice::recurrence::affine:
        break;
    }
    return "The state is multiplied with a matrix that depends on the inputs only; steps can be taken "
           "together.";
}

} // namespace catalogue_test
