// SPDX-License-Identifier: BSL-1.0
// The book's pages of cells.
//
//   book_cells FOLDER     writes FOLDER/cells.md, the list, and FOLDER/cells/NAME.md for each cell
#include <catalogue/conventions.hpp>
#include <catalogue/page.hpp>
#include <exception>
#include <filesystem>
#include <iostream>

namespace {

void write(std::filesystem::path const& path, std::string const& text) {
    std::ofstream file(path);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file << text;
    file.flush();
}

void run(std::filesystem::path const& folder) {
    using namespace catalogue_test;
    std::filesystem::path const root = SLUICE_SOURCE;
    std::filesystem::create_directories(folder / "cells");
    surroundings around{root, list_conventions(), read_speeds(read_file(root / "docs/cells.csv")), {}};
    std::set<std::string_view> titles;
    for (facts const& f : all_facts())
        if (!titles.insert(f.title).second)
            around.shared_titles.insert(f.title);
    write(folder / "cells.md", book_of_cells(root));
    for (facts const& f : all_facts())
        write(folder / "cells" / (std::string(f.name) + ".md"), page_of(f, around));
    std::cout << all_facts().size() << " cells in " << folder.string() << '\n';
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: book_cells FOLDER\nIt writes FOLDER/cells.md and FOLDER/cells/NAME.md for each "
                     "cell.\n";
        return 2;
    }
    try {
        run(arguments[1]);
    } catch (std::exception const& e) {
        std::cerr << "book_cells: " << e.what() << '\n';
        return 1;
    }
}
