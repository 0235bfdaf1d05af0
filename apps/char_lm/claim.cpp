// SPDX-License-Identifier: BSL-1.0
#include "claim.hpp"

#include "failure.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace char_lm {

claim::claim(const std::string& path) : lock_(path + ".lock") {
    do { // until what is locked is what others would find
        file_ =
            descriptor(open(lock_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
        if (!file_.is_open())
            return; // most likely the checkpoint cannot be written either, which the first save says
        if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK)
                throw bad_call("The checkpoint " + path +
                               " belongs to another char_lm that is running (it holds " + lock_ +
                               "); name another --checkpoint, or stop that one.");
            return;
        }
    } while (!leads_to(lock_, file_.number()));
}

claim& claim::operator=(claim&& other) noexcept {
    std::swap(lock_, other.lock_);
    file_ = std::move(other.file_);
    return *this;
}

claim::~claim() {
    struct stat facts {};
    if (file_.is_open() && fstat(file_.number(), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0)
        unlink(lock_.c_str()); // before the lock ends, so that no other process holds it
}

} // namespace char_lm
