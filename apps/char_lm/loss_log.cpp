// SPDX-License-Identifier: BSL-1.0
#include "loss_log.hpp"

#include "failure.hpp"
#include "interrupt.hpp"
#include "write_all.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace char_lm {

using line = nlohmann::ordered_json;

namespace {

// The size of a regular file; a terminal, a pipe or a device has none, and cannot be cut.
off_t size_of(const descriptor& file) {
    struct stat facts {};
    return fstat(file.number(), &facts) == 0 && S_ISREG(facts.st_mode) ? facts.st_size : 0;
}

constexpr auto patience = std::chrono::seconds(3);

// A FIFO has to have a reader first, which a script may start a moment later; to open it otherwise would wait
// for ever.
descriptor opened(const std::string& path) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        descriptor file(
            open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
        if (file.is_open() || errno != ENXIO)
            return file;
        if (interrupted())
            throw cannot_write("Stopped while the log " + path +
                               " waited for a program that reads it; nothing was trained.");
        if (std::chrono::steady_clock::now() - start > patience)
            throw bad_call("The log " + path +
                           " is a FIFO that no program reads, or a socket; start its reader first, or name a "
                           "file with --log.");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

} // namespace

loss_log::loss_log(const std::string& path, std::uintmax_t kept) : path_(path), file_(opened(path)) {
    const auto length = static_cast<off_t>(kept);
    if (!file_.is_open() || (size_of(file_) > length && ftruncate(file_.number(), length) != 0))
        throw bad_call("The log " + path + " cannot be written: " + std::generic_category().message(errno) +
                       "; name another --log.");
}

void loss_log::write(const std::string& text) {
    if (!file_.is_open())
        return;
    const off_t before = size_of(file_);
    const std::error_code problem = write_all(file_.number(), text + '\n');
    if (!problem)
        return;
    const bool clean = size_of(file_) <= before || ftruncate(file_.number(), before) == 0;
    throw cannot_write("The log " + path_ + " cannot be written: " + problem.message() +
                       (clean ? "" : ", and its last line is incomplete") +
                       "; make room, or name another --log.");
}

void loss_log::force_to_disk() {
    if (file_.is_open() && fsync(file_.number()) != 0 && errno != EINVAL && errno != ENOTSUP)
        throw cannot_write("The log " + path_ +
                           " cannot be forced to the disk: " + std::generic_category().message(errno) + ".");
}

void loss_log::step(std::size_t step, double bits, double rate) {
    write(line{{"step", step}, {"bits", bits}, {"rate", rate}}.dump());
}

void loss_log::validation(std::size_t step, double bits) {
    write(line{{"step", step}, {"validation", bits}}.dump());
}

void loss_log::test(std::size_t step, double bits) {
    write(line{{"step", step}, {"test", bits}}.dump());
}

} // namespace char_lm
