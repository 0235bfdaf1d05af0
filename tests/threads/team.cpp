// SPDX-License-Identifier: BSL-1.0
// Threads that share work: which thread does which part, in which order, and which threads take part.
#include <sluice/xtensor/team.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <support/threads_there.hpp>
#include <thread>
#include <vector>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace team_test {

using sluice::xtensor::team;
using support::threads_there;

namespace {

struct note_part {
    std::array<std::atomic<std::thread::id>, 8>* who;
    void operator()(unsigned part, unsigned) const { (*who)[part] = std::this_thread::get_id(); }
};

/// How often each part was done, and whether it was told of how many it is one.
struct counted {
    std::array<std::atomic<int>, 8> times{};
    std::atomic<bool> as_told{true};

    struct work {
        counted* all;
        unsigned of;
        void operator()(unsigned part, unsigned parts) const {
            ++all->times[part];
            if (parts != of)
                all->as_told = false;
        }
    };
};

/// Two kinds of work of the same bytes.
template <int Factor>
struct add_to {
    std::atomic<int>* sum;
    int number;
    void operator()(unsigned part, unsigned) const { *sum += part == 0 ? Factor * number : 0; }
};

/// As large as a piece may be.
struct large {
    std::array<unsigned char, team::room - sizeof(void*)> bytes;
    std::atomic<std::size_t>* sum;
    void operator()(unsigned part, unsigned parts) const {
        for (std::size_t i = part; i < bytes.size(); i += parts)
            *sum += bytes[i];
    }
};

} // namespace

TEST_CASE("team: each thread does its own part of each piece, in order") {
    threads_there const there(3);
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

TEST_CASE("team: a piece that waits sees what all threads wrote before it") {
    threads_there const there(5);
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

TEST_CASE("team: each part is done once: of pieces for one thread, for some and for all, in any order") {
    for (std::size_t const count : {2u, 3u, 5u}) {
        CAPTURE(count);
        threads_there const there(count);
        team& all = team::of_process();
        counted done;
        std::array<int, 8> expected{};
        for (unsigned round = 0; round < 3; ++round) {
            REQUIRE(all.lead(1));
            REQUIRE(all.parts() == count);
            for (unsigned i = 0; i < 100; ++i) { // more than are waited for at a time
                unsigned const parts = 1 + (7 * i + round) % all.parts();
                all.ask(counted::work{&done, parts}, parts, i % 3 != 0);
                for (unsigned part = 0; part < parts; ++part)
                    ++expected[part];
            }
            all.finish();
            all.finish(); // nothing is left
            all.leave();
        }
        CHECK(done.as_told);
        for (std::size_t part = 0; part < expected.size(); ++part)
            CHECK(done.times[part] == expected[part]);
    }
}

TEST_CASE("team: work is copied when it is asked for, however large, and is not taken for other work of the "
          "same bytes") {
    threads_there const there(2);
    team& all = team::of_process();
    std::atomic<int> sum{0};
    std::atomic<std::size_t> bytes{0};
    int expected = 0;
    std::size_t expected_bytes = 0;
    REQUIRE(all.lead(1));
    large work{{}, &bytes};
    for (int i = 0; i < 48; ++i) {
        if (i / 16 % 2 == 0)
            all.ask(add_to<1>{&sum, 5}, 2, false);
        else
            all.ask(add_to<1000>{&sum, 5}, 2, false);
        expected += i / 16 % 2 == 0 ? 5 : 5000;
    }
    for (unsigned char i = 0; i < 40; ++i) {
        work.bytes.fill(i);
        all.ask(work, 2, true);
        expected_bytes += i * work.bytes.size();
    }
    work.bytes.fill(255);
    all.finish();
    all.leave();
    CHECK(sum == expected);
    CHECK(bytes == expected_bytes);
}

TEST_CASE("team: of one thread nobody leads; of none there are as many as processors, up to 16; of many 64") {
    team& all = team::of_process();
    for (std::size_t const effort : {std::size_t(0), std::size_t(1), ~std::size_t(0)}) {
        sluice::xtensor::set_threads(1);
        CHECK_FALSE(all.lead(effort));
    }
    CHECK(sluice::xtensor::threads() == 1);
    sluice::xtensor::set_threads(0);
    CHECK(sluice::xtensor::threads() == std::min<std::size_t>(sluice::xtensor::processors().count(), 16));
    sluice::xtensor::set_threads(std::size_t(1) << 63);
    CHECK(sluice::xtensor::threads() == 64);
    sluice::xtensor::set_threads(7, std::chrono::microseconds(-1));
    CHECK(sluice::xtensor::threads() == 7);
    sluice::xtensor::set_threads(1);
}

TEST_CASE("team: whoever sleeps or wakes, a piece is done once by each who takes part") {
    sluice::xtensor::set_threads(4, std::chrono::microseconds(0)); // they sleep as soon as they may
    team& all = team::of_process();
    std::array<int, 8> expected{};
    counted done;
    for (int round = 0; round < 400; ++round) {
        if (!all.lead(round % 2 == 0 ? std::size_t(1) << 30 : 1))
            continue;
        unsigned const parts = all.parts();
        for (int piece = 0; piece < 3; ++piece)
            all.ask(counted::work{&done, parts}, parts, true);
        all.finish();
        all.leave();
        for (unsigned part = 0; part < parts; ++part)
            expected[part] += 3;
    }
    CHECK(done.as_told);
    for (std::size_t part = 0; part < expected.size(); ++part)
        CHECK(done.times[part] == expected[part]);
    sluice::xtensor::set_threads(1);
}

#ifdef __x86_64__
TEST_CASE("team: members compute with the leader's floating-point mode") {
    threads_there const there(2);
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
#endif

#ifdef __linux__
TEST_CASE("team: who is called may use the processors that it might use before") {
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
        if (all.lead(std::size_t(1) << 30)) { // enough to wake threads that sleep
            for (unsigned part = 0; part < all.parts(); ++part)
                ++asked[part];
            all.ask(compare_processors{&expected, &same}, all.parts(), true);
            all.finish();
            all.leave();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // a thread without work sleeps
    }
    CHECK(asked[1] > 10);
    for (std::size_t part = 0; part < same.size(); ++part)
        CHECK(same[part] == asked[part]);
    sluice::xtensor::set_threads(1);
}
#endif

} // namespace team_test
