// SPDX-License-Identifier: BSL-1.0
// What stands of a cell in its header: the comment at its head, the structs of its page, its lines.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace catalogue_test {

inline std::string read_file(std::filesystem::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines_in(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

/// The header that has the struct of a page.
struct header_text {
    std::string name{}; ///< "sluice/cells/gru.hpp", or empty
    std::string text{};

    header_text(std::filesystem::path const& root, std::string_view page) {
        for (auto const& item : std::filesystem::directory_iterator(root / "include/sluice/cells"))
            if (std::string all = read_file(item.path()); begin_of(all, page) != all.npos) {
                name = "sluice/cells/" + item.path().filename().string();
                text = std::move(all);
            }
    }

    /// The comment in front of the code, without its slashes and without the line of the licence.
    std::string comment() const {
        std::string out;
        for (std::string const& line : lines_in(text)) {
            if (!line.starts_with("//"))
                break;
            if (line.find("SPDX-") == line.npos)
                out += line.substr(std::min<std::size_t>(line.size(), 3)) + '\n';
        }
        return out;
    }
    /// The struct of the page, and in front of it those of this header that it is made of.
    std::string code(std::string_view page) const {
        std::size_t const at = begin_of(text, page);
        if (at == text.npos)
            return {};
        std::size_t begin = at;
        if (std::size_t const before = text.rfind('\n', at - 2);
            std::string_view(text).substr(before + 1).starts_with("template "))
            begin = before + 1;
        std::size_t const end_of_line = text.find('\n', at);
        std::string_view const first = std::string_view(text).substr(at, end_of_line - at);
        bool const is_short = first.ends_with("};");
        std::size_t const end = is_short ? end_of_line : text.find("\n};", at) + 3;
        std::string out = text.substr(begin, end - begin) + '\n';
        if (std::size_t const colon = first.find(" : "); colon != first.npos) {
            std::string_view base = first.substr(colon + 3);
            base = base.substr(0, base.find_first_of("< "));
            base = base.substr(base.rfind(':') + 1);
            if (std::string const made_of = code(base); !made_of.empty())
                out = made_of + '\n' + out;
        }
        return out;
    }
    /// The lines of the page's equations without their indentation.
    std::string lines(std::string_view page) const {
        std::size_t const begin = text.find("return lines(\n", begin_of(text, page)) + 14,
                          end = text.find("// clang-format on", begin);
        std::string out;
        for (std::string const& line : lines_in(std::string_view(text).substr(begin, end - begin)))
            if (std::size_t const first = line.find_first_not_of(' '); first != line.npos)
                out += line.substr(first) + '\n';
        return out;
    }

private:
    static std::size_t begin_of(std::string const& all, std::string_view page) {
        std::size_t const found = all.find("\nstruct " + std::string(page) + ' ');
        return found == all.npos ? found : found + 1;
    }
};

} // namespace catalogue_test
