// SPDX-License-Identifier: BSL-1.0
// What docs/cells.md and the book's list of cells begin with.
#pragma once

#include <catalogue/facts.hpp>
#include <catalogue/header_text.hpp>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>

namespace catalogue_test {

/// Some cells as they are written beside what they print.
inline std::string side_by_side(std::filesystem::path const& root,
                                std::initializer_list<std::string_view> names) {
    std::ostringstream text;
    text << "<table>\n";
    for (std::string_view const name : names)
        for (facts const& f : all_facts())
            if (f.name == name)
                text << "<tr><td>" << f.title << "</td><td>\n\n```cpp\n"
                     << header_text(root, name).lines(name) << "```\n\n</td><td>\n\n```\n"
                     << sluice::print_equations(f.written) << "```\n\n</td></tr>\n";
    text << "</table>\n";
    return text.str();
}

/// `where` says where each cell is to be found.
inline std::string overview(std::filesystem::path const& root, std::string_view where) {
    std::ostringstream text;
    text << "# The catalogue of cells\n\n"
            "Every recurrent cell that comes with the library"
         << where
         << " Each is a page of equations like one of your own; `sluice/cells/catalogue.hpp` lists them for "
            "programs. ";
    text << "`#include <sluice/cells/lem.hpp>` gives `sluice::lem`. `dense` (`sluice/cells/dense.hpp`) is an "
            "output "
            "layer. With other activations there are `gru_with<Activation>`, `lstm_with<Activation, "
            "Peepholes, "
            "Projected>` and `glstm_with<Activation, Projected>`. Three cells, and what they print of "
            "themselves:\n\n"
         << side_by_side(root, {"mgu", "lem", "slstm"});
    return text.str();
}

} // namespace catalogue_test
