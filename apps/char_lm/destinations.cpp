// SPDX-License-Identifier: BSL-1.0
#include "destinations.hpp"

#include "descriptor.hpp"
#include "failure.hpp"
#include "output.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace char_lm {

namespace fs = std::filesystem;

namespace {

// Without links, as far as the path exists.
fs::path plain(const fs::path& path) {
    std::error_code problem;
    const fs::path absolute = fs::absolute(path, problem);
    const fs::path result = fs::weakly_canonical(absolute, problem);
    return problem ? absolute : result;
}

// Whatever way leads to it; also when there is no such file yet.
bool same_file(const fs::path& left, const fs::path& right) {
    std::error_code problem;
    return fs::equivalent(left, right, problem) || plain(left) == plain(right);
}

bool inside(const fs::path& path, const fs::path& folder) {
    for (fs::path place = plain(path); place != place.root_path();) {
        place = place.parent_path();
        if (same_file(place, folder))
            return true;
    }
    return false;
}

// Something has this name, if only a link that leads nowhere.
bool taken(const fs::path& path) {
    std::error_code problem;
    return fs::exists(fs::symlink_status(path, problem));
}

std::string kept_name(const std::string& path, std::size_t number) {
    return path + ".old" + (number == 1 ? "" : std::to_string(number));
}

// Is `path` the other file, or one that set_aside keeps or would make of it?
bool in_the_way(const fs::path& path, const std::string& other) {
    bool found = same_file(path, other);
    for (std::size_t number = 1; !found; ++number) {
        const std::string kept = kept_name(other, number);
        found = same_file(path, kept);
        if (!taken(kept))
            break;
    }
    return found;
}

void require_place(const std::string& option, const std::string& path, const corpus& text) {
    const std::string subject = option + " " + path;
    std::error_code problem;
    const fs::path folder = fs::path(path).parent_path();
    require(!fs::is_directory(path, problem), subject + " is a folder; name a file.");
    require(folder.empty() || fs::is_directory(folder, problem),
            subject + " cannot be written: there is no folder " + folder.string() +
                " that may be looked into; make it, or name another file.");
    require(std::none_of(text.files.begin(), text.files.end(),
                         [&](const fs::path& file) { return fs::equivalent(path, file, problem); }),
            subject + " is a text to learn, and would be overwritten; name another file.");
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        require(!fs::is_regular_file(path, problem) || !leads_to(path, stream),
                subject + " is the file that the program's output goes to; name another file.");
}

} // namespace

void require_harmless(const options& o, const corpus& text) {
    std::error_code problem;
    require_place("--checkpoint", o.checkpoint, text);
    const fs::file_status status = fs::status(o.checkpoint, problem);
    require(!fs::exists(status) || fs::is_regular_file(status),
            "--checkpoint " + o.checkpoint +
                " is no regular file, which it would be replaced by; name a file.");
    if (o.log.empty())
        return;
    require_place("--log", o.log, text);
    require(!fs::is_symlink(o.log, problem) || fs::exists(o.log, problem),
            "--log " + o.log + " is a link that leads nowhere; name a file.");
    for (const fs::path& folder : text.folders)
        require(
            !inside(o.log, folder),
            "--log " + o.log + " lies in the folder " + folder.string() +
                ", all of which is learnt, so that the next run would learn the log; name a file elsewhere.");
    require(
        !in_the_way(o.log, o.checkpoint) && !in_the_way(o.checkpoint, o.log),
        "--log " + o.log + " and --checkpoint " + o.checkpoint +
            " are in each other's way (they are one file, or one is the name under which the other is kept "
            "when a new training begins); name another file.");
}

void set_aside(const std::string& what, const std::string& path) {
    std::error_code problem;
    if (!taken(path) || !(fs::is_regular_file(path, problem) || fs::is_symlink(path, problem)))
        return;
    std::size_t number = 1;
    while (taken(kept_name(path, number)))
        ++number;
    const std::string kept = kept_name(path, number);
    fs::rename(path, kept, problem);
    if (problem)
        throw std::runtime_error("The " + what + " " + path + " of an earlier run cannot be kept as " + kept +
                                 ": " + problem.message() + "; move it away, or name another file.");
    say("the " + what + " " + path + " of an earlier run is now " + kept);
}

} // namespace char_lm
