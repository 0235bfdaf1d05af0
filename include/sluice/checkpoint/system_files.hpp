// SPDX-License-Identifier: BSL-1.0
// What durable_file.hpp asks of the system: POSIX, or Windows. A function that is false, or a descriptor that
// is not open, leaves the reason in errno.
//
//                        POSIX                               Windows
//   a lock               flock; of this minute, where        opened without sharing, or of this minute
//                        WebAssembly has no locks
//   replacing a file     rename, while the lock is held      MoveFileEx, after the file was closed
//   to the disk          fsync of the file and its folder    FlushFileBuffers of the file
//   mode, owner, group   those of the old file               those that the folder gives
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <utility>
#ifdef _WIN32
#include <algorithm>
#include <io.h>
#include <process.h>
#include <share.h>
#include <thread>
#else
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace sluice::detail::system_files {

using path = std::filesystem::path;

enum class lock_state { held, of_another, without_locks };

/// An open file, which is closed with it.
class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&&) = delete;
    ~descriptor() { close(); }

    bool is_open() const { return number_ >= 0; }
    int number() const { return number_; }
    void close() {
        if (is_open())
#ifdef _WIN32
            ::_close(number_);
#else
            ::close(number_);
#endif
        number_ = -1;
    }

private:
    int number_;
};

/// The name of a file, with a question mark for each part of a character that is not ASCII.
inline std::string ascii_name(path const& file) {
    path const name = file.filename();
    std::string text;
    for (auto const part : name.native())
        text += part > 0 && part < 0x7f ? static_cast<char>(part) : '?';
    return text;
}

/// Whether nothing has been written into a file for a minute.
inline bool is_of_earlier(path const& file) {
    std::error_code unknown;
    auto const written = std::filesystem::last_write_time(file, unknown);
    return !unknown && std::filesystem::file_time_type::clock::now() - written > std::chrono::minutes(1);
}

#ifdef _WIN32

using facts = struct ::_stat64;

inline bool look(path const& file, facts& found) {
    return ::_wstat64(file.c_str(), &found) == 0;
}
inline bool look_behind_links(path const& file, facts& found) {
    return look(file, found);
}
/// What it is, unless it is a regular file.
inline char const* other_kind(facts const& of) {
    auto const kind = of.st_mode & _S_IFMT;
    return kind == _S_IFREG ? nullptr : kind == _S_IFDIR ? "a folder" : "a device";
}
inline bool may_write(path const& file) {
    return ::_waccess(file.c_str(), 2) == 0;
}
inline int process() {
    return ::_getpid();
}

