// SPDX-License-Identifier: BSL-1.0
// Numbers in equations: their letters, the double that each is, and constants of the program.
#include <limits>
#include <sluice/expr/number.hpp>
#include <support/both.hpp>
#include <type_traits>

namespace number_test {

using namespace sluice::equation;

constexpr double step_size = 0.1;
constexpr int three = -3;
constexpr float third = 1.0f / 3;

TEST_CASE("number: it is the nearest double to what is written") {
    BOTH(number_of<decltype(0.5_n)> == 0.5);
    BOTH(number_of<decltype(16_n)> == 16);
    BOTH(number_of<decltype(0_n)> == 0);
    BOTH(number_of<decltype(0.1_n)> == 0.1);
    BOTH(number_of<decltype(1e-3_n)> == 1e-3);
    BOTH(number_of<decltype(1.7976931348623157e308_n)> == std::numeric_limits<double>::max());
    BOTH(number_of<decltype(5e-324_n)> == std::numeric_limits<double>::denorm_min());
    BOTH(number_of<decltype(9007199254740993_n)> ==
         9007199254740992.0); // 2^53 + 1, of two as near the even one
}

TEST_CASE("number: the letters are kept as they were written") {
    BOTH(decltype(0.50_n)::literal == "0.50");
    BOTH(decltype(1e-3_n)::literal == "1e-3");
    static_assert(!std::is_same_v<decltype(0.5_n), decltype(0.50_n)>);
    CHECK(std::is_empty_v<decltype(0.5_n)>);
}

TEST_CASE("number: constants of the program, of any arithmetic type, and with a sign") {
    BOTH(number_of<std::remove_const_t<decltype(number<step_size>)>> == 0.1);
    BOTH(number_of<std::remove_const_t<decltype(number<three>)>> == -3);
    BOTH(number_of<std::remove_const_t<decltype(number<third>)>> == static_cast<double>(third));
    using minus = function_term<sluice::operation::negate, decltype(0.25_n)>;
    BOTH(number_of<minus> == -0.25);
    BOTH(number_of<function_term<sluice::operation::negate, minus>> == 0.25);
    BOTH(is_number<minus>);
    BOTH(is_number<std::remove_const_t<decltype(number<three>)>>);
}

} // namespace number_test
