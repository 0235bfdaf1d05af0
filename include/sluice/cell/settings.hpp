// SPDX-License-Identifier: BSL-1.0
// Settings: the numbers of the equations that a cell is given when it is made.
//
//   sluice::cell<euler> cell({.input = 3, .units = 5}, sluice::seed{7}, {{"dt", 0.1}});
#pragma once

#include <cmath>
#include <initializer_list>
#include <sluice/core/fail.hpp>
#include <sluice/graph/entries.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// Names and numbers.
struct settings {
    std::vector<std::pair<std::string, double>> given{};

    settings() = default;
    settings(std::initializer_list<std::pair<std::string, double>> numbers) : given(numbers) {}
};

namespace detail {

/// Throws `std::invalid_argument` unless the number of a setting is finite.
template <class S>
void require_finite(std::string_view called, S value) {
    if (!std::isfinite(value))
        fail<std::invalid_argument>({"the setting ", called, " expects a finite number, but it is ", value});
}

/// The numbers of the settings in a list of `setting_entry`: those given, otherwise the defaults. Throws
/// `std::invalid_argument` for a name that is not in the list, or is there twice, and for a number that is
/// missing, or not finite as an S.
template <class S, class List>
[[gnu::cold]] std::vector<S> setting_values(List const& list, settings const& numbers) {
    std::vector<S> values;
    std::vector<char> known;
    std::string names;
    for (setting_entry const& entry : list) {
        values.push_back(static_cast<S>(entry.value));
        known.push_back(entry.has_default);
        names += (names.empty() ? "" : ", ") + std::string(entry.called.view());
    }
    std::vector<char> given(values.size());
    for (auto const& [called, number] : numbers.given) {
        std::size_t i = 0;
        while (i < values.size() && list[static_cast<int>(i)].called.view() != called)
            ++i;
        if (i == values.size())
            fail<std::invalid_argument>(
                {"the equations have no setting ", called, "; they have ", (names.empty() ? "none" : names)});
        if (given[i])
            fail<std::invalid_argument>({"the setting ", called, " is given twice; give it once"});
        values[i] = static_cast<S>(number);
        require_finite(called, values[i]);
        known[i] = given[i] = true;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!known[i]) {
            std::string const called(list[static_cast<int>(i)].called.view());
            fail<std::invalid_argument>(
                {"the setting ", called, " has no number; give one when the cell is made, {{\"", called,
                 "\", 0.5}} behind the seed, or a default in the equations, setting<\"", called,
                 "\">(0.5_n)"});
        }
    return values;
}

} // namespace detail
} // namespace sluice
