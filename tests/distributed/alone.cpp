// SPDX-License-Identifier: BSL-1.0
#include <distributed/conformance.hpp>
#include <doctest/doctest.h>
#include <sluice/distributed/alone.hpp>

namespace alone_test {

TEST_CASE("alone: it does what every transport does") {
    for (conformance::check const& check : conformance::checks) {
        sluice::alone all;
        CAPTURE(check.name);
        CHECK_NOTHROW(check.run(all));
    }
}

TEST_CASE("alone: it is rank 0 of 1") {
    sluice::alone const all;
    CHECK((all.rank() == 0 && all.size() == 1 && all.name() == "alone"));
}

} // namespace alone_test
