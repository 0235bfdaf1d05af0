// SPDX-License-Identifier: BSL-1.0
// No file, whole, damaged or made to cost much, makes a reader take more memory or steps than budget.hpp
// says.
#include "crafted_files.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/keras.hpp>
#include <sluice/checkpoint/formats/npz.hpp>
#include <sluice/checkpoint/formats/onnx.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>

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
using crafted::format;

/// The most memory that f() holds at a time, beside what was held before.
template <class F>
std::size_t taken_by(F const& f) {
    std::size_t const before = live;
    highest = live;
    f();
    return highest - before;
}

/// Reads, counts, and says whether the file was refused.
std::string refusal(format of, std::span<std::byte const> bytes) {
    checkpoint_budget left(bytes.size(), "'m'");
    std::string said;
    said.reserve(1000); // before memory is counted
    std::size_t const taken = taken_by([&] {
        try {
            switch (of) {
            case format::safetensors:
                safetensors::parse(bytes, "m", left);
                break;
            case format::npy:
                npy::parse(bytes, "a", "'m'", left);
                break;
            case format::npz:
                npz::parse(bytes, "m", left);
                break;
            case format::keras:
                keras::parse(bytes, "m", left);
                break;
            case format::onnx:
                onnx::parse(bytes, "m", left);
                break;
            }
        } catch (checkpoint_error const& refused) {
            said = refused.what();
        }
    });
    bool const may_be_deflated = of == format::npz || of == format::keras;
    std::uint64_t const most = (may_be_deflated ? 17 + 2064 : 17) * bytes.size() + 65'536;
    REQUIRE(left.most_memory() <= most);
    REQUIRE(taken + bytes.size() <= left.most_memory());
    REQUIRE(left.most_steps() == 4 * left.most_memory());
    REQUIRE(left.steps() <= left.most_steps());
    CHECK((left.steps() > 0 || !said.empty()));
    return said;
}

TEST_CASE("memory: what is held is counted") {
    std::vector<char> kept;
    std::size_t const taken = taken_by([&] { kept.resize(5000); });
    CHECK(taken >= 5000);
    CHECK(taken < 6000);
    CHECK(taken_by([&] { kept.assign(10, 'a'); }) == 0);
}

void survives_damage(format of, std::string const& file) {
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
                crafted::put(changed, at, number, width);
            }
        }
        auto const bytes = bytes_of(changed);
        CAPTURE(i);
        std::string const said = refusal(of, bytes);
        if (i == 0 && !contains(file, "bad_"))
            CHECK(said == "");
    }
}

TEST_CASE("memory: of damaged files") {
    survives_damage(format::safetensors, "flax/gru.safetensors");
    survives_damage(format::npy, "npz/kernel.npy");
    survives_damage(format::onnx, "models/types.onnx");
    survives_damage(format::onnx, "models/gru_reset_before.onnx");
    survives_damage(format::npz, "npz/stored.npz");
    survives_damage(format::npz, "npz/deflated.npz");
    for (std::string const name :
         {"types.h5", "keras2_gru_2.h5", "latest.h5", "packed.weights.h5", "keras3_lstm_bidirectional.keras",
          "bad_unwritten.h5", "bad_bomb.h5", "bad_huge_chunk.h5", "bad_overlap.h5"})
        survives_damage(format::keras, "keras_files/" + name);
}

TEST_CASE("memory: of files that are made to cost much") {
    std::size_t refused = 0, read = 0;
    for (crafted::file const& one : crafted::files()) {
        CAPTURE(one.what);
        std::string const said = refusal(one.of, std::as_bytes(std::span(one.bytes)));
        CAPTURE(said);
        CHECK(contains(said, one.refused_with));
        if (one.refused_with.empty()) {
            CHECK(said == "");
            ++read;
        } else {
            CHECK(said.starts_with("'m'"));
            CHECK(said.ends_with("."));
            CHECK(said.size() < 400);
            ++refused;
        }
    }
    CHECK(read > 15);
    CHECK(refused > 15);
}

} // namespace checkpoint_memory_test
