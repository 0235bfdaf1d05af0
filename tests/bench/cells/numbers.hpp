// SPDX-License-Identifier: BSL-1.0
// Numbers in what was written by another program, or by a user.
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace bench {

/// The number that the whole text is. Throws `std::runtime_error`: "the number of rounds is 'x'; a number
/// from 1 to 1000 was expected".
template <class Number>
Number number_in(std::string_view text, std::string_view what, Number least, Number most) {
    Number number{};
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const is_whole = problem == std::errc{} && end == text.data() + text.size();
    if (is_whole && number >= least && number <= most)
        return number;
    auto const words = [](Number value) {
        char digits[64];
        return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    };
    throw std::runtime_error(std::string(what) + " is '" + std::string(text.substr(0, 60)) +
                             "'; a number from " + words(least) + " to " + words(most) + " was expected");
}

} // namespace bench
