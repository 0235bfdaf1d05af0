// SPDX-License-Identifier: BSL-1.0
// Peers that are shell scripts: one that serves, and others that do not.
#include "../cells/own_process.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>

namespace own_process_test {

using namespace bench;

std::optional<contestant> peer_of(std::string const& script, double patience = 20) {
    return in_own_process({"/bin/sh", "-c", script}, patience);
}

template <class Call>
std::string sentence_of(Call const& call) {
    try {
        call();
    } catch (std::runtime_error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}

std::string const serves = R"(
echo 'a library greets'; echo "bench: a peer"
while read what file; do
    case $what in
    answer) printf '\0\0\200\077\0\0\0\100' > "$file"; echo 12; echo "bench: 2";;
    time) echo; echo "bench: 2.5e-05";;
    esac
done)";

TEST_CASE("own process: what a library prints beside its answers is no answer") {
    auto const one = peer_of(serves);
    REQUIRE(one);
    CHECK(one->called == "a peer");
    for (int turn = 0; turn < 3; ++turn) {
        CHECK(one->measure() == 2.5e-5);
        CHECK(one->answer() == std::vector{1.f, 2.f});
    }
}

TEST_CASE("own process: an empty name is no contestant") {
    CHECK(!peer_of("echo 'bench: '"));
}

TEST_CASE("own process: a peer that cannot start is a sentence that says what happened") {
    CHECK(sentence_of([] { in_own_process({"/no such program"}); }) == "its process could not be started");
    CHECK(sentence_of([] { peer_of("echo bench: failed: it has no licence; exit 1"); }) ==
          "it has no licence");
    CHECK(sentence_of([] { peer_of("exit 3"); }) == "its process has ended by itself, with the exit code 3");
    CHECK(sentence_of([] { peer_of("kill -ILL $$"); }) ==
          "its process was ended by a signal: Illegal instruction");
    CHECK(sentence_of([] { peer_of("echo 1; echo garbage; kill -SEGV $$"); }) ==
          "its process was ended by a signal: Segmentation fault");
    auto const start = std::chrono::steady_clock::now();
    CHECK(sentence_of([] { peer_of("exec sleep 60", 0.3); }) == "its process said nothing for 0 seconds");
    CHECK(sentence_of([] { peer_of("while :; do echo busy; sleep 0.05; done", 0.3); }) ==
          "its process said nothing for 0 seconds");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("own process: a peer that fails later is a sentence too, and then no more") {
    for (char const* end : {"exit 1", "kill -ABRT $$", "exec 1>&-; exec sleep 60", "exec sleep 60"}) {
        CAPTURE(end);
        auto const one = peer_of(std::string("echo 'bench: a peer'; read line; ") + end, 0.3);
        REQUIRE(one);
        CHECK(sentence_of(one->measure).starts_with("its process "));
        CHECK(sentence_of(one->measure).starts_with("its process "));
        CHECK(sentence_of(one->answer).starts_with("its process "));
    }
    for (char const* said : {"", "x", "-1", "nan", "1e99", "0"}) {
        CAPTURE(said);
        auto const one = peer_of(std::string("echo 'bench: a peer'; while read line; do echo 'bench: ") +
                                 said + "'; done");
        REQUIRE(one);
        CHECK(
            sentence_of(one->measure).starts_with("the time that it says it took is '" + std::string(said)));
        CHECK(sentence_of(one->answer).starts_with("the length of its answer is '" + std::string(said)));
    }
    auto const one = peer_of("echo 'bench: a peer'; while read line; do echo 'bench: 7'; done");
    CHECK(sentence_of(one->answer) == "its answer has another length than it says");
}

} // namespace own_process_test
