// SPDX-License-Identifier: BSL-1.0
// What docs/cells.md and the book's page of a cell both say of it, out of its page.
#pragma once

#include <catalogue/facts.hpp>
#include <catalogue/words.hpp>
#include <sluice/graph/recurrence.hpp>
#include <sstream>
#include <string>

namespace catalogue_test {

inline std::string recurrence_of(facts const& f) {
    sluice::detail::recurrence_finder const finder(f.graph);
    std::string words(sluice::name_of(finder.found()));
    if (sluice::text const why = finder.why(); !why.view().empty())
        (words += ": ") += why.view();
    return words;
}

/// A list of what it has, separated by commas.
template <class Entries, class Write>
void write_list(std::ostream& out, char const* before, Entries const& entries, Write const& write) {
    for (auto const& entry : entries) {
        out << before;
        write(entry);
        before = ", ";
    }
}

inline std::string parts_of(facts const& f) {
    std::ostringstream text;
    auto const called = [&](auto const& entry) { text << '`' << entry.called.view() << '`'; };
    write_list(text, "inputs ", f.entries->inputs, called);
    write_list(text, "; states ", f.entries->states, called);
    write_list(text, "; settings ", f.entries->settings, [&](auto const& s) {
        called(s);
        if (s.has_default)
            text << " = " << s.value;
    });
    write_list(text, "; sizes beside input and units: ", own_sizes_of(f.sizes),
               [&](auto const& own) { text << '`' << own.first << "` (" << own.second << ')'; });
    return text.str();
}

inline std::string description_of(facts const& f) {
    std::ostringstream text;
    text << parts_of(f) << ". The recurrence is " << recurrence_of(f) << ". " << f.parameter_count()
         << " parameters and " << made_plans(f).cost(f.sizes).flops()
         << " operations a step for 64 inputs and 128 units.\n";
    return text.str();
}

} // namespace catalogue_test
