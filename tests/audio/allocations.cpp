// SPDX-License-Identifier: BSL-1.0
// The thread of the sound asks for no memory and gives none back: models of every format, amplifiers with
// knobs, and two of them that go over into each other.
#include "counting.hpp"

#include <audio/amp.hpp>
#include <audio/model_at_rate.hpp>
#include <audio/switching_amp.hpp>
#include <cerrno>
#include <cstdlib>
#include <doctest/doctest.h>
#include <memory>
#include <sluice/model/read_model.hpp>
#include <string>
#include <vector>

namespace {
constinit thread_local std::size_t calls = 0;
}

std::size_t audio_test::calls_of_memory() noexcept {
    return calls;
}

#ifdef __GLIBC__ // elsewhere nothing is counted, nor tested here
// glibc's own, under its names for those who replace them; operator new calls malloc.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
    ++calls;
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    ++calls;
    return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    ++calls;
    return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t line, std::size_t size) {
    ++calls;
    return __libc_memalign(line, size);
}
int posix_memalign(void** memory, std::size_t line, std::size_t size) {
    ++calls;
    *memory = __libc_memalign(line, size);
    return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
    ++calls;
    __libc_free(memory);
}
}

namespace audio_allocations_test {

using audio_test::calls_in;

std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/audio/" + name;
}
std::vector<std::string> const files{"lstm.json",
                                     "gru.json",
                                     "both.json",
                                     "aida.json",
                                     "guitarml_lstm_1.json",
                                     "guitarml_gru_3.json",
                                     "guitarml_lstm_2.json",
                                     "lstm.nam"};

TEST_CASE("audio allocations: they are counted") {
    CHECK(calls_in([] { std::vector<float> const some(100); }) == 2);
    CHECK(calls_in([] { std::free(std::aligned_alloc(64, 64)); }) == 2);
    CHECK(calls_in([] { sluice::read_model(path_of("lstm.json")); }) > 100);
}

TEST_CASE("audio allocations: a model of a file asks for none, nor does an amplifier of it") {
    for (std::string const& name : files) {
        CAPTURE(name);
        auto const model = sluice::read_model(path_of(name));
        auto live = model.stream();
        std::vector<float> in(100 * model.input_size(), 0.25f), out(100 * model.output_size());
        CHECK(calls_in([&] { live.process(in, out); }) == 0);
        CHECK(calls_in([&] { live.process(in, out); }) == 0);
        if (model.output_size() != 1)
            continue;
        audio::amp amp(model, 44100);
        std::vector<float> sound(1000, 0.25f);
        CHECK(calls_in([&] {
                  amp.turn(0, 0.75f);
                  amp.process(sound, sound);
              }) == 0);
    }
}

TEST_CASE("audio allocations: resampled cells, and two amplifiers of which one goes over into the other") {
    auto const model = audio::read_model_at_rate(path_of("lstm.nam"), 44100); // it learned at 48000 Hz
    auto next = std::make_unique<audio::amp>(sluice::read_model(path_of("aida.json")), 44100);
    audio::switching_amp both(44100, std::make_unique<audio::amp>(model, 44100));
    std::vector<float> sound(64, 0.25f);
    std::unique_ptr<audio::amp> old;
    CHECK(calls_in([&] {
              both.process(sound, sound);
              both.start(std::move(next));
              for (int k = 0; k < 20; ++k)
                  both.process(sound, sound);
              old = both.finished();
          }) == 0);
    CHECK(old != nullptr);
    CHECK_FALSE(both.is_fading());
}

} // namespace audio_allocations_test

#endif
