// SPDX-License-Identifier: BSL-1.0
#include "standard_headers.hpp"

#include "command.hpp"
#include "failure.hpp"

#include <sstream>
#include <string>

#ifndef CHAR_LM_COMPILER
#define CHAR_LM_COMPILER "c++"
#endif

namespace char_lm {

std::filesystem::path standard_headers() {
    namespace fs = std::filesystem;
    for (const std::string compiler : {CHAR_LM_COMPILER, "c++"}) {
        // the include path is the part of the answer in which each line is a folder
        std::istringstream answer(output_of(shell_word(compiler) + " -E -x c++ -v /dev/null 2>&1"));
        for (std::string line; std::getline(answer, line);) {
            const auto start = line.find_first_not_of(' ');
            if (start == std::string::npos)
                continue;
            const fs::path folder = line.substr(start);
            std::error_code ignored;
            if (fs::is_regular_file(folder / "vector", ignored))
                return fs::canonical(folder);
        }
    }
    throw bad_call("No C++ compiler says where its headers are (" CHAR_LM_COMPILER
                   " and c++ were asked); name a text with --text.");
}

} // namespace char_lm
