// SPDX-License-Identifier: BSL-1.0
// Shapes: how many numbers they have, and where they differ.
#include <sluice/core/tensor_shape.hpp>
#include <support/both.hpp>
#include <vector>

namespace shape_test {

using namespace sluice;

TEST_CASE("shape: a product of extents, unless no array can have so many numbers") {
    constexpr std::size_t half = std::size_t(1) << 32, top = std::size_t(1) << 63;
    BOTH(count_of({}) == 1);
    BOTH(count_of({2, 3, 5}) == 30);
    BOTH(count_of({top, 0, top}) == 0);
    BOTH(count_of({most_numbers}) == most_numbers);
    BOTH(!count_of({most_numbers + 1}));
    BOTH(!count_of({most_numbers / 2 + 1, 2}));
    BOTH(!count_of({half, half}));
    BOTH(!count_of({top, 2}));
    BOTH(!count_of({static_cast<std::size_t>(-1)}));
    CHECK(detail::require_count("a state", {2, 3}) == 6);
    CHECK_THROWS_WITH_AS(
        detail::require_count("a state", {top, 2}),
        "sluice: a state of shape [9223372036854775808, 2] would have more numbers than memory "
        "can; choose smaller sizes",
        std::invalid_argument);
}

TEST_CASE("shape: another shape is refused with both") {
    std::vector<std::size_t> const expected{2, 3}, came{2, 4};
    CHECK_NOTHROW(detail::require_same_shape("assign", "values", expected, expected));
    CHECK_THROWS_WITH_AS(detail::require_same_shape("assign", "values", expected, came),
                         "sluice: assign expects values of shape [2, 3], but got [2, 4]",
                         std::invalid_argument);
    CHECK_THROWS_AS(detail::require_same_shape("assign", "values", expected, std::vector<std::size_t>{2}),
                    std::invalid_argument);
}

} // namespace shape_test
