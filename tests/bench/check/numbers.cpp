// SPDX-License-Identifier: BSL-1.0
#include "../cells/numbers.hpp"

#include <doctest/doctest.h>

namespace numbers_test {

using bench::number_in;

TEST_CASE("numbers: the whole text is one number between the two") {
    CHECK(number_in<int>("17", "it", 1, 20) == 17);
    CHECK(number_in<std::size_t>("0", "it", 0, 5) == 0);
    CHECK(number_in<double>("1.5e-07", "it", 0, 1) == 1.5e-7);
}

TEST_CASE("numbers: everything else is refused with a sentence") {
    for (char const* text : {"", " 1", "1 ", "x", "0x1", "21", "-1", "1.5", "99999999999999999999", "nan"})
        CHECK_THROWS_WITH_AS(
            number_in<int>(text, "the count", 1, 20),
            (std::string("the count is '") + text + "'; a number from 1 to 20 was expected").c_str(),
            std::runtime_error);
    for (char const* text : {"nan", "inf", "-inf", "1e999", "-0.1", "", "fast"})
        CHECK_THROWS_AS(number_in<double>(text, "the time", 0, 1e6), std::runtime_error);
}

} // namespace numbers_test
