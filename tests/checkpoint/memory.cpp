// SPDX-License-Identifier: BSL-1.0
// No file, whole or damaged, makes a reader take more memory than a stated multiple of its size.
#include "support.hpp"

#include <sluice/checkpoint/keras.hpp>
#include <sluice/checkpoint/npz.hpp>
#include <sluice/checkpoint/onnx.hpp>
#include <sluice/checkpoint/safetensors.hpp>

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <random>

namespace {

std::size_t live = 0, highest = 0;

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr)
        throw std::bad_alloc();
    live += malloc_usable_size(memory);
    highest = std::max(highest, live);
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    live -= memory == nullptr ? 0 : malloc_usable_size(memory);
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace checkpoint_memory_test {

using namespace checkpoint_test;
using namespace sluice;

/// The most memory that f() holds at a time, beside what was held before.
template <class F>
std::size_t taken_by(F const& f) {
    std::size_t const before = live;
    highest = live;
    f();
    return highest - before;
}

/// What each reading may take beside the multiple: sentences, and the archive itself.
constexpr std::size_t little = 16'384;

template <class Parse>
void takes_at_most(std::size_t times, std::string const& file, Parse const& parse) {
    std::string const whole = file_text(std::filesystem::path(SLUICE_RECORDINGS) / file);
    REQUIRE(whole.size() > 50);
    CAPTURE(file);
    std::mt19937_64 numbers(7);
    std::size_t const tries = 1500;
    for (std::size_t i = 0; i < tries; ++i) {
        std::string changed = whole;
        if (i > 0) { // one to three numbers of 1, 2, 4 or 8 bytes are others
            for (std::size_t k = numbers() % 3 + 1; k-- > 0;) {
                std::size_t const width = std::size_t(1) << numbers() % 4,
                                  at = numbers() % (whole.size() - width);
                std::uint64_t const number = numbers() >> numbers() % 64;
                for (std::size_t b = 0; b < width; ++b)
                    changed[at + b] = static_cast<char>(number >> (8 * b) & 0xFF);
            }
        }
        auto const bytes = bytes_of(changed);
        std::size_t const taken = taken_by([&] {
            try {
                parse(bytes);
            } catch (checkpoint_error const&) {
            }
        });
        CAPTURE(i);
        REQUIRE(taken <= times * bytes.size() + little);
    }
}

TEST_CASE("memory: what is held is counted") {
    std::vector<char> kept;
    std::size_t const taken = taken_by([&] { kept.resize(5000); });
    CHECK(taken >= 5000);
    CHECK(taken < 6000);
    CHECK(taken_by([&] { kept.assign(10, 'a'); }) == 0);
}

TEST_CASE("memory: of damaged files") {
    takes_at_most(8, "flax/gru.safetensors", [](auto bytes) { safetensors::parse(bytes); });
    takes_at_most(2, "npz/kernel.npy", [](auto bytes) { npy::parse(bytes, "a"); });
    takes_at_most(12, "models/types.onnx", [](auto bytes) { onnx::parse(bytes); });
    takes_at_most(12, "models/gru_reset_before.onnx", [](auto bytes) { onnx::parse(bytes); });
    takes_at_most(8, "npz/stored.npz", [](auto bytes) { npz::parse(bytes); });
    takes_at_most(2 * 1032, "npz/deflated.npz", [](auto bytes) { npz::parse(bytes); });
    takes_at_most(17, "keras_files/types.h5", [](auto bytes) { hdf5::parse(bytes); });
    takes_at_most(17, "keras_files/keras2_gru_2.h5", [](auto bytes) { keras::parse(bytes); });
    takes_at_most(17, "keras_files/latest.h5", [](auto bytes) { keras::parse(bytes); });
    takes_at_most(1032 + 17, "keras_files/packed.weights.h5", [](auto bytes) { keras::parse(bytes); });
    takes_at_most(2 * 1032 + 16, "keras_files/keras3_lstm_bidirectional.keras",
                  [](auto bytes) { keras::parse(bytes); });
}

TEST_CASE("memory: of files that promise much") {
    for (std::string const name : {"unwritten", "bomb", "huge_chunk", "overlap"})
        takes_at_most(17, "keras_files/bad_" + name + ".h5", [](auto bytes) { hdf5::parse(bytes); });
}

} // namespace checkpoint_memory_test
