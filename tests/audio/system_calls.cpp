// SPDX-License-Identifier: BSL-1.0
// The thread of the sound asks nothing of the system: models of every format play in a process that the
// kernel kills at its first system call but read, write and exit (seccomp, Linux).
#ifdef __linux__
#include <audio/amp.hpp>
#include <audio/switching_amp.hpp>
#include <csignal>
#include <doctest/doctest.h>
#include <linux/seccomp.h>
#include <memory>
#include <sluice/model/read_model.hpp>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace audio_system_calls_test {

enum class end { quiet, killed, not_known };

/// How a process ends that calls f and may then ask nothing of the system until what f gave has run.
template <class F>
end end_of(F const& f) {
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        auto const run = f();
        if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            ::_exit(1);
        run();
        ::syscall(SYS_exit, 0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL ? end::killed : end::not_known;
    return WEXITSTATUS(status) == 0 ? end::quiet : end::not_known;
}

TEST_CASE("system_calls: models, knobs and a change of models make none") {
    if (end_of([] { return [] {}; }) == end::not_known) {
        MESSAGE("skipped: this system has no strict seccomp");
        return;
    }
    CHECK(end_of([] { return [] { ::syscall(SYS_getppid); }; }) == end::killed); // what the others show
    for (std::string const name : {"lstm.json", "gru.json", "both.json", "aida.json", "guitarml_lstm_1.json",
                                   "guitarml_gru_3.json", "guitarml_lstm_2.json", "lstm.nam"}) {
        CAPTURE(name);
        auto const model = sluice::read_model(std::string(SLUICE_RECORDINGS) + "/audio/" + name);
        CHECK(end_of([&] {
                  auto live = std::make_shared<sluice::model_stream<float>>(model.stream());
                  std::vector<float> const in(64 * model.input_size(), 0.3f);
                  auto out = std::make_shared<std::vector<float>>(64 * model.output_size());
                  return [=] {
                      for (int block = 0; block < 100; ++block)
                          live->process(in, *out);
                  };
              }) == end::quiet);
        if (model.output_size() != 1)
            continue;
        CHECK(end_of([&] {
                  auto playing = std::make_shared<audio::switching_amp>(
                      48000, std::make_unique<audio::amp>(model, 48000));
                  auto next = std::make_shared<std::unique_ptr<audio::amp>>(
                      std::make_unique<audio::amp>(model, 48000));
                  auto sound = std::make_shared<std::vector<float>>(64, 0.3f);
                  return [=] {
                      for (int block = 0; block < 100; ++block) {
                          if (block == 40)
                              *next = playing->start(std::move(*next));
                          playing->now()->turn(0, 0.01f * static_cast<float>(block));
                          playing->process(*sound, *sound);
                      }
                  };
              }) == end::quiet);
    }
}

} // namespace audio_system_calls_test
#endif
