// SPDX-License-Identifier: BSL-1.0
// How long something takes, in words.

#include "../../apps/char_lm/progress.hpp"

#include <doctest/doctest.h>
#include <limits>

namespace progress_test {

using char_lm::clock_time;

TEST_CASE("progress: a time is printed with hours where it has some") {
    CHECK(clock_time(0) == "0:00");
    CHECK(clock_time(59.4) == "0:59");
    CHECK(clock_time(59.6) == "1:00");
    CHECK(clock_time(3599) == "59:59");
    CHECK(clock_time(3723) == "1:02:03");
    CHECK(clock_time(1e10) == "2777777:46:40");
}

TEST_CASE("progress: a time beyond all measure is printed as a time") {
    using limits = std::numeric_limits<double>;
    for (const double seconds : {1e17, 9.3e18, 1e300, limits::max(), limits::infinity()})
        CHECK(clock_time(seconds) == "277777777777:46:40");
    for (const double seconds : {-0.0, -1.0, -1e300, -limits::infinity(), limits::quiet_NaN()})
        CHECK(clock_time(seconds) == "0:00");
}

} // namespace progress_test
