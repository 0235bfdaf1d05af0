// SPDX-License-Identifier: BSL-1.0
// Compiled kernels on the disk, so that a program that runs again compiles nothing.
//
// A file is named by a hash of what it was compiled from, and holds all of that too: it is used only if the
// source, the architecture and the compiler are the same to the letter, and the checksum is right. Any other
// file in its place is replaced (checkpoint/durable_file.hpp), so that programs may run at the same time.
//
// SLUICE_KERNEL_CACHE names the folder; `off` means none. Without it the folder is sluice/kernels in
// XDG_CACHE_HOME, or in the folder .cache at home. Folder and files must be the user's own, and no links;
// they are made so that no other user can write to them, whatever the umask, and are not used where one can.
// Where nothing can be written, kernels are compiled at each start.
#pragma once

#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/checkpoint/system_files.hpp>
#include <sluice/core/fnv.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sluice::cudnn {

class kernel_files {
public:
    kernel_files() : kernel_files(chosen_folder()) {}
    explicit kernel_files(std::filesystem::path folder) : folder_(std::move(folder)) {
        // With a slash at its end a link is followed before it can be looked at.
        while (folder_.has_parent_path() && folder_.has_relative_path() &&
               (!folder_.has_filename() || folder_.filename() == "."))
            folder_ = folder_.parent_path();
    }

    bool is_off() const { return folder_.empty(); }

    /// What was compiled from this, if it is there.
    std::optional<std::string> find(std::string_view from) const {
        descriptor const folder = open_folder();
        if (!folder.is_open())
            return {};
        descriptor const file(
            ::openat(folder.number(), name_of(from).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (!is_own(file, S_IFREG))
            return {};
        std::string const head = head_of(from);
        auto const all = content_of(file);
        if (!all || all->size() < head.size() + digits || all->compare(0, head.size(), head) != 0)
            return {};
        std::string made = all->substr(head.size() + digits);
        if (all->compare(head.size(), digits, hex(fnv(made))) != 0)
            return {};
        return made;
    }
    /// Keeps what was compiled, if it can.
    void keep(std::string_view from, std::string_view made) const {
        if (is_off())
            return;
        std::filesystem::path made_so_far;
        for (std::filesystem::path const& part : folder_)
            ::mkdir((made_so_far /= part).c_str(), 0700);
        if (!open_folder().is_open())
            return;
        std::string const all = head_of(from).append(hex(fnv(made))).append(made);
        sluice::detail::write_target const target{
            .path = path_of(from), .shown = path_of(from).string(), .mode = 0600};
        try {
            sluice::detail::require_within_limit(target, all.size());
            sluice::detail::temporary_file file(target);
            file.append(std::as_bytes(std::span(all)));
            file.become_target();
        } catch (checkpoint_errors::file_unwritable const&) { // the next start compiles it again
        }
    }
    std::filesystem::path path_of(std::string_view from) const { return folder_ / name_of(from); }

private:
    using descriptor = sluice::detail::system_files::descriptor;
    static constexpr std::size_t digits = 16;
    std::filesystem::path folder_;

    static std::filesystem::path chosen_folder() {
        auto const of = [](char const* name) {
            char const* const value = std::getenv(name);
            return std::string_view(value == nullptr ? "" : value);
        };
        if (std::string_view const asked = of("SLUICE_KERNEL_CACHE"); !asked.empty())
            return asked == "off" ? std::filesystem::path() : std::filesystem::path(asked);
        if (std::string_view const cache = of("XDG_CACHE_HOME"); cache.starts_with('/'))
            return std::filesystem::path(cache) / "sluice" / "kernels";
        if (std::string_view const home = of("HOME"); home.starts_with('/'))
            return std::filesystem::path(home) / ".cache" / "sluice" / "kernels";
        return {};
    }
    static std::string name_of(std::string_view from) { return hex(fnv(from)) + ".kernel"; }
    /// Not open where it is not to be used.
    descriptor open_folder() const {
        descriptor folder(
            is_off() ? -1 : ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        return is_own(folder, S_IFDIR) ? std::move(folder) : descriptor(-1);
    }
    /// Open, of this user, and writable by no other.
    static bool is_own(descriptor const& opened, mode_t type) {
        struct stat about {};
        return opened.is_open() && ::fstat(opened.number(), &about) == 0 &&
               (about.st_mode & S_IFMT) == type && about.st_uid == ::geteuid() &&
               (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    }
    static std::optional<std::string> content_of(descriptor const& file) {
        std::string all;
        char block[65536];
        for (;;) {
            auto const count = ::read(file.number(), block, sizeof block);
            if (count == 0)
                return all;
            if (count > 0)
                all.append(block, static_cast<std::size_t>(count));
            else if (errno != EINTR)
                return {};
        }
    }
    static std::string hex(std::uint64_t number) {
        std::string text(digits, '0');
        for (std::size_t i = digits; i-- > 0; number >>= 4)
            text[i] = "0123456789abcdef"[number & 15];
        return text;
    }
    static std::string head_of(std::string_view from) {
        return std::string("sluice kernel 1, ").append(std::to_string(from.size())).append("\n").append(from);
    }
};

} // namespace sluice::cudnn
