// SPDX-License-Identifier: BSL-1.0
// Names, as types while they are spelled and as small values in the graph.
#include <sluice/core/name.hpp>
#include <sstream>
#include <support/both.hpp>
#include <type_traits>

namespace name_test {

using namespace sluice;
using namespace std::string_view_literals;

TEST_CASE("name: names are types while they are spelled, and small values in the graph") {
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

TEST_CASE("name: with a number, as equations that are made by a count need them") {
    static_assert(std::is_same_v<key<numbered<"s", 0>>, key<"s0">>);
    static_assert(std::is_same_v<key<numbered<"s", 12>>, key<"s12">>);
    static_assert(std::is_same_v<key<numbered<"s", 1234567>>, key<"s1234567">>);
    static_assert(std::is_same_v<spelled<name("W_f"sv)>, key<"W_f">>);
}

} // namespace name_test
