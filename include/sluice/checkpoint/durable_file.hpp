// SPDX-License-Identifier: BSL-1.0
// Replaces a file as a whole or not at all. The bytes go to a new file in the same folder, which is forced
// to the disk and then renamed over the old one; the folder is forced to the disk as well. After a crash
// at any point the name leads to the old content or to the new one, never to a part.
//
// The temporary is called .sluice-PID-NUMBER.tmp, and its writer holds a lock (flock) on it. An error removes
// it. A kill leaves it without a lock, and the next write into the same folder, of whatever file, removes it.
// Where a file system has no locks, it stays.
//
// Only a regular file that may be written is replaced, or nothing. A symbolic link stays, and the file that
// it leads to is replaced or made. The new file has the mode of the old one, and its owner and group where
// the process may give them; a file that is new has the mode that the umask leaves. Access control lists and
// other extended attributes are not kept, and another hard link to the old file keeps the old content.
#pragma once

#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/system_files.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::detail {

inline constexpr char const* old_file_kept = "What was stored under that name before is unchanged.";

/// Reads errno, so it is called before anything else can change it.
inline checkpoint_errors::file_unwritable write_refusal(std::string const& file, char const* step,
                                                        char const* outcome = old_file_kept) {
    std::string const reason = std::generic_category().message(errno);
    return checkpoint_errors::file_unwritable(file + ": " + step + " failed (" + reason + "). " + outcome);
}

/// Where a file is to be written, and what is there now.
struct write_target {
    std::filesystem::path path; // after all symbolic links
    std::string shown;          // what errors call it
    std::optional<system_files::facts> old{};
    unsigned mode = 0666; // of a file that is new, less what the umask takes away

    std::filesystem::path folder() const { return path.has_parent_path() ? path.parent_path() : "."; }
};

/// Throws unless there is nothing, or a regular file that may be written.
inline write_target find_target(std::filesystem::path const& given) {
    using checkpoint_errors::file_unwritable;
    write_target target{given, checkpoint_errors::shown_path(given)};
    if (given.empty())
        throw file_unwritable("The path of the file to write is empty; give a file's name.");
    if (given.native().find('\0') != given.native().npos)
        throw file_unwritable(target.shown + " holds a zero byte, at which the system would cut it; give "
                                             "a path without one.");
    std::error_code no_link;
    for (int links = 0;; ++links) {
        std::filesystem::path const next = std::filesystem::read_symlink(target.path, no_link);
        if (no_link)
            break;
        constexpr int most_links = 40; // as many as Linux follows
        if (links == most_links) {
            errno = ELOOP;
            throw write_refusal(target.shown, "following its symbolic links");
        }
        target.path = target.path.parent_path() / next;
    }
    if (target.path != given)
        target.shown += " (a symbolic link to " + checkpoint_errors::shown_path(target.path) + ")";
    if (!target.path.has_filename())
        throw file_unwritable(target.shown + " ends with a slash, so it names a folder; give a file's name.");
    system_files::facts found{};
    if (!system_files::look(target.path, found)) {
        if (errno != ENOENT)
            throw write_refusal(target.shown, "looking at it");
        if (!system_files::look_behind_links(target.folder(), found))
            throw file_unwritable(target.shown + " cannot be written: there is no folder " +
                                  checkpoint_errors::shown_path(target.folder()) +
                                  "; make it, or give another path.");
        return target;
    }
    if (char const* const kind = system_files::other_kind(found))
        throw file_unwritable(target.shown + " cannot be replaced: it is " + kind +
                              ", and only a regular file is. Give another path.");
    if (!system_files::may_write(target.path))
        throw write_refusal(target.shown, "getting permission to write to it");
    target.old = found;
    return target;
}

inline bool is_temporary_name(std::string_view name) {
    constexpr std::string_view start = ".sluice-", end = ".tmp";
    if (!name.starts_with(start) || !name.ends_with(end))
        return false;
    name = name.substr(start.size(), name.size() - start.size() - end.size());
    auto const is_number = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    };
    auto const dash = name.find('-');
    return dash != name.npos && is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
}

/// Removes the temporaries that killed processes left.
inline void remove_abandoned(std::filesystem::path const& folder) {
    std::error_code problem;
    std::filesystem::directory_iterator item(folder, problem);
    for (; !problem && item != std::filesystem::directory_iterator(); item.increment(problem)) {
        std::error_code unknown;
        if (is_temporary_name(system_files::ascii_name(item->path())) &&
            item->symlink_status(unknown).type() == std::filesystem::file_type::regular)
            system_files::remove_unlocked(item->path());
    }
}

/// A new file in the target's folder. It is removed again unless it has become the target.
class temporary_file {
public:
    explicit temporary_file(write_target target)
        : target_(std::move(target)), file_(create(target_, path_)) {}
    temporary_file(temporary_file const&) = delete;
    temporary_file& operator=(temporary_file const&) = delete;
    ~temporary_file() {
        if (!path_.empty())
            system_files::discard(file_, path_);
    }

    void append(std::span<std::byte const> bytes) {
        while (!bytes.empty()) {
            auto const written = system_files::write(file_, bytes);
            if (written > 0)
                bytes = bytes.subspan(static_cast<std::size_t>(written));
            else if (written == 0 || errno != EINTR)
                throw write_refusal(target_.shown, "writing a temporary file beside it");
        }
    }

    void become_target() {
        if (target_.old && !system_files::take_over(file_, *target_.old))
            throw write_refusal(target_.shown, "giving the new content the mode of the old one");
        if (!system_files::sync(file_))
            throw write_refusal(target_.shown, "forcing the new content to the disk");
        if (!system_files::replace(file_, path_, target_.path))
            throw write_refusal(target_.shown, "renaming the finished temporary file to it");
        path_.clear();
    }

private:
    // What replaces a file is the process's alone until it takes over the mode of that file.
    static system_files::descriptor create(write_target const& target, std::filesystem::path& path) {
        static std::atomic<unsigned long> count{0};
        remove_abandoned(target.folder());
        for (;;) {
            path = target.path.parent_path() / (".sluice-" + std::to_string(system_files::process()) + "-" +
                                                std::to_string(++count) + ".tmp");
            auto file = system_files::create(path, target.old ? 0600 : target.mode);
            if (!file.is_open() && errno != EEXIST) // a process of the same number may have left that name
                throw write_refusal(target.shown, "creating a temporary file beside it");
            // Another process may remove the file, or be about to, before the lock is there.
            if (file.is_open() && system_files::lock(file, path) != system_files::lock_state::of_another)
                return file;
        }
    }

    write_target target_;
    std::filesystem::path path_; // empty once the file is the target
    system_files::descriptor file_;
};

inline void require_within_limit(write_target const& target, std::size_t bytes) {
    if (std::size_t const most = system_files::most_bytes(); bytes > most)
        throw checkpoint_errors::file_unwritable(
            target.shown + " would have " + std::to_string(bytes) + " bytes, and this process may write " +
            std::to_string(most) + " to a file; raise the limit (ulimit -f). " + old_file_kept);
}

inline void replace_file(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    write_target const target = find_target(path);
    require_within_limit(target, bytes.size());
    temporary_file file(target);
    file.append(bytes);
    file.become_target();
    if (!system_files::sync_folder(target.folder()))
        throw write_refusal(target.shown, "forcing its folder to the disk",
                            "The new content is in place, but a power cut may still undo that.");
}

inline void replace_file(std::filesystem::path const& path, std::string_view text) {
    replace_file(path, std::as_bytes(std::span(text)));
}

} // namespace sluice::detail
