// SPDX-License-Identifier: BSL-1.0
// Sentences of errors at run time. They are put together here, so that code that refuses
// something compiles a list of words and no strings:
//
//   fail<std::invalid_argument>({who, " expects ", what, " of shape ", expected, ", but got ", came});
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// A part of a sentence: words, a number, or a shape, which is written as [2, 3].
class sentence_part {
public:
    constexpr sentence_part(char const* words) : words_(words) {}
    constexpr sentence_part(std::string_view words) : words_(words) {}
    sentence_part(std::string const& words) : words_(words) {}
    template <std::integral Number>
    constexpr sentence_part(Number number)
        : number_(static_cast<std::uint64_t>(number)),
          kind_(std::cmp_less(number, 0) ? is_negative : is_number) {}
    constexpr sentence_part(double value) : value_(value), kind_(is_value) {}
    constexpr sentence_part(std::span<std::size_t const> shape) : shape_(shape), kind_(is_shape) {}
    sentence_part(std::vector<std::size_t> const& shape) : shape_(shape), kind_(is_shape) {}

    template <class Text>
    void append_to(Text& text) const;

private:
    enum kind { is_words, is_number, is_negative, is_value, is_shape };
    std::string_view words_{};
    std::uint64_t number_ = 0;
    double value_ = 0;
    std::span<std::size_t const> shape_{};
    kind kind_ = is_words;
};

// Here and elsewhere functions that need no template are one, so that they can be declared without being
// compiled: in a program that links the compiled runtime (xtensor/runtime/runtime.hpp) they are there.

/// Throws an Error with the sentence "sluice: ..." of these parts.
template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::initializer_list<sentence_part> parts);

template <class Text>
void sentence_part::append_to(Text& text) const {
    if (kind_ == is_words)
        text += words_;
    else if (kind_ == is_number)
        text += std::to_string(number_);
    else if (kind_ == is_negative)
        text += std::to_string(static_cast<std::int64_t>(number_));
    else if (kind_ == is_value) { // the fewest digits that read back as the same number
        std::array<char, 32> digits{};
        text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value_).ptr);
    } else {
        text += '[';
        for (std::size_t i = 0; i < shape_.size(); ++i)
            text += (i == 0 ? "" : ", ") + std::to_string(shape_[i]);
        text += ']';
    }
}

/// Appends the parts to a std::string.
template <class Text>
void append(std::initializer_list<sentence_part> parts, Text& text) {
    for (sentence_part const& part : parts)
        part.append_to(text);
}

template <class Error>
void fail(std::initializer_list<sentence_part> parts) {
    std::string text = "sluice: ";
    append(parts, text);
    throw Error(text);
}

} // namespace sluice
