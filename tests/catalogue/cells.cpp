// SPDX-License-Identifier: BSL-1.0
// Writes docs/cells.md out of the pages of the catalogue.
// SLUICE_REWRITE_GOLDEN=1 writes the files, otherwise they are compared.
#include <catalogue/describe.hpp>
#include <catalogue/header_text.hpp>
#include <catalogue/overview.hpp>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace cells_test {

using catalogue_test::facts;

namespace {

namespace fs = std::filesystem;
fs::path const root = SLUICE_SOURCE;

std::string written() {
    auto const& all = catalogue_test::all_facts();
    std::ostringstream text;
    text << catalogue_test::overview(
                root,
                ", with its equations as the library prints them. A test writes this file, and holds each "
                "cell against the same in numpy. The book has a page for each, with its formulas, its "
                "graph, its parameters and its plans (`docs/run`).")
         << "\n| page | cell | source |\n| --- | --- | --- |\n";
    for (facts const& f : all)
        text << "| [`" << f.name << "`](#" << f.name << ") | " << f.title << " | " << f.source << " |\n";
    for (facts const& f : all)
        text << "\n## " << f.name << "\n\n"
             << f.title << ": " << f.source << ". `#include <"
             << catalogue_test::header_text(root, f.name).name << ">`\n\n"
             << "```\n"
             << sluice::print_equations(f.written) << "```\n\n"
             << catalogue_test::description_of(f);
    return text.str();
}

void is_written(fs::path const& path, std::string const& text) {
    if (std::getenv("SLUICE_REWRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        MESSAGE("wrote " << path.native());
        return;
    }
    bool const is_same = catalogue_test::read_file(path) == text;
    CHECK_MESSAGE(is_same, path.native() << " says something else; SLUICE_REWRITE_GOLDEN=1 writes it");
}

} // namespace

TEST_CASE("catalogue: docs/cells.md is what the pages say") {
    is_written(root / "docs/cells.md", written());
}

TEST_CASE("catalogue: each cell has a name of its own, a header, and a recording; no recording has no cell") {
    std::set<std::string> names;
    for (facts const& f : catalogue_test::all_facts()) {
        std::string const name(f.name);
        CAPTURE(name);
        CHECK(names.insert(name).second);
        CHECK(!catalogue_test::header_text(root, name).name.empty());
    }
    CHECK(names.size() == support::cells_of_catalogue);
    CHECK(names.size() >= 40);
    for (auto const& item : fs::directory_iterator(fs::path(SLUICE_RECORDINGS) / "numpy"))
        CHECK(names.contains(item.path().stem().string()));
}

} // namespace cells_test
