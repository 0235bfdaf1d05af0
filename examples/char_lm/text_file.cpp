// SPDX-License-Identifier: BSL-1.0
#include "text_file.hpp"

#include "failure.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace char_lm {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int problem) {
    throw bad_call("The file " + path.string() + " cannot be read: " +
                   std::generic_category().message(problem) + "; leave it out, or make it readable.");
}

struct open_file {
    explicit open_file(const std::filesystem::path& path)
        : number(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
        if (number < 0)
            refuse(path, errno);
    }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() { close(number); }

    int number;
};

} // namespace

std::optional<std::string> read_text(const std::filesystem::path& path, std::size_t most) {
    const open_file file(path);
    std::string text;
    std::array<char, 65536> block;
    for (;;) {
        const auto count = read(file.number, block.data(), block.size());
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
