// SPDX-License-Identifier: BSL-1.0
// Writes docs/cells.md out of the pages of the catalogue.
// SLUICE_REWRITE_GOLDEN=1 writes the files, otherwise they are compared.
#include <catalogue/describe.hpp>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <string_view>

namespace cells_test {

using catalogue_test::description;

namespace {

namespace fs = std::filesystem;
fs::path const root = SLUICE_SOURCE;

std::string read(fs::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The header that has the struct of a page.
std::string header_of(std::string const& page) {
    for (auto const& item : fs::directory_iterator(root / "include/sluice/cells"))
        if (read(item.path()).find("\nstruct " + page + " ") != std::string::npos)
            return "sluice/cells/" + item.path().filename().string();
    return {};
}

/// The lines of a page's equations as they stand in its header, without their indentation.
std::string lines_of(description const& d) {
    std::string const text = read(root / "include" / header_of(d.name));
    std::size_t const page = text.find("\nstruct " + d.name + " ");
    std::size_t const begin = text.find("return lines(\n", page) + 14,
                      end = text.find("// clang-format on", begin);
    std::istringstream in(text.substr(begin, end - begin));
    std::string out;
    for (std::string line; std::getline(in, line);)
        if (std::size_t const first = line.find_first_not_of(' '); first != line.npos)
            out += line.substr(first) + '\n';
    return out;
}

/// Some cells as they are written beside what they print.
std::string side_by_side(std::initializer_list<std::string_view> names) {
    std::string text = "<table>\n";
    for (std::string_view const name : names)
        for (description const& d : catalogue_test::descriptions())
            if (d.name == name)
                text += "<tr><td>" + d.title + "</td><td>\n\n```cpp\n" + lines_of(d) +
                        "```\n\n</td><td>\n\n```\n" + d.equations + "```\n\n</td></tr>\n";
    return text + "</table>\n";
}

std::string written() {
    auto const& all = catalogue_test::descriptions();
    std::ostringstream text;
    text << "# The catalogue of cells\n\n"
            "Every recurrent cell that comes with the library, with its equations as the library prints "
            "them. Each is a "
            "page of equations like one of your own; `sluice/cells/catalogue.hpp` lists them for programs. A "
            "test writes "
            "this file from the pages, and holds each against the same cell written in numpy.\n\n"
            "`#include <sluice/cells/lem.hpp>` gives `sluice::lem`. `dense` (`sluice/cells/dense.hpp`) is an "
            "output "
            "layer. With other activations there are `gru_with<Activation>`, `lstm_with<Activation, "
            "Peepholes, "
            "Projected>` and `glstm_with<Activation, Projected>`. Three cells, and what they print of "
            "themselves:\n\n"
         << side_by_side({"mgu", "lem", "slstm"}) << "\n| page | cell | source |\n| --- | --- | --- |\n";
    for (description const& d : all)
        text << "| [`" << d.name << "`](#" << d.name << ") | " << d.title << " | " << d.source << " |\n";
    for (description const& d : all)
        text << "\n## " << d.name << "\n\n"
             << d.title << ": " << d.source << ". `#include <" << header_of(d.name) << ">`\n\n"
             << "```\n"
             << d.equations << "```\n\n"
             << d.facts;
    return text.str();
}

void is_written(fs::path const& path, std::string const& text) {
    if (std::getenv("SLUICE_REWRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        MESSAGE("wrote " << path.native());
        return;
    }
    bool const is_same = read(path) == text;
    CHECK_MESSAGE(is_same, path.native() << " says something else; SLUICE_REWRITE_GOLDEN=1 writes it");
}

} // namespace

TEST_CASE("catalogue: docs/cells.md is what the pages say") {
    is_written(root / "docs/cells.md", written());
}

TEST_CASE("catalogue: each cell has a name of its own, a header, and a recording; no recording has no cell") {
    std::set<std::string> names;
    for (description const& d : catalogue_test::descriptions()) {
        CAPTURE(d.name);
        CHECK(names.insert(d.name).second);
        CHECK(!header_of(d.name).empty());
    }
    CHECK(names.size() == support::cells_of_catalogue);
    CHECK(names.size() >= 40);
    for (auto const& item : fs::directory_iterator(fs::path(SLUICE_RECORDINGS) / "numpy"))
        CHECK(names.contains(item.path().stem().string()));
}

} // namespace cells_test
