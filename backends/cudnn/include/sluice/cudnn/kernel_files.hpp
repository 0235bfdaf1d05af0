// SPDX-License-Identifier: BSL-1.0
// Compiled kernels on the disk, so that a program that runs again compiles nothing.
//
// A file is named by a hash of what it was compiled from, and holds all of that too: it is used only if the
// source, the architecture and the compiler are the same to the letter, and the checksum is right. Any other
// file in its place is written anew, under another name first, so that programs may run at the same time.
//
// The folder is that of SLUICE_KERNEL_CACHE, where `off` means none, else sluice/kernels in XDG_CACHE_HOME or in
// the folder .cache at home. It must be the user's own. Where nothing can be written, kernels are compiled at
// each start.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::cudnn {

class kernel_files {
public:
    kernel_files() : folder_(chosen_folder()) {}
    explicit kernel_files(std::filesystem::path folder) : folder_(std::move(folder)) {}

    bool is_off() const { return folder_.empty(); }

    /// What was compiled from this, if it is there.
    std::optional<std::string> find(std::string_view from) const {
        if (is_off() || !is_own(folder_, S_IFDIR))
            return {};
        std::filesystem::path const name = path_of(from);
        if (!is_own(name, S_IFREG))
            return {};
        std::ifstream file(name, std::ios::binary);
        std::string const all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        std::string const head = head_of(from);
        if (!file.good() && !file.eof())
            return {};
        if (all.size() < head.size() + digits || all.compare(0, head.size(), head) != 0)
            return {};
        std::string made = all.substr(head.size() + digits);
        if (all.compare(head.size(), digits, hex(hash(made))) != 0)
            return {};
        return made;
    }
    /// Keeps what was compiled, if it can.
    void keep(std::string_view from, std::string_view made) const {
        static std::atomic<unsigned> count{0};
        if (is_off())
            return;
        std::error_code failed;
        std::filesystem::create_directories(folder_.parent_path(), failed);
        ::mkdir(folder_.c_str(), 0700);
        if (!is_own(folder_, S_IFDIR))
            return;
        std::filesystem::path const name = path_of(from);
        std::filesystem::path part = name;
        part += "." + std::to_string(::getpid()) + "." + std::to_string(count++);
        {
            std::ofstream file(part, std::ios::binary | std::ios::trunc);
            file << head_of(from) << hex(hash(made)) << made;
            if (!file.flush().good()) {
                file.close();
                std::filesystem::remove(part, failed);
                return;
            }
        }
        std::filesystem::rename(part, name, failed);
        if (failed)
            std::filesystem::remove(part, failed);
    }
    std::filesystem::path path_of(std::string_view from) const {
        return folder_ / (hex(hash(from)) + ".kernel");
    }

private:
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
    /// Of this user, writable by nobody else, and no link.
    static bool is_own(std::filesystem::path const& name, mode_t type) {
        struct stat about {};
        return ::lstat(name.c_str(), &about) == 0 && (about.st_mode & S_IFMT) == type &&
               about.st_uid == ::geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    }
    static std::uint64_t hash(std::string_view bytes) { // FNV-1a
        std::uint64_t sum = 0xcbf29ce484222325;
        for (char const byte : bytes)
            sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
        return sum;
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