inline descriptor create(path const& file, unsigned) {
    return descriptor(::_wsopen(file.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                                _SH_DENYRW, _S_IREAD | _S_IWRITE));
}
inline lock_state lock(descriptor const&, path const&) {
    return lock_state::held;
}
/// Closes and removes a file.
inline void discard(descriptor& file, path const& name) {
    file.close();
    ::_wunlink(name.c_str());
}
/// The system removes no file that was opened without sharing. One that was written within the last minute
/// may be closed and about to be renamed.
inline void remove_unlocked(path const& file) {
    if (is_of_earlier(file))
        ::_wunlink(file.c_str());
}
/// How many bytes were written, or -1.
inline std::ptrdiff_t write(descriptor const& to, std::span<std::byte const> bytes) {
    constexpr std::size_t most = std::size_t(1) << 30;
    return ::_write(to.number(), bytes.data(), static_cast<unsigned>(std::min(bytes.size(), most)));
}
inline bool take_over(descriptor const&, facts const&) {
    return true;
}
inline bool sync(descriptor const& file) {
    return ::_commit(file.number()) == 0;
}
/// Who reads the old file, programs against viruses among them, keeps it from being replaced: that is waited
/// for, a second at the most.
inline bool replace(descriptor& file, path const& from, path const& to) {
    file.close();
    std::error_code problem;
    for (int milliseconds = 1; milliseconds < 1024; milliseconds *= 2) {
        std::filesystem::rename(from, to, problem);
        if (!problem)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
    errno = problem.default_error_condition().value();
    return false;
}
inline bool sync_folder(path const&) {
    return true;
}
inline std::size_t most_bytes() {
    return std::numeric_limits<std::size_t>::max();
}

#else

using facts = struct ::stat;

inline bool look(path const& file, facts& found) {
    return ::lstat(file.c_str(), &found) == 0;
}
inline bool look_behind_links(path const& file, facts& found) {
    return ::stat(file.c_str(), &found) == 0;
}
/// What it is, unless it is a regular file.
inline char const* other_kind(facts const& of) {
    return S_ISREG(of.st_mode) ? nullptr
           : S_ISDIR(of.st_mode) ? "a folder"
           : S_ISFIFO(of.st_mode) ? "a FIFO"
           : S_ISSOCK(of.st_mode) ? "a socket"
                                  : "a device";
}
inline bool may_write(path const& file) {
    return ::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0;
}
inline pid_t process() {
    return ::getpid();
}

inline descriptor create(path const& file, unsigned mode) {
    return descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
}
/// Locks the file that is open, which must still have the name: between the two calls another process may
/// have removed it.
inline lock_state lock(descriptor const& file, path const& name) {
    while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno == EWOULDBLOCK ? lock_state::of_another : lock_state::without_locks;
    facts opened{}, named{};
    bool const is_it = ::fstat(file.number(), &opened) == 0 && look(name, named) &&
                       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    return is_it ? lock_state::held : lock_state::of_another;
}
/// Removes a file, while it is locked, and closes it.
inline void discard(descriptor& file, path const& name) {
    ::unlink(name.c_str());
    file.close();
}
/// The lock is held until the file is gone, and only its holder may remove or rename it, so no other file can
/// have the name by then.
inline void remove_unlocked(path const& file) {
#ifdef __EMSCRIPTEN__ // where everybody gets every lock
    if (!is_of_earlier(file))
        return;
#endif
    // The mode may already be that of the target, which need not allow both.
    for (int const access : {O_WRONLY, O_RDONLY}) {
        descriptor const opened(::open(file.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (opened.is_open() && lock(opened, file) == lock_state::held)
            ::unlink(file.c_str());
        if (opened.is_open())
            break;
    }
}
/// How many bytes were written, or -1.
inline std::ptrdiff_t write(descriptor const& to, std::span<std::byte const> bytes) {
    return ::write(to.number(), bytes.data(), bytes.size());
}
/// Gives the file the mode of another, and its owner and group where the process may. Where the group cannot
/// be kept, the new one may do no more than everybody may.
inline bool take_over(descriptor const& file, facts const& old) {
    facts now{};
    if (::fstat(file.number(), &now) != 0)
        return false;
    bool const same_group = now.st_gid == old.st_gid || ::fchown(file.number(), now.st_uid, old.st_gid) == 0;
    [[maybe_unused]] bool const same_owner = // only root may give files away
        now.st_uid == old.st_uid || ::fchown(file.number(), old.st_uid, static_cast<gid_t>(-1)) == 0;
    mode_t const group = same_group ? 0070 : (old.st_mode & 0007) << 3;
    mode_t const mode = old.st_mode & (0707 | group);
    return (now.st_mode & 0777) == mode || ::fchmod(file.number(), mode) == 0;
}
inline bool sync(descriptor const& file) {
    return ::fsync(file.number()) == 0;
}
/// And gives up the lock, which a forked child would keep.
inline bool replace(descriptor& file, path const& from, path const& to) {
    if (::rename(from.c_str(), to.c_str()) != 0)
        return false;
    ::flock(file.number(), LOCK_UN);
    return true;
}
/// Makes a renaming in it survive a power cut. Some file systems cannot do that for a folder and say so.
inline bool sync_folder(path const& folder) {
    descriptor const opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return (opened.is_open() && sync(opened)) || errno == EINVAL || errno == ENOTSUP || errno == EACCES;
}
/// How large a file this process may write; beyond that it would end with SIGXFSZ.
inline std::size_t most_bytes() {
    rlimit limit{};
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most
               ? most
               : static_cast<std::size_t>(limit.rlim_cur);
}

#endif

} // namespace sluice::detail::system_files
