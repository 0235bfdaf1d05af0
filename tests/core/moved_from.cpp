// SPDX-License-Identifier: BSL-1.0
// Objects that know that they were moved from, and how often they were assigned to.
#include <doctest/doctest.h>
#include <sluice/core/moved_from.hpp>

namespace moved_from_test {

using namespace sluice;

TEST_CASE("moved_from: an object knows that it was moved from") {
    detail::presence a;
    CHECK(a);
    detail::presence b = a;
    CHECK((a && b));
    detail::presence c = std::move(a);
    CHECK((c && !a));
    CHECK_NOTHROW(c.require("the cell"));
    CHECK_THROWS_WITH_AS(a.require("the cell"),
                         "sluice: the cell was moved from; use the one that it was moved to, or assign "
                         "another one to it first",
                         std::invalid_argument);
    detail::presence const d = a;
    CHECK(!d);
    a = std::move(c);
    CHECK((a && !c));
    auto& same = a;
    a = std::move(same);
    CHECK(!a);
}

TEST_CASE("moved_from: assignments are counted, copies begin at none") {
    detail::assignments a;
    detail::assignments const other;
    CHECK(a.count() == 0);
    a = other;
    a = other;
    CHECK(a.count() == 2);
    detail::assignments const copy = a;
    CHECK(copy.count() == 0);
}

} // namespace moved_from_test
