// SPDX-License-Identifier: BSL-1.0
// Cells whose work is divided: their results are those of one thread, to the bit. Sizes are large enough for that, and
// divisible by nothing.
#include "threaded.hpp"
#include <array>
#include <barrier>
#include <support/own_cells.hpp>
#include <support/word_cells.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <xmmintrin.h>

namespace threaded_test {

namespace {

using namespace sluice::equation;
constexpr auto s = gate<"s">;
constexpr auto d = gate<"d">;

/// Features of a row wait for each other, twice.
struct normalised {
    static constexpr auto equations = sluice::lines(s = x * W<"s"> + h * R<"s"> + b<"s">, d = s - mean(s),
                                                    next(h) = tanh(p<"d"> * d / (0.1_n + mean(d * d))));
};

struct note_part {
    std::array<std::atomic<std::thread::id>, 8>* who;
    void operator()(unsigned part, unsigned) const { (*who)[part] = std::this_thread::get_id(); }
};

} // namespace

TEST_CASE("threaded: each thread does its own part of each piece, in order") {
    threads const there(3);
    team& all = team::of_process();
    std::array<std::atomic<std::thread::id>, 8> who{};
    REQUIRE(all.lead(1));
    CHECK(all.parts() == 3);
    CHECK_FALSE(all.lead(1));
    for (int i = 0; i < 100; ++i)
        all.ask(note_part{&who}, i == 99 ? 3 : 1, true);
    all.finish();
    all.leave();
    CHECK(who[0].load() == std::this_thread::get_id());
    CHECK(who[1].load() != who[0].load());
    CHECK(who[2].load() != who[0].load());
    CHECK(who[1].load() != who[2].load());
    CHECK(who[3].load() == std::thread::id{});
}

TEST_CASE("threaded: a piece that waits sees what all threads wrote before it") {
    threads const there(5);
    team& all = team::of_process();
    REQUIRE(all.lead(1));
    std::array<std::size_t, 5> counts{};
    bool as_expected[5] = {true, true, true, true, true};
    struct count_up {
        std::size_t* counts;
        void operator()(unsigned part, unsigned) const { ++counts[part]; }
    };
    struct compare {
        std::size_t const* counts;
        std::size_t expected;
        bool* found;
        void operator()(unsigned part, unsigned parts) const {
            for (unsigned i = 0; i < parts; ++i)
                found[part] = found[part] && counts[i] == expected;
        }
    };
    for (std::size_t i = 1; i <= 200; ++i) {
        all.ask(count_up{counts.data()}, 5, true);
        all.ask(compare{counts.data(), i, as_expected}, 5, true);
    }
    all.finish();
    all.leave();
    for (bool const found : as_expected)
        CHECK(found);
}

TEST_CASE("threaded: members compute with the leader's floating-point mode") {
    threads const there(2);
    team& all = team::of_process();
    struct halve {
        float* values;
        void operator()(unsigned part, unsigned) const {
            float volatile const tiny = 1.2e-38f;
            values[part] = tiny * 0.5f; // denormal
        }
    };
    std::array<float, 2> kept{}, flushed{};
    REQUIRE(all.lead(1));
    unsigned const mode = _mm_getcsr();
    all.ask(halve{kept.data()}, 2, true);
    _mm_setcsr(mode | 0x8040); // zeros for denormals
    all.ask(halve{flushed.data()}, 2, true);
    _mm_setcsr(mode);
    all.finish();
    all.leave();
    CHECK((_mm_getcsr() & ~0x3fu) == (mode & ~0x3fu));
    for (int part : {0, 1}) {
        CHECK(kept[static_cast<std::size_t>(part)] != 0);
        CHECK(flushed[static_cast<std::size_t>(part)] == 0);
    }
}

TEST_CASE("threaded: the results of one thread, whatever their number") {
    SUBCASE("one level, more units than a share") {
        agree<sluice::cudnn_gru, sluice::sizes{.input = 37, .units = 205}>();
    }
    SUBCASE("two levels") {
        agree<sluice::gru, sluice::sizes{.input = 5, .units = 131}>();
    }
    SUBCASE("a projection and peepholes") {
        agree<sluice::lstm_with<sluice::activation::tanh, true, true>,
              sluice::sizes{.input = 9, .units = 135, .projection = 67}>();
    }
    SUBCASE("groups") {
        agree<sluice::glstm, sluice::sizes{.input = 6, .units = 198, .groups = 3}>();
    }
    SUBCASE("groups, settings, states of several widths") {
        agree<own_cells::traced, sluice::sizes{.input = 5, .units = 201, .projection = 3, .groups = 3}>();
    }
}

TEST_CASE("threaded: blocks that wait for reductions and cumulative sums") {
    agree<word_cells::cumulating, sluice::sizes{.input = 5, .units = 131}>();
    constexpr sluice::sizes n{.input = 5, .units = 133};
    auto const expected = ask(made<normalised, planned, n>(), 3, 41);
    threads const there(3);
    CHECK(same(ask(made<normalised, threaded, n>(), 3, 41), expected));
}

TEST_CASE("threaded: several callers at once, while the number changes") {
    constexpr sluice::sizes n{.input = 37, .units = 133};
    auto const cell = made<sluice::cudnn_gru, threaded, n>();
    auto const expected = ask(made<sluice::cudnn_gru, planned, n>(), 3, 2);
    std::array<std::size_t, 3> as_expected{};
    {
        std::barrier start(std::ptrdiff_t{as_expected.size()});
        std::vector<std::jthread> callers;
        for (std::size_t i = 0; i < as_expected.size(); ++i)
            callers.emplace_back([&, i] {
                start.arrive_and_wait();
                for (std::size_t round = 0; round < 5; ++round) {
                    if (i == 0)
                        sluice::xtensor::set_threads(1 + round % 3);
                    as_expected[i] += same(ask(cell, 3, 2), expected);
                }
            });
    }
    for (std::size_t const count : as_expected)
        CHECK(count == 5);
    sluice::xtensor::set_threads(1);
    CHECK(sluice::xtensor::threads() >= 1);
    sluice::xtensor::set_threads(1);
}

TEST_CASE("threaded: an exception among the steps of a recurrence leaves nobody waiting") {
    threads const there(2);
    std::vector<float> a(64 * 512, 1), c(64 * 512);
    using sluice::xtensor::threaded_kernels;
    auto const copies_and_throws = [&] {
        threaded_kernels::as_one([&] {
            threaded_kernels::copy(64, 512, a.data(), 512, c.data(), 512);
            throw 7;
        });
    };
    CHECK_THROWS_AS(copies_and_throws(), int);
    CHECK(c == a);
    CHECK(team::of_process().lead(1));
    team::of_process().leave();
}

#if defined(__SANITIZE_THREAD__)
#define SLUICE_TEST_WITHOUT_FORK
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SLUICE_TEST_WITHOUT_FORK
#endif
#endif
#ifdef __linux__
TEST_CASE("threaded: who is called may use the processors that it might use before") {
    sluice::xtensor::set_threads(3, std::chrono::microseconds(200));
    team& all = team::of_process();
    struct compare_processors {
        cpu_set_t const* expected;
        std::array<std::atomic<int>, 3>* same;
        void operator()(unsigned part, unsigned) const {
            cpu_set_t usable;
            (*same)[part] +=
                sched_getaffinity(0, sizeof(usable), &usable) == 0 && CPU_EQUAL(&usable, expected);
        }
    };
    cpu_set_t expected;
    REQUIRE(sched_getaffinity(0, sizeof(expected), &expected) == 0);
    std::array<std::atomic<int>, 3> same{}, asked{};
    for (int round = 0; round < 200; ++round) {
        if (all.lead(std::size_t(1) << 30)) { // enough to call who sleeps
            for (unsigned part = 0; part < all.parts(); ++part)
                ++asked[part];
            all.ask(compare_processors{&expected, &same}, all.parts(), true);
            all.finish();
            all.leave();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // who has nothing to do sleeps
    }
    CHECK(asked[1] > 10);
    for (std::size_t part = 0; part < same.size(); ++part)
        CHECK(same[part] == asked[part]);
    sluice::xtensor::set_threads(1);
}
#endif

#ifndef SLUICE_TEST_WITHOUT_FORK // the sanitizer knows no threads behind one
TEST_CASE("threaded: a child of fork makes threads of its own") {
    constexpr sluice::sizes n{.input = 37, .units = 133};
    threads const there(2);
    auto const cell = made<sluice::cudnn_gru, threaded, n>();
    auto const expected = ask(cell, 3, 2);
    ::pid_t const child = ::fork();
    if (child == 0) {
        bool const as_expected = same(ask(cell, 3, 2), expected);
        threads const again(2);
        ::_exit(as_expected && same(ask(cell, 3, 2), expected) ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
#endif

} // namespace threaded_test
