// SPDX-License-Identifier: BSL-1.0
#include "own_process.hpp"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace bench {

namespace {

[[noreturn]] void give_up(char const* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// A file for an answer; it is removed with the object.
class short_lived_file {
public:
    short_lived_file() {
        int const file = mkstemp(name_.data());
        if (file < 0)
            give_up("an answer has no file in /tmp");
        close(file);
    }
    ~short_lived_file() { std::remove(name_.c_str()); }
    short_lived_file(short_lived_file const&) = delete;
    short_lived_file& operator=(short_lived_file const&) = delete;
    std::string const& name() const { return name_; }

private:
    std::string name_ = "/tmp/bench_cells.XXXXXX";
};

class process {
public:
    explicit process(std::vector<std::string> const& words) {
        int to[2], from[2];
        if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
            give_up("a process of its own has no pipes");
        std::vector<char*> all{const_cast<char*>("bench_cells")};
        for (std::string const& word : words)
            all.push_back(const_cast<char*>(word.c_str()));
        all.push_back(nullptr);
        pid_t const parent = getpid();
        id_ = fork();
        if (id_ < 0)
            give_up("a process of its own cannot be started");
        if (id_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); // stopped as it is, it would stay for ever
            if (getppid() != parent)
                _exit(1);
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            execv("/proc/self/exe", all.data());
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        to_ = fdopen(to[1], "w");
        from_ = fdopen(from[0], "r");
        called_ = read();
        kill(id_, SIGSTOP);
    }
    ~process() {
        std::fclose(to_);
        kill(id_, SIGCONT);
        std::fclose(from_);
        waitpid(id_, nullptr, 0);
    }
    process(process const&) = delete;
    process& operator=(process const&) = delete;

    std::string const& called() const { return called_; }

    /// The line that comes back. The others are stopped meanwhile.
    std::string ask(std::string const& line) {
        kill(id_, SIGCONT);
        std::fputs((line + '\n').c_str(), to_);
        std::fflush(to_);
        std::string const came = read();
        kill(id_, SIGSTOP);
        int state = 0;
        waitpid(id_, &state, WUNTRACED); // until it stands
        return came;
    }

private:
    pid_t id_ = 0;
    std::FILE *to_ = nullptr, *from_ = nullptr;
    std::string called_{};

    std::string read() const {
        std::string line;
        for (int c = std::fgetc(from_); c != '\n'; c = std::fgetc(from_)) {
            if (c == EOF)
                throw std::runtime_error("a process of its own has ended before its time; it said why above");
            line += static_cast<char>(c);
        }
        return line;
    }
};

} // namespace

std::optional<contestant> in_own_process(std::vector<std::string> const& words) {
    auto const all = std::make_shared<process>(words);
    if (all->called().empty())
        return {};
    contestant one{.called = all->called()};
    one.answer = [all] {
        short_lived_file const file;
        std::vector<float> numbers(std::stoul(all->ask("answer " + file.name())));
        std::ifstream(file.name(), std::ios::binary)
            .read(reinterpret_cast<char*>(numbers.data()),
                  static_cast<std::streamsize>(numbers.size() * sizeof(float)));
        return numbers;
    };
    one.measure = [all] { return std::stod(all->ask("time")); };
    return one;
}

} // namespace bench
