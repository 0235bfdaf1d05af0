// SPDX-License-Identifier: BSL-1.0
// Nothing is allocated and no lock is taken per time step: a long sequence asks for memory as often as a
// short one, and a stream not at all.
#include "allocations.hpp"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <mutex>
#include <new>
#include <pthread.h>

namespace {

using lower::allocations, lower::bytes, lower::locks, lower::most_bytes;

using namespace sluice::equation;

constexpr auto r = gate<"r">;
constexpr auto n = gate<"n">;

struct reset_gate {
    static constexpr auto equations =
        sluice::lines(r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
                      n = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">), next(h) = (1 - r) * h + r * n);
};

struct conditioned {
    static constexpr auto equations =
        sluice::lines(n = tanh(x * W<"n"> + input<"context"> * W<"c"> + h * R<"n">),
                      next(h) = setting<"leak">(0.5_n) * h + n / (1 + mean(n * n)));
};

} // namespace

std::atomic<std::size_t> lower::allocations = 0;
std::atomic<std::size_t> lower::locks = 0;
std::atomic<std::size_t> lower::bytes = 0;
std::atomic<std::size_t> lower::most_bytes = 0;

namespace {
void* counted(void* memory) {
    bytes += malloc_usable_size(memory);
    most_bytes = std::max(most_bytes.load(), bytes.load()); // of one thread at a time
    return memory;
}
} // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    using function = int (*)(pthread_mutex_t*);
    static constinit std::atomic<function> next = nullptr;
    if (next == nullptr)
        next = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    ++locks;
    return next.load()(mutex);
}
#endif

[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t line) {
    ++allocations;
    auto const along = static_cast<std::size_t>(line);
    if (void* const memory = std::aligned_alloc(along, (size / along + 1) * along))
        return counted(memory);
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    bytes -= malloc_usable_size(memory);
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t line) noexcept {
    operator delete(memory, line);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size))
        return counted(memory);
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    bytes -= malloc_usable_size(memory);
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

TEST_CASE("allocations: what is asked for is counted") {
    CHECK(lower::asked_by([] { std::vector<float> const some(3); }) == 1);
    std::size_t const before = most_bytes = bytes.load();
    CHECK(std::vector<float>(1000).size() == 1000);
    CHECK(bytes == before);
    CHECK(most_bytes >= before + 4000);
    CHECK(most_bytes < before + 5000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    std::mutex one;
    CHECK(lower::asked_by([&] { std::lock_guard const held(one); }) == 1);
#endif
}

TEST_CASE("allocations: a step of a stream allocates nothing") {
    sluice::cell<reset_gate> const cell({.input = 3, .units = 5}, sluice::seed{7});
    auto const given = cell.zero_state(4);
    sluice::stream live(cell, 4);
    xt::xtensor<float, 2> const x_t = xt::ones<float>({4, 3});
    xt::xtensor<float, 3> const xs = xt::ones<float>({2, 4, 3});
    xt::xtensor<double, 2> const wide = xt::ones<double>({4, 6});
    xt::xarray<float> const any = x_t;
    std::vector<float> const numbers(12);
    auto const count = [&](auto step) {
        std::size_t const before = allocations;
        for (int t = 0; t < 5; ++t)
            step();
        return allocations - before;
    };
    CHECK(count([&] { live.step(x_t); }) == 0);
    CHECK(count([&] { live.step(xt::view(xs, 1)); }) == 0);
    CHECK(count([&] { live.step(any); }) == 0);
    CHECK(count([&] { live.step(2 * x_t + xt::exp(x_t)); }) == 0);
    CHECK(count([&] { live.step(xt::view(wide, xt::all(), xt::range(1, 6, 2))); }) == 0);
    CHECK(count([&] { live.step(numbers); }) == 0);
    CHECK(count([&] { live.reset(); }) == 0);
    CHECK(count([&] { live.reset(2); }) == 0);
    CHECK(count([&] { live.set_state(given); }) == 0);
    CHECK(count([&] { (void)cell(x_t, given); }) > 0);
}

TEST_CASE("allocations: a step with several inputs, a setting and a reduction allocates nothing") {
    using namespace sluice::literals;
    sluice::cell<conditioned> cell({.input = 3, .units = 5, .own = {{"context", 2}}}, sluice::seed{7});
    sluice::stream live(cell);
    xt::xtensor<float, 2> const x_t = xt::ones<float>({1, 3}), context = xt::ones<float>({1, 2});
    auto const step = [&] { live.step(sluice::inputs("x"_s, x_t, "context"_s, context)); };
    auto const count = [&] {
        std::size_t const before = allocations;
        step();
        return allocations - before;
    };
    CHECK(count() == 0);
    cell.set_setting("leak"_s, 0.25f);
    step(); // is prepared again
    CHECK(count() == 0);
}

TEST_CASE("allocations: a step of a stream of layers allocates nothing") {
    sluice::stack<reset_gate> net({.input = 5, .units = 5},
                                  {.layers = 3, .dropout = 0.5, .residual = sluice::residual::all});
    sluice::stream live(net, 4);
    xt::xtensor<float, 2> const x_t = xt::ones<float>({4, 5});
    xt::xarray<float> const any = x_t;
    std::vector<float> const numbers(20);
    auto const count = [&](auto step) {
        std::size_t const before = allocations;
        for (int t = 0; t < 5; ++t)
            step();
        return allocations - before;
    };
    CHECK(count([&] { live.step(x_t); }) == 0);
    CHECK(count([&] { live.step(any); }) == 0);
    CHECK(count([&] { live.step(2 * x_t + xt::exp(x_t)); }) == 0);
    CHECK(count([&] { live.step(numbers); }) == 0);
    net.assign("layer0/b_r", xt::ones<float>({5}));
    live.step(x_t); // is prepared again
    CHECK(count([&] { live.step(x_t); }) == 0);
    CHECK(count([&] { (void)live.state(); }) > 0);
}

TEST_CASE("allocations: a sequence allocates as often, however long it is") {
    sluice::cell<reset_gate> const cell({.input = 3, .units = 5}, sluice::seed{7});
    auto const count = [&](std::size_t steps, bool with_lengths, bool with_resets, bool learns) {
        xt::xtensor<float, 3> const xs = xt::ones<float>({steps, std::size_t(4), std::size_t(3)});
        std::vector<std::size_t> lengths;
        if (with_lengths)
            lengths = {steps, 0, 1, steps / 2};
        xt::xtensor<bool, 2> resets;
        if (with_resets) {
            resets = xt::zeros<bool>({steps, std::size_t(4)});
            for (std::size_t t = 0; t < steps; ++t)
                resets(t, 0) = resets(t, t % 3) = true;
        }
        auto const state = cell.zero_state(4);
        std::size_t before = 0;
        for (int run = 0; run < 3; ++run) { // the first ones fill the pool
            before = allocations;
            if (learns) {
                auto const result = unroll(cell, xs, state, {.lengths = lengths, .resets = resets});
                (void)backward(cell, result, result.outputs, state);
            } else
                (void)infer(cell, xs, state, {.lengths = lengths, .resets = resets});
        }
        return allocations - before;
    };
    for (bool with_lengths : {false, true})
        for (bool with_resets : {false, true})
            for (bool learns : {false, true}) {
                CAPTURE(with_lengths);
                CAPTURE(with_resets);
                CAPTURE(learns);
                CHECK(count(4, with_lengths, with_resets, learns) > 0);
                CHECK(count(4, with_lengths, with_resets, learns) ==
                      count(50, with_lengths, with_resets, learns));
            }
}
