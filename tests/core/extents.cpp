// SPDX-License-Identifier: BSL-1.0
// Widths and sizes, and how many numbers they make.
#include <sluice/core/extents.hpp>
#include <support/both.hpp>

namespace extents_test {

using namespace sluice;
using namespace std::string_view_literals;

TEST_CASE("extents: a width is a symbol or a number of features") {
    constexpr sizes n{.input = 3, .units = 5, .projection = 2, .groups = 4};
    BOTH(extent(symbol::input, n) == 3);
    BOTH(extent(symbol::units, n) == 5);
    BOTH(extent(symbol::projection, n) == 2);
    BOTH(extent(std::size_t(7), n) == 7);
    BOTH(extent(width{}, n) == 0);
    BOTH(width(symbol::units) != width(std::size_t(5)));
    BOTH(width(std::size_t(5)) == width(std::size_t(5)));
    BOTH(name_of(symbol::projection) == "projection");
    BOTH(sizes{}.groups == 1);
}

TEST_CASE("extents: sizes of a cell's own are found by their names, and refused where they cannot be") {
    constexpr own_sizes own{{"context", 7}, {"memory", 20}};
    BOTH(own["context"] == 7);
    BOTH(own["memory"] == 20);
    BOTH(own["other"] == 0);
    BOTH(own.find("other") == 2);
    BOTH(width_called(name("units"sv)) == width(symbol::units));
    BOTH(width_called(name("context"sv)) == (width{symbol::own, 0, name("context")}));
    CHECK_THROWS_WITH_AS(own_sizes({{"a", 1}, {"a", 2}}), "sluice: a size of the cell's own is given twice",
                         std::invalid_argument);
    CHECK_THROWS_AS(
        own_sizes({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}, {"i", 1}}),
        std::invalid_argument);
    CHECK_THROWS_AS(own_size("", 1), std::invalid_argument);
    CHECK_THROWS_AS(own_size("a name of 32 letters, one too many", 1), std::invalid_argument);
}

} // namespace extents_test
