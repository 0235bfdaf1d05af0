// SPDX-License-Identifier: BSL-1.0
// Writes docs/cells.md out of the pages of the catalogue. SLUICE_REWRITE_GOLDEN=1 writes the file, otherwise it is
// compared.
#include <catalogue/describe.hpp>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>

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
    for (auto const& item : fs::directory_iterator(root / "include/sluice/cell"))
        if (read(item.path()).find("\nstruct " + page + " ") != std::string::npos)
            return "sluice/cell/" + item.path().filename().string();
    return {};
}

std::string written() {
    auto const& all = catalogue_test::descriptions();
    std::ostringstream text;
    text << "# The catalogue of cells\n\n"
            "Every recurrent cell that comes with the library, with its equations as the library prints "
            "them. Each is a "
            "page of equations like one of your own; `sluice/cell/catalogue.hpp` lists them for programs. A "
            "test writes "
            "this file from the pages, and holds each against the same cell written in numpy.\n\n"
            "| page | cell | source |\n| --- | --- | --- |\n";
    for (auto const& [number, d] : all)
        text << "| [`" << d.name << "`](#" << d.name << ") | " << d.title << " | " << d.source << " |\n";
    for (auto const& [number, d] : all)
        text << "\n## " << d.name << "\n\n"
             << d.title << ": " << d.source << ". `#include <" << header_of(d.name) << ">`\n\n"
             << d.text;
    return text.str();
}

} // namespace

TEST_CASE("catalogue: docs/cells.md is what the pages say") {
    fs::path const path = root / "docs/cells.md";
    if (std::getenv("SLUICE_REWRITE_GOLDEN") != nullptr) {
        std::ofstream(path) << written();
        MESSAGE("wrote " << path.native());
        return;
    }
    bool const is_same = read(path) == written();
    CHECK_MESSAGE(is_same, path.native() << " says something else; SLUICE_REWRITE_GOLDEN=1 writes it");
}

TEST_CASE("catalogue: each cell has a name of its own, a header, and a recording; no recording has no cell") {
    std::set<std::string> names;
    for (auto const& [number, d] : catalogue_test::descriptions()) {
        CAPTURE(d.name);
        CHECK(names.insert(d.name).second);
        CHECK(!header_of(d.name).empty());
    }
    CHECK(names.size() == decltype(boost::hana::size(sluice::catalogue))::value);
    CHECK(names.size() >= 40);
    for (auto const& item : fs::directory_iterator(fs::path(SLUICE_RECORDINGS) / "numpy"))
        CHECK(names.contains(item.path().stem().string()));
}

} // namespace cells_test
