// SPDX-License-Identifier: BSL-1.0
#include <sluice/core/config.hpp>
#include <sluice/core/extents.hpp>
#include <sluice/core/fixed_vector.hpp>
#include <sluice/core/name.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/text.hpp>
#include <sstream>
#include <support/both.hpp>
#include <type_traits>
#include <vector>

using namespace sluice;
using namespace std::string_view_literals;

TEST_CASE("core: a width is a symbol or a number of features") {
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

TEST_CASE("core: names are types while they are spelled, and small values in the graph") {
    using namespace sluice::literals;
    static_assert(std::is_same_v<key<"f", 'W', '_'>, boost::hana::string<'W', '_', 'f'>>);
    static_assert(std::is_same_v<decltype("W_f"_s), key<"W_f">>);
    BOTH(name_of("W_f"_s).view() == "W_f");
    BOTH(name("f"sv) == name("f"sv));
    BOTH(name("f"sv) != name("ff"sv));
    BOTH(name{}.view().empty());
    BOTH(name("0123456789012345678901234567890"sv).view().size() == 31);
    BOTH(name("0123456789012345678901234567890+"sv).view().size() == 31);
    std::ostringstream out;
    out << name("forget"sv);
    CHECK(out.str() == "forget");
}

namespace {

constexpr auto three_numbers() {
    fixed_vector<int, 4> v;
    v.push_back(7);
    v.push_back(5);
    v.push_back(3);
    return v;
}

constexpr auto a_sentence() {
    text<64> t;
    t << "width " << std::size_t(120) << ',' << std::size_t(0);
    return t;
}

} // namespace

TEST_CASE("core: a vector and a text inside constant expressions") {
    BOTH(three_numbers().size() == 3);
    BOTH(three_numbers()[1] == 5);
    BOTH(three_numbers().find(3) == 2);
    BOTH(three_numbers().find(4) == -1);
    BOTH(three_numbers().contains(7));
    BOTH(fixed_vector<int, 0>{}.empty());
    BOTH(a_sentence().view() == "width 120,0");
}

TEST_CASE("core: shapes in sentences") {
    CHECK(detail::shape_text(std::vector<std::size_t>{2, 3}) == "[2, 3]");
    CHECK(detail::shape_text(std::vector<std::size_t>{}) == "[]");
    std::vector<std::size_t> const expected{2, 3}, came{2, 4};
    CHECK_NOTHROW(detail::require_same_shape("assign", "values", expected, expected));
    CHECK_THROWS_WITH_AS(detail::require_same_shape("assign", "values", expected, came),
                         "sluice: assign expects values of shape [2, 3], but got [2, 4]",
                         std::invalid_argument);
}
