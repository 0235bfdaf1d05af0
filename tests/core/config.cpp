// SPDX-License-Identifier: BSL-1.0
// The version, as numbers, as one number and as text.
#include <doctest/doctest.h>
#include <sluice/core/config.hpp>
#include <string>

namespace config_test {

static_assert(SLUICE_VERSION ==
              SLUICE_VERSION_MAJOR * 10000 + SLUICE_VERSION_MINOR * 100 + SLUICE_VERSION_PATCH);
#if SLUICE_VERSION < 200
#error "the preprocessor can compare versions"
#endif

TEST_CASE("config: the version's text has its numbers") {
    CHECK(SLUICE_VERSION_STRING == std::to_string(SLUICE_VERSION_MAJOR) + "." +
                                       std::to_string(SLUICE_VERSION_MINOR) + "." +
                                       std::to_string(SLUICE_VERSION_PATCH));
}

} // namespace config_test
