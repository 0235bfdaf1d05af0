// SPDX-License-Identifier: BSL-1.0
// A regular file that is read from its beginning to its end, of which the size is known before.
#pragma once

#include <sluice/checkpoint/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace sluice::detail {

class input_file {
public:
    /// Throws `checkpoint_errors::file_unreadable` for what is no regular file, or cannot be opened.
    explicit input_file(std::filesystem::path const& path) : file_(checkpoint_errors::shown_path(path)) {
        using checkpoint_errors::file_unreadable;
        std::error_code problem;
        auto const status = std::filesystem::status(path, problem);
        if (!std::filesystem::is_regular_file(status))
            throw file_unreadable(file_ + " cannot be read: " +
                                  (std::filesystem::exists(status) ? "it is not a regular file"
                                   : status.type() == std::filesystem::file_type::not_found
                                       ? "there is no such file"
                                       : problem.message()) +
                                  ".");
        stream_.open(path, std::ios::binary | std::ios::ate);
        auto const size = static_cast<std::streamoff>(stream_.tellg());
        if (!stream_ || size < 0 || !stream_.seekg(0))
            throw file_unreadable(file_ + " cannot be opened for reading (" +
                                  std::generic_category().message(errno) + ").");
        size_ = static_cast<std::uint64_t>(size);
    }

    std::uint64_t size() const { return size_; }
    /// The next bytes. Throws `checkpoint_errors::file_unreadable` where there are not so many.
    void operator()(std::span<std::byte> destination) {
        stream_.read(reinterpret_cast<char*>(destination.data()),
                     static_cast<std::streamsize>(destination.size()));
        if (!stream_)
            throw checkpoint_errors::file_unreadable(file_ + " ended, or could not be read, before its " +
                                                     std::to_string(size_) +
                                                     " bytes were; something may be writing to it.");
    }
    std::vector<std::byte> all() {
        std::vector<std::byte> bytes(static_cast<std::size_t>(size_));
        (*this)(bytes);
        return bytes;
    }

private:
    std::string file_;
    std::ifstream stream_{};
    std::uint64_t size_ = 0;
};

} // namespace sluice::detail
