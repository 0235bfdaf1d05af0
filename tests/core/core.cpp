// SPDX-License-Identifier: BSL-1.0
#include <sluice/core/config.hpp>
#include <sluice/core/extents.hpp>
#include <sluice/core/frozen.hpp>
#include <sluice/core/list.hpp>
#include <sluice/core/moved_from.hpp>
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

constexpr list<int> three_numbers() {
    return {7, 5, 3};
}

constexpr text a_sentence() {
    text t;
    t << "width " << std::size_t(120) << ',' << 0 << ',' << -7;
    return t;
}
struct kept_sentence {
    static constexpr text make() { return a_sentence(); }
};
struct kept_silence {
    static constexpr text make() { return {}; }
};

} // namespace

TEST_CASE("core: a vector and a text inside constant expressions") {
    BOTH(three_numbers().size() == 3);
    BOTH(three_numbers()[1] == 5);
    BOTH(three_numbers().find(3) == 2);
    BOTH(three_numbers().find(4) == -1);
    BOTH(three_numbers().contains(7));
    BOTH(list<int>{}.empty());
    BOTH(a_sentence().view() == "width 120,0,-7");
    BOTH(frozen<kept_sentence>::value.view() == "width 120,0,-7");
    BOTH(frozen<kept_silence>::value.view().empty());
    BOTH((text{} << std::numeric_limits<long long>::min()).view() == "-9223372036854775808");
    BOTH((text{} << std::numeric_limits<std::size_t>::max()).view() == "18446744073709551615");
    BOTH((text{} << -std::numeric_limits<double>::infinity()).view() == "-inf");
    BOTH((text{} << std::numeric_limits<double>::quiet_NaN()).view() == "nan");
    auto full = three_numbers();
    CHECK(full.push_back(2) == 3);
    CHECK(full.size() == 4);
}

TEST_CASE("core: a product of extents, unless no array can have so many numbers") {
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

TEST_CASE("core: an object knows that it was moved from") {
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

TEST_CASE("core: shapes in sentences") {
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
    std::vector<std::size_t> const expected{2, 3}, came{2, 4};
    CHECK_NOTHROW(detail::require_same_shape("assign", "values", expected, expected));
    CHECK_THROWS_WITH_AS(detail::require_same_shape("assign", "values", expected, came),
                         "sluice: assign expects values of shape [2, 3], but got [2, 4]",
                         std::invalid_argument);
}
