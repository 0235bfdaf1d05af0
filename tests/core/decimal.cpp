// SPDX-License-Identifier: BSL-1.0
// Numbers are read as a compiler reads its own literals, and printed so that they read back.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sluice/core/text.hpp>
#include <sluice/parameter/random.hpp>
#include <string>
#include <support/both.hpp>

namespace decimal_test {

using namespace sluice;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr text printed(double number) {
    return text{} << number;
}

/// Doubles of all sizes: any bits, subnormals, quotients of small whole numbers.
double any_double(random_stream& numbers, int kind) {
    if (kind == 0)
        return static_cast<double>(numbers.below(100'000)) / static_cast<double>(1 + numbers.below(10'000));
    std::uint64_t const bits = numbers() >> 1, fraction = bits & ((std::uint64_t(1) << 52) - 1);
    double const any = std::bit_cast<double>(kind == 1 ? fraction : bits);
    return std::isfinite(any) ? any : 1;
}

} // namespace

#define AS_THE_COMPILER(LITERAL) BOTH(nearest_double(#LITERAL) == LITERAL)

TEST_CASE("decimal: literals are the compiler's own") {
    AS_THE_COMPILER(0);
    AS_THE_COMPILER(1);
    AS_THE_COMPILER(0.1);
    AS_THE_COMPILER(.5);
    AS_THE_COMPILER(2.);
    AS_THE_COMPILER(1e5);
    AS_THE_COMPILER(1e6);
    AS_THE_COMPILER(1E8);
    AS_THE_COMPILER(1e+8);
    AS_THE_COMPILER(6.02e23);
    AS_THE_COMPILER(1e23);
    AS_THE_COMPILER(1e-5);
    AS_THE_COMPILER(000.0001);
    AS_THE_COMPILER(1'000.5e-3);
    AS_THE_COMPILER(9007199254740993.0); // a tie, to even
    AS_THE_COMPILER(9007199254740993.00000000000000000000000000000001);
    AS_THE_COMPILER(1.7976931348623157e308);
    AS_THE_COMPILER(1.7976931348623158e308);
    AS_THE_COMPILER(2.2250738585072014e-308);
    AS_THE_COMPILER(2.2250738585072011e-308); // between a subnormal and the smallest normal
    AS_THE_COMPILER(4.9e-324);
    AS_THE_COMPILER(3.14159265358979323846264338327950288419716939937510582097494459230781640628620899);
    BOTH(nearest_double("1e309") == infinity);
    BOTH(nearest_double("1e99999999999999999999") == infinity);
    BOTH(nearest_double("1e-400") == 0);
    BOTH(nearest_double("1e-99999999999999999999") == 0);
    BOTH(nearest_double("0e999") == 0);
}

TEST_CASE("decimal: ten thousand numbers in several spellings, against the C library") {
    random_stream numbers(seed{5}, "decimal");
    for (int i = 0; i < 10'000; ++i) {
        double const number = any_double(numbers, i % 3);
        for (int digits : {0, 3, 16, 17, 25, 60}) {
            char letters[128];
            std::snprintf(letters, sizeof letters, "%.*e", digits, number);
            REQUIRE_MESSAGE(nearest_double(letters) == std::strtod(letters, nullptr), letters);
        }
    }
    std::string const tie = "9007199254740993." + std::string(2000, '0');
    CHECK(nearest_double(tie) == 9007199254740992.0);
    CHECK(nearest_double(tie + "1") == 9007199254740994.0); // after all digits that are kept
}

TEST_CASE("decimal: printed text reads back, in the fewest digits") {
    BOTH(printed(0).view() == "0");
    BOTH(printed(0.5).view() == "0.5");
    BOTH(printed(0.1).view() == "0.1");
    BOTH(printed(-2.25).view() == "-2.25");
    BOTH(printed(100).view() == "100");
    BOTH(printed(1e14).view() == "100000000000000");
    BOTH(printed(1e15).view() == "1e15");
    BOTH(printed(0.00012).view() == "0.00012");
    BOTH(printed(1e-5).view() == "1e-5");
    BOTH(printed(6.02e23).view() == "6.02e23");
    BOTH(printed(3.141592653589793).view() == "3.141592653589793");
    BOTH(printed(0.1 + 0.2).view() == "0.30000000000000004");
    BOTH(printed(4.9e-324).view() == "5e-324");
    BOTH(printed(1.7976931348623157e308).view() == "1.7976931348623157e308");
    random_stream numbers(seed{6}, "decimal");
    for (int i = 0; i < 10'000; ++i) {
        double const number = any_double(numbers, i % 3);
        auto const text = printed(number);
        REQUIRE_MESSAGE(nearest_double(text) == number, text.view());
        REQUIRE_MESSAGE(std::strtod(std::string(text.view()).c_str(), nullptr) == number, text.view());
        char shortest[64];
        auto const end =
            std::to_chars(shortest, shortest + sizeof shortest, number, std::chars_format::scientific).ptr;
        std::size_t digits = 0;
        for (char const* c = shortest; c != end && *c != 'e'; ++c)
            digits += *c != '.';
        REQUIRE_MESSAGE(std::to_string(shortest_decimal(number).digits).size() <= digits, text.view());
    }
}

TEST_CASE("decimal: what C++ reads as octal, hexadecimal or binary is not decimal") {
    BOTH(is_decimal("0"));
    BOTH(is_decimal("10"));
    BOTH(is_decimal("0.5"));
    BOTH(is_decimal("00.5"));
    BOTH(is_decimal("0e1"));
    BOTH(!is_decimal("010"));
    BOTH(!is_decimal("0x1F"));
    BOTH(!is_decimal("0b101"));
    BOTH(!is_decimal("0xe1")); // the e is a digit
}

} // namespace decimal_test
