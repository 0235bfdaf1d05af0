// SPDX-License-Identifier: BSL-1.0
// Replaces a file as a whole or not at all. The bytes go to a new file in the same folder, which is forced
// to the disk and then renamed over the old one; the folder is forced to the disk as well. After a crash
// at any point the name leads to the old content or to the new one, never to a part. A crash can leave the
// temporary (.sluice-PID-NUMBER.tmp) behind; an error removes it. A symbolic link is replaced, not followed.
#pragma once

#include <sluice/checkpoint/error.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::detail {

/// Reads errno, so it is called before anything else can change it.
inline checkpoint_errors::file_unwritable write_refusal(std::filesystem::path const& path, char const* step,
                                                        char const* outcome) {
    std::string const reason = std::generic_category().message(errno);
    return checkpoint_errors::file_unwritable(checkpoint_errors::shown_path(path) + ": " + step +
                                              " failed (" + reason + "). " + outcome);
}

inline constexpr char const* old_file_kept = "What was stored under that name before is unchanged.";

class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&&) = delete;
    ~descriptor() {
        if (is_open())
            ::close(number_);
    }

    bool is_open() const { return number_ >= 0; }
    int number() const { return number_; }
    bool close() { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

/// A new file in the target's folder. It is removed again unless it has become the target.
class temporary_file {
public:
    explicit temporary_file(std::filesystem::path target)
        : target_(std::move(target)), file_(create(target_, path_)) {}
    temporary_file(temporary_file const&) = delete;
    temporary_file& operator=(temporary_file const&) = delete;
    ~temporary_file() {
        if (!path_.empty())
            ::unlink(path_.c_str());
    }

    void append(std::span<std::byte const> bytes) {
        while (!bytes.empty()) {
            auto const written = ::write(file_.number(), bytes.data(), bytes.size());
            if (written > 0)
                bytes = bytes.subspan(static_cast<std::size_t>(written));
            else if (written == 0 || errno != EINTR)
                throw write_refusal(target_, "writing a temporary file beside it", old_file_kept);
        }
    }

    void become_target() {
        if (::fsync(file_.number()) != 0 || !file_.close())
            throw write_refusal(target_, "forcing the new content to the disk", old_file_kept);
        if (::rename(path_.c_str(), target_.c_str()) != 0)
            throw write_refusal(target_, "renaming the finished temporary file to it", old_file_kept);
        path_.clear();
    }

private:
    static descriptor create(std::filesystem::path const& target, std::filesystem::path& path) {
        static std::atomic<unsigned long> count{0};
        for (;;) {
            path = target.parent_path() /
                   (".sluice-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".tmp");
            descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
            if (file.is_open())
                return file;
            if (errno != EEXIST) // a crashed process of the same number may have left that name
                throw write_refusal(target, "creating a temporary file beside it", old_file_kept);
        }
    }

    std::filesystem::path target_;
    std::filesystem::path path_; // empty once the file is the target
    descriptor file_;
};

/// Makes the renaming itself survive a power cut. Some file systems cannot do that for a folder and say so.
inline void sync_folder_of(std::filesystem::path const& path) {
    std::filesystem::path const folder = path.has_parent_path() ? path.parent_path() : ".";
    descriptor const opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    bool const synced = opened.is_open() && ::fsync(opened.number()) == 0;
    if (!synced && errno != EINVAL && errno != ENOTSUP && errno != EACCES)
        throw write_refusal(path, "forcing its folder to the disk",
                            "The new content is in place, but a power cut may still undo that.");
}

inline void replace_file(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    temporary_file file(path);
    file.append(bytes);
    file.become_target();
    sync_folder_of(path);
}

} // namespace sluice::detail
