// SPDX-License-Identifier: BSL-1.0
// FNV-1a against values that its authors publish, and in parts.
#include <sluice/core/fnv.hpp>

#include <doctest/doctest.h>
#include <support/both.hpp>

namespace fnv_test {

using sluice::fnv, sluice::fnv_with, sluice::fnv_of_nothing;

TEST_CASE("fnv: published values, and bytes above 127") {
    BOTH(fnv("") == 0xcbf29ce484222325);
    BOTH(fnv("a") == 0xaf63dc4c8601ec8c);
    BOTH(fnv("foobar") == 0x85944171f73967e8);
    BOTH(fnv("\xff") == fnv_with(fnv_of_nothing, 0xff));
}

TEST_CASE("fnv: parts one after the other are the whole") {
    BOTH(fnv("bar", fnv("foo")) == fnv("foobar"));
    BOTH(fnv_with(fnv("fooba"), 'r') == fnv("foobar"));
}

} // namespace fnv_test
