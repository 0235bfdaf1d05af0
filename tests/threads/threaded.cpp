// SPDX-License-Identifier: BSL-1.0
// Cells whose work is divided: their results are those of one thread, to the bit. Sizes are large enough for
// that, and divisible by nothing.
#include "threaded.hpp"
#include <array>
#include <barrier>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/m2rnn.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <support/own_cells.hpp>
#include <support/word_cells.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

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

} // namespace

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

TEST_CASE("threaded: many rows, with which each thread goes on from step to step") {
    for (bool const ends_early : {false, true}) {
        CAPTURE(ends_early);
        agree_with<sluice::cudnn_gru, sluice::sizes{.input = 7, .units = 41}>(83, ends_early);
        agree_with<sluice::gru, sluice::sizes{.input = 5, .units = 37}>(53, ends_early);
        agree_with<sluice::glstm, sluice::sizes{.input = 6, .units = 42, .groups = 3}>(81, ends_early);
        agree_with<normalised, sluice::sizes{.input = 5, .units = 39}>(85, ends_early);
    }
}

TEST_CASE("threaded: states that are matrices") {
    agree<sluice::gated_delta_net, sluice::sizes{.input = 5, .units = 66, .groups = 3}>();
    agree<sluice::mamba,
          sluice::sizes{.input = 5, .units = 66, .own = {{"order", 7}, {"rank", 4}}}>(); // its own elements
    agree<sluice::mlstm, sluice::sizes{.input = 5, .units = 66, .groups = 3}>();
    agree<sluice::m2rnn, sluice::sizes{.input = 5, .units = 66, .groups = 3, .own = {{"keys", 33}}}>();
}

TEST_CASE("threaded: heads that have nothing to do with each other, while others ask for the same") {
    constexpr sluice::sizes n{.input = 5, .units = 66, .groups = 3, .own = {{"rank", 2}}};
    auto const cell = made<sluice::rwkv7, threaded, n>();
    auto const alone = made<sluice::rwkv7, planned, n>();
    auto const xs = random_sequence<float>(71, 1, n.input);
    auto const state = random_map(cell.zero_state(1), "state");
    auto const expected = infer(alone, xs, state);
    for (std::size_t const count : {1u, 2u, 3u, 5u}) {
        threads const there(count);
        CAPTURE(count);
        std::array<std::size_t, 3> as_expected{};
        {
            std::vector<std::jthread> callers;
            for (std::size_t i = 0; i < as_expected.size(); ++i)
                callers.emplace_back([&, i] {
                    for (int again = 0; again < 4; ++again) {
                        auto const found = infer(cell, xs, state);
                        as_expected[i] += same_bits(found.outputs, expected.outputs) &&
                                          same_map(found.state, expected.state);
                    }
                });
        }
        for (std::size_t const times : as_expected)
            CHECK(times == 4);
    }
}

TEST_CASE("threaded: blocks that wait for reductions and scans") {
    agree<word_cells::narrow, sluice::sizes{.input = 5, .units = 131}>();
    agree<word_cells::cumulating, sluice::sizes{.input = 5, .units = 131}>();
    agree<word_cells::scanning, sluice::sizes{.input = 5, .units = 131}>();
    agree<normalised, sluice::sizes{.input = 5, .units = 133}>();
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
#ifndef SLUICE_TEST_WITHOUT_FORK // the sanitizer knows no threads after one
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
