// SPDX-License-Identifier: BSL-1.0
// What writers of models in JSON share. Numbers have the fewest digits that read back as the same double.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace sluice::detail {

class json_writer {
protected:
    std::string text_{};

    /// Finite: JSON has no other numbers.
    void put_number(double value) {
        std::array<char, 32> digits{};
        text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    }
    void put_numbers(std::span<double const> values) {
        text_ += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            text_ += i == 0 ? "" : ", ";
            put_number(values[i]);
        }
        text_ += ']';
    }
    /// In quotes. What is no UTF-8 stays so, and no reader takes it.
    void put_text(std::string_view words) {
        text_ += '"';
        for (char const c : words)
            if (c == '"' || c == '\\')
                text_.append({'\\', c});
            else if (c == '\n')
                text_ += "\\n";
            else if (static_cast<unsigned char>(c) < 0x20) {
                std::array<char, 8> code{};
                std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
                text_ += code.data();
            } else
                text_ += c;
        text_ += '"';
    }
};

} // namespace sluice::detail
