// SPDX-License-Identifier: BSL-1.0
// Peers that fail are left out of a work, and the others are measured.
#include "../cells/rounds.hpp"

#include <doctest/doctest.h>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace rounds_test {

using namespace bench;

// What is written to standard error while it lives.
class listener {
public:
    listener() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
    ~listener() { std::cerr.rdbuf(before_); }
    listener(listener const&) = delete;
    listener& operator=(listener const&) = delete;
    std::string heard() const { return text_.str(); }

private:
    std::ostringstream text_{};
    std::streambuf* before_;
};

contestant good(char const* called) {
    return {called, [] {}, [] { return std::vector{1.f, 2.f}; }};
}
[[noreturn]] void fail() {
    throw std::runtime_error("it has no licence");
}

TEST_CASE("rounds: each peer that fails is left out with a sentence") {
    work w{.called = "step: GRU 8"};
    w.all = {good("sluice"),  good("first"), good("short"), good("other"), good("NaN"),
             good("refuses"), good("tires"), good("later"), good("last")};
    w.all[2].answer = [] { return std::vector{1.f}; };
    w.all[3].answer = [] { return std::vector{1.f, 3.f}; };
    w.all[4].answer = [] { return std::vector{1.f, std::numeric_limits<float>::quiet_NaN()}; };
    w.all[5].answer = []() -> std::vector<float> { fail(); };
    w.all[6].call = [] { fail(); };
    w.all[7].measure = [turns = 0]() mutable { return ++turns > 2 ? (fail(), 0.) : 1e-6; };
    listener const sink;
    machine m;
    auto const found = run(w, 4, m);
    REQUIRE(found.size() == 3);
    CHECK(found[0].library == "sluice");
    CHECK(found[1].library == "first");
    CHECK(found[2].library == "last");
    for (result const& r : found)
        CHECK(r.seconds > 0);
    CHECK(sink.heard() == "step: GRU 8: without short: it gives 1 numbers instead of 2\n"
                          "step: GRU 8: without other: its answer differs from that of sluice by 0.500000\n"
                          "step: GRU 8: without NaN: its answer differs from that of sluice by nan\n"
                          "step: GRU 8: without refuses: it has no licence\n"
                          "step: GRU 8: without tires: it has no licence\n"
                          "step: GRU 8: without later: it has no licence\n");
}

TEST_CASE("rounds: what fails of this library is an error") {
    work w{.called = "step: GRU 8"};
    w.all = {good("sluice"), good("first")};
    w.all[0].call = [] { fail(); };
    machine m;
    CHECK_THROWS_WITH_AS(run(w, 1, m), "step: GRU 8: sluice: it has no licence", std::runtime_error);
}

} // namespace rounds_test
