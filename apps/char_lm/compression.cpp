// SPDX-License-Identifier: BSL-1.0
#include "compression.hpp"

#include "command.hpp"
#include "descriptor.hpp"
#include "write_all.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace char_lm {

namespace {

// A file without a name, which is gone with its last descriptor, whatever ends the program.
descriptor nameless_file() {
    std::error_code ignored;
    std::string path = (std::filesystem::temp_directory_path(ignored) / "char_lm-XXXXXX").string();
    descriptor file(mkostemp(path.data(), O_CLOEXEC));
    if (file.is_open())
        unlink(path.c_str());
    return file;
}

} // namespace

std::optional<double> xz_bits(const std::vector<document>& documents) {
    const descriptor file = nameless_file();
    if (!file.is_open())
        return std::nullopt;
    for (const document& d : documents)
        if (write_all(file.number(), d.text)) // the disk has no room for it
            return std::nullopt;
    if (lseek(file.number(), 0, SEEK_SET) != 0)
        return std::nullopt;
    const std::string answer = output_of("command -v xz >/dev/null && xz -9 -c | wc -c", file.number());
    const double bytes = std::strtod(answer.c_str(), nullptr);
    if (!(bytes > 0))
        return std::nullopt;
    return 8 * bytes / static_cast<double>(characters(documents));
}

} // namespace char_lm
