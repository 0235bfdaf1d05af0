// SPDX-License-Identifier: BSL-1.0
#include "limits.hpp"

#include "../nearest.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>

namespace char_lm {

namespace {

constexpr std::size_t longest_shown = 60;

template <class Number>
std::string text_of(Number number) {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

template <class Number>
std::string ends_of(Number low, Number high) {
    return text_of(low) + " to " + text_of(high);
}

// The whole word is one number.
template <class Number>
std::optional<Number> number_in(const std::string& word) {
    Number number{};
    const char* const end = word.data() + word.size();
    const auto [stop, problem] = std::from_chars(word.data(), end, number);
    if (problem != std::errc{} || stop != end)
        return std::nullopt;
    return number;
}

// NaN lies between no ends.
template <class Limits, class Number>
std::optional<Number> within(const Limits& limits, std::optional<Number> number) {
    if (number && *number >= limits.low && *number <= limits.high)
        return number;
    return std::nullopt;
}

} // namespace

std::string whole::ends() const {
    return ends_of(low, high);
}

std::string whole::in_words() const {
    return "a whole number from " + ends();
}

std::optional<std::uint64_t> whole::read(const std::string& word) const {
    return within(*this, number_in<std::uint64_t>(word));
}

std::optional<std::uint64_t> whole::read(const nlohmann::json& value) const {
    // A number that a program set, not a parser, is signed even when it is not negative.
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
        return std::nullopt;
    return within(*this, std::optional(value.get<std::uint64_t>()));
}

std::string real::ends() const {
    return ends_of(low, high);
}

std::string real::in_words() const {
    return "a number from " + ends();
}

std::optional<double> real::read(const std::string& word) const {
    return within(*this, number_in<double>(word));
}

std::optional<double> real::read(const nlohmann::json& value) const {
    if (!value.is_number())
        return std::nullopt;
    return within(*this, std::optional(value.get<double>()));
}

std::string one_of::ends() const {
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i)
        list += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
    return list;
}

std::string one_of::in_words() const {
    return ends();
}

std::optional<std::string> one_of::read(const std::string& word) const {
    if (std::find(words.begin(), words.end(), word) == words.end())
        return std::nullopt;
    return word;
}

std::optional<std::string> one_of::read(const nlohmann::json& value) const {
    return value.is_string() ? read(value.get<std::string>()) : std::nullopt;
}

std::string meant(const one_of& limits, const std::string& word) {
    const std::string found = terminal::nearest(word, limits.words);
    return found.empty() ? found : " Did you mean " + found + "?";
}

std::string shown(const std::string& word) {
    if (word.empty())
        return "empty";
    return word.size() <= longest_shown ? word : word.substr(0, longest_shown) + "...";
}

std::string shown(const nlohmann::json& value) {
    return shown(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace char_lm
