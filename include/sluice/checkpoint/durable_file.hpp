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

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
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
    std::optional<struct stat> old{};
    mode_t mode = 0666; // of a file that is new, less what the umask takes away

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
    struct stat found {};
    if (::lstat(target.path.c_str(), &found) != 0) {
        if (errno != ENOENT)
            throw write_refusal(target.shown, "looking at it");
        if (::stat(target.folder().c_str(), &found) != 0)
            throw file_unwritable(target.shown + " cannot be written: there is no folder " +
                                  checkpoint_errors::shown_path(target.folder()) +
                                  "; make it, or give another path.");
        return target;
    }
    if (!S_ISREG(found.st_mode)) {
        std::string const kind = S_ISDIR(found.st_mode)    ? "a folder"
                                 : S_ISFIFO(found.st_mode) ? "a FIFO"
                                 : S_ISSOCK(found.st_mode) ? "a socket"
                                                           : "a device";
        throw file_unwritable(target.shown + " cannot be replaced: it is " + kind +
                              ", and only a regular file is. Give another path.");
    }
    if (::faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0)
        throw write_refusal(target.shown, "getting permission to write to it");
    target.old = found;
    return target;
}

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

private:
    int number_;
};

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

enum class lock_state { held, of_another, without_locks };

/// Locks the file that is open, which must still have the name: between the two calls another process may
/// have removed it.
inline lock_state lock(descriptor const& file, std::filesystem::path const& name) {
    while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno == EWOULDBLOCK ? lock_state::of_another : lock_state::without_locks;
    struct stat opened {};
    struct stat named {};
    bool const is_it = ::fstat(file.number(), &opened) == 0 && ::lstat(name.c_str(), &named) == 0 &&
                       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    return is_it ? lock_state::held : lock_state::of_another;
}

/// Removes the temporaries that killed processes left. The lock is held until the file is gone, and only its
/// holder may remove or rename it, so no other file can have the name by then.
inline void remove_abandoned(std::filesystem::path const& folder) {
    std::error_code problem;
    std::filesystem::directory_iterator item(folder, problem);
    for (; !problem && item != std::filesystem::directory_iterator(); item.increment(problem)) {
        std::filesystem::path const& name = item->path();
        std::error_code unknown;
        if (!is_temporary_name(name.filename().native()) ||
            item->symlink_status(unknown).type() != std::filesystem::file_type::regular)
            continue;
        // The mode may already be that of the target, which need not allow both.
        for (int const access : {O_WRONLY, O_RDONLY}) {
            descriptor const file(::open(name.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
            if (file.is_open() && lock(file, name) == lock_state::held)
                ::unlink(name.c_str());
            if (file.is_open())
                break;
        }
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
            ::unlink(path_.c_str());
    }

    void append(std::span<std::byte const> bytes) {
        while (!bytes.empty()) {
            auto const written = ::write(file_.number(), bytes.data(), bytes.size());
            if (written > 0)
                bytes = bytes.subspan(static_cast<std::size_t>(written));
            else if (written == 0 || errno != EINTR)
                throw write_refusal(target_.shown, "writing a temporary file beside it");
        }
    }

    void become_target() {
        if (target_.old && !take_over(*target_.old))
            throw write_refusal(target_.shown, "giving the new content the mode of the old one");
        if (::fsync(file_.number()) != 0)
            throw write_refusal(target_.shown, "forcing the new content to the disk");
        if (::rename(path_.c_str(), target_.path.c_str()) != 0)
            throw write_refusal(target_.shown, "renaming the finished temporary file to it");
        path_.clear();
        ::flock(file_.number(), LOCK_UN); // a forked child would keep it
    }

private:
    // What replaces a file is the process's alone until it takes over the mode of that file.
    static descriptor create(write_target const& target, std::filesystem::path& path) {
        static std::atomic<unsigned long> count{0};
        remove_abandoned(target.folder());
        for (;;) {
            path = target.path.parent_path() /
                   (".sluice-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".tmp");
            descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                   target.old ? 0600 : target.mode));
            if (!file.is_open() && errno != EEXIST) // a process of the same number may have left that name
                throw write_refusal(target.shown, "creating a temporary file beside it");
            // Another process may remove the file, or be about to, before the lock is there.
            if (file.is_open() && lock(file, path) != lock_state::of_another)
                return file;
        }
    }

    // Where the group cannot be kept, the new one may do no more than everybody may.
    bool take_over(struct stat const& old) {
        struct stat now {};
        if (::fstat(file_.number(), &now) != 0)
            return false;
        bool const same_group =
            now.st_gid == old.st_gid || ::fchown(file_.number(), now.st_uid, old.st_gid) == 0;
        [[maybe_unused]] bool const same_owner = // only root may give files away
            now.st_uid == old.st_uid || ::fchown(file_.number(), old.st_uid, static_cast<gid_t>(-1)) == 0;
        mode_t const group = same_group ? 0070 : (old.st_mode & 0007) << 3;
        mode_t const mode = old.st_mode & (0707 | group);
        return (now.st_mode & 0777) == mode || ::fchmod(file_.number(), mode) == 0;
    }

    write_target target_;
    std::filesystem::path path_; // empty once the file is the target
    descriptor file_;
};

/// Makes the renaming itself survive a power cut. Some file systems cannot do that for a folder and say so.
inline void sync_folder_of(write_target const& target) {
    descriptor const opened(::open(target.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    bool const synced = opened.is_open() && ::fsync(opened.number()) == 0;
    if (!synced && errno != EINVAL && errno != ENOTSUP && errno != EACCES)
        throw write_refusal(target.shown, "forcing its folder to the disk",
                            "The new content is in place, but a power cut may still undo that.");
}

/// A write beyond the limit would end the process with SIGXFSZ.
inline void require_within_limit(write_target const& target, std::size_t bytes) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
        throw checkpoint_errors::file_unwritable(
            target.shown + " would have " + std::to_string(bytes) + " bytes, and this process may write " +
            std::to_string(limit.rlim_cur) + " to a file; raise the limit (ulimit -f). " + old_file_kept);
}

inline void replace_file(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    write_target const target = find_target(path);
    require_within_limit(target, bytes.size());
    temporary_file file(target);
    file.append(bytes);
    file.become_target();
    sync_folder_of(target);
}

} // namespace sluice::detail
