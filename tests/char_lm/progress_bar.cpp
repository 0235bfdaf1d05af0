// SPDX-License-Identifier: BSL-1.0
// What a bar says, where there is no terminal to draw it on; check.py has programs on terminals.

#include "../../apps/progress_bar.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <limits>
#include <string>
#include <vector>

namespace progress_bar_test {

using terminal::clock_time;
using terminal::progress_line;
using limits = std::numeric_limits<double>;

TEST_CASE("progress: a time is printed with hours where it has some") {
    CHECK(clock_time(0) == "0:00");
    CHECK(clock_time(59.4) == "0:59");
    CHECK(clock_time(59.6) == "1:00");
    CHECK(clock_time(3599) == "59:59");
    CHECK(clock_time(3723) == "1:02:03");
    CHECK(clock_time(1e10) == "2777777:46:40");
}

TEST_CASE("progress: a time beyond all measure is printed as a time") {
    for (const double seconds : {1e17, 9.3e18, 1e300, limits::max(), limits::infinity()})
        CHECK(clock_time(seconds) == "277777777777:46:40");
    for (const double seconds : {-0.0, -1.0, -1e300, -limits::infinity(), limits::quiet_NaN()})
        CHECK(clock_time(seconds) == "0:00");
}

TEST_CASE("progress: a line has a bar, what is done, what is left, and what the program says") {
    CHECK(progress_line("gru", 0.5, 61, "train 2.1", 60) ==
          "gru [#############..............]  50%  1:01 left  train 2.1");
    CHECK(progress_line("gru", 0.5, 61, "train 2.1", 0) == "gru   50%  1:01 left  train 2.1");
    CHECK(progress_line("gru", 0, limits::quiet_NaN(), "", 0) == "gru    0%");
    CHECK(progress_line("gru", 1, 0, "", 99) == "gru [" + std::string(30, '#') + "] 100%  0:00 left");
    CHECK(progress_line("gru", 0.9999, 0, "", 0) == "gru   99%  0:00 left"); // not yet
    for (const double share : {-1., -limits::infinity(), limits::quiet_NaN()})
        CHECK(progress_line("a", share, limits::infinity(), "", 40) ==
              "a [" + std::string(30, '.') + "]   0%");
    CHECK(progress_line("a", limits::infinity(), 1, "", 0) == "a  100%  0:01 left");
}

TEST_CASE("progress: a line is cut to its columns, and no character in two") {
    for (std::size_t columns = 1; columns < 90; ++columns) {
        const std::string line = progress_line("label", 0.25, 100, "words of the program's", columns);
        CHECK(line.size() <= columns);
        CHECK(std::string("label [").starts_with(line.substr(0, 7)));
    }
    CHECK(progress_line("\u00fc\u00fc", 0, 0, "", 1).empty());
    CHECK(progress_line("\u00fc\u00fc", 0, 0, "", 3) == "\u00fc");
}

TEST_CASE("progress: where there is no terminal nothing is drawn, and nothing erased") {
    std::vector<std::string> written;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    {
        terminal::progress_bar bar("gru", nowhere,
                                   [&](std::string_view text) { written.emplace_back(text); });
        CHECK_FALSE(bar.is_due());
        for (int i = 0; i <= 100; ++i)
            bar.show(i / 100.);
        bar.show_now(1);
        bar.erase();
    }
    close(nowhere);
    CHECK(written.empty()); // ten seconds are not over
}

} // namespace progress_bar_test
