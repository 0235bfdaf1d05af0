// SPDX-License-Identifier: BSL-1.0
#include "compression.hpp"

#include "command.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace char_lm {

std::optional<double> xz_bits(const std::vector<document>& documents) {
    std::error_code ignored;
    std::string path = (std::filesystem::temp_directory_path(ignored) / "char_lm-XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0)
        return std::nullopt;
    close(file);
    std::ofstream stream(path, std::ios::binary);
    for (const document& d : documents)
        stream << d.text;
    stream.close();
    std::string answer;
    if (stream) // the disk had room for it
        answer = output_of("command -v xz >/dev/null && xz -9 -c " + shell_word(path) + " | wc -c");
    std::filesystem::remove(path, ignored);
    const double bytes = std::strtod(answer.c_str(), nullptr);
    if (!(bytes > 0))
        return std::nullopt;
    return 8 * bytes / static_cast<double>(characters(documents));
}

} // namespace char_lm
