// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"

#include <array>
#include <cstdio>

namespace char_lm {

std::string shell_word(const std::string& word) {
    std::string result = "'";
    for (const char c : word) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

std::string output_of(const std::string& shell_command) {
    std::string result;
    std::FILE* pipe = popen(shell_command.c_str(), "r");
    if (pipe == nullptr)
        return result;
    std::array<char, 4096> block{};
    while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe))
        result.append(block.data(), count);
    pclose(pipe);
    return result;
}

} // namespace char_lm
