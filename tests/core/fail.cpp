// SPDX-License-Identifier: BSL-1.0
// Sentences of errors, put together from their parts.
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/fail.hpp>

namespace fail_test {

using namespace sluice;

TEST_CASE("fail: words, numbers to their ends, values and shapes") {
    auto const text = [](std::vector<std::size_t> const& shape) {
        std::string words;
        sentence_part(shape).append_to(words);
        return words;
    };
    CHECK(text({2, 3}) == "[2, 3]");
    CHECK(text({}) == "[]");
    CHECK_THROWS_WITH_AS(
        fail<std::logic_error>({"a step", std::string(" of "), std::string_view("2x"), 18446744073709551615u,
                                " and ", -3, " and ", 0.5, " expects ", std::vector<std::size_t>{7}}),
        "sluice: a step of 2x18446744073709551615 and -3 and 0.5 expects [7]", std::logic_error);
    CHECK_THROWS_WITH_AS(fail<std::invalid_argument>({std::numeric_limits<std::int64_t>::min(), 1}),
                         "sluice: -92233720368547758081", std::invalid_argument);
}

} // namespace fail_test
