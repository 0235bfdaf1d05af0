// SPDX-License-Identifier: BSL-1.0
#include "text_file.hpp"

#include "descriptor.hpp"
#include "failure.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace char_lm {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int problem) {
    throw bad_call("The file " + path.string() + " cannot be read: " +
                   std::generic_category().message(problem) + "; leave it out, or make it readable.");
}

} // namespace

std::optional<std::string> read_text(const std::filesystem::path& path, std::size_t most) {
    const descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat facts {};
    if (!file.is_open() || fstat(file.number(), &facts) != 0)
        refuse(path, errno);
    if (!S_ISREG(facts.st_mode))
        throw bad_call("The file " + path.string() +
                       " is no regular file, so it may have no end; name one that is.");
    std::string text;
    std::array<char, 65536> block;
    for (;;) {
        const auto count = read(file.number(), block.data(), block.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            refuse(path, errno);
        if (count == 0)
            return text;
        const std::string_view more(block.data(), static_cast<std::size_t>(count));
        if (more.find('\0') != std::string_view::npos)
            return std::nullopt;
        text += more;
        if (text.size() > most)
            return text;
    }
}

} // namespace char_lm
