// SPDX-License-Identifier: BSL-1.0
#include "own_process.hpp"
#include "numbers.hpp"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <poll.h>
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
            give_up("an answer has no file in the folder for temporary files");
        close(file);
    }
    ~short_lived_file() { std::remove(name_.c_str()); }
    short_lived_file(short_lived_file const&) = delete;
    short_lived_file& operator=(short_lived_file const&) = delete;
    std::string const& name() const { return name_; }

private:
    std::string name_ = (std::filesystem::temp_directory_path() / "bench_cells.XXXXXX").string();
};

class process {
public:
    process(std::vector<std::string> const& command, double patience) : patience_(patience) {
        int to[2], from[2];
        if (pipe2(to, O_CLOEXEC) != 0)
            give_up("a process of its own has no pipes");
        if (pipe2(from, O_CLOEXEC) != 0) {
            close(to[0]);
            close(to[1]);
            give_up("a process of its own has no pipes");
        }
        std::vector<char*> all;
        for (std::string const& word : command)
            all.push_back(const_cast<char*>(word.c_str()));
        all.push_back(nullptr);
        std::signal(SIGPIPE, SIG_IGN); // a process that has ended is an answer like any other
        pid_t const parent = getpid();
        id_ = fork();
        if (id_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); // stopped as it is, it would stay for ever
            if (getppid() != parent)
                _exit(1);
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            std::signal(SIGPIPE, SIG_DFL);
            execv(all.front(), all.data());
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        to_ = to[1];
        from_ = from[0];
        if (id_ < 0) {
            close_pipes();
            give_up("a process of its own cannot be started");
        }
        try {
            called_ = read();
        } catch (...) {
            end();
            throw;
        }
        stop();
    }
    ~process() { end(); }
    process(process const&) = delete;
    process& operator=(process const&) = delete;

    std::string const& called() const { return called_; }

    /// What comes back. The process is stopped afterwards.
    std::string ask(std::string const& line) {
        if (id_ == 0)
            throw std::runtime_error("its process has ended before");
        kill(id_, SIGCONT);
        std::string const text = line + '\n';
        if (write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error(last_words("its process takes no question"));
        std::string const came = read();
        stop();
        return came;
    }

private:
    using clock = std::chrono::steady_clock;

    double patience_;
    pid_t id_ = 0; ///< 0: it has ended
    int to_ = -1, from_ = -1;
    std::string called_{}, buffer_{};

    void close_pipes() {
        close(to_);
        close(from_);
    }
    void stop() {
        kill(id_, SIGSTOP);
        int state = 0;
        if (waitpid(id_, &state, WUNTRACED) == id_ && !WIFSTOPPED(state)) // until it stands
            id_ = 0;
    }
    void end() {
        if (id_ != 0) {
            kill(id_, SIGKILL); // which reaches it while it is stopped, too
            waitpid(id_, nullptr, 0);
            id_ = 0;
        }
        close_pipes();
    }
    /// How it ended, or else the sentence.
    std::string last_words(std::string const& otherwise) {
        int state = 0;
        for (int look = 0; look < 30; ++look) { // its pipe may be closed a moment before it has ended
            if (waitpid(id_, &state, WNOHANG) == id_) {
                id_ = 0;
                if (WIFSIGNALED(state))
                    return std::string("its process was ended by a signal: ") + strsignal(WTERMSIG(state));
                if (WEXITSTATUS(state) == 127)
                    return "its process could not be started";
                return "its process has ended by itself, with the exit code " +
                       std::to_string(WEXITSTATUS(state));
            }
            usleep(10'000);
        }
        return otherwise;
    }
    /// The next line that is said to this program.
    std::string read() {
        auto const start = clock::now();
        for (;;) {
            for (auto end = buffer_.find('\n'); end != buffer_.npos; end = buffer_.find('\n')) {
                std::string const line = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                if (line.starts_with(said)) {
                    std::string const answer = line.substr(said.size());
                    if (answer.starts_with(failed))
                        throw std::runtime_error(answer.substr(failed.size()));
                    return answer;
                }
                std::fprintf(stderr, "%s\n", line.c_str());
            }
            double const left = patience_ - std::chrono::duration<double>(clock::now() - start).count();
            pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
            int const found = left > 0 ? poll(&ready, 1, static_cast<int>(std::min(left, 1e6) * 1e3) + 1) : 0;
            if (found == 0)
                throw std::runtime_error("its process said nothing for " +
                                         std::to_string(static_cast<int>(patience_)) + " seconds");
            char block[4096];
            auto const count = found > 0 ? ::read(from_, block, sizeof block) : -1;
            if (count > 0)
                buffer_.append(block, static_cast<std::size_t>(count));
            else if (count == 0 || errno != EINTR)
                throw std::runtime_error(last_words("its process has closed its standard output"));
        }
    }
};

} // namespace

std::string this_program() {
    std::error_code problem;
    auto const path = std::filesystem::read_symlink("/proc/self/exe", problem);
    return problem ? program_invocation_name : path.string();
}

std::optional<contestant> in_own_process(std::vector<std::string> const& command, double patience) {
    auto const all = std::make_shared<process>(command, patience);
    if (all->called().empty())
        return {};
    contestant one{.called = all->called()};
    one.answer = [all] {
        short_lived_file const file;
        auto const count = number_in<std::size_t>(all->ask("answer " + file.name()),
                                                  "the length of its answer", 1, std::size_t(1) << 32);
        std::error_code problem;
        if (std::filesystem::file_size(file.name(), problem) != count * sizeof(float))
            throw std::runtime_error("its answer has another length than it says");
        std::vector<float> numbers(count);
        std::ifstream(file.name(), std::ios::binary)
            .read(reinterpret_cast<char*>(numbers.data()),
                  static_cast<std::streamsize>(count * sizeof(float)));
        return numbers;
    };
    one.measure = [all] {
        return number_in<double>(all->ask("time"), "the time that it says it took", 1e-12, 1e6);
    };
    return one;
}

} // namespace bench
