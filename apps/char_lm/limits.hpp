// SPDX-License-Identifier: BSL-1.0
#pragma once

// What a value may be. The same limits judge a word of the command line and a value in a checkpoint, and
// --help shows them.

#include "failure.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace char_lm {

// A whole number; both ends are allowed. Digits only: no sign, no fraction, no exponent.
struct whole {
    std::uint64_t low, high;

    std::string ends() const; // "1 to 65536"
    std::string in_words() const;
    std::optional<std::uint64_t> read(const std::string& word) const;
    std::optional<std::uint64_t> read(const nlohmann::json& value) const;
};

// A number; both ends are allowed.
struct real {
    double low, high;

    std::string ends() const;
    std::string in_words() const;
    std::optional<double> read(const std::string& word) const;
    std::optional<double> read(const nlohmann::json& value) const;
};

struct one_of {
    std::vector<std::string> words;

    std::string ends() const; // "gru, lstm or mgu"
    std::string in_words() const;
    std::optional<std::string> read(const std::string& word) const;
    std::optional<std::string> read(const nlohmann::json& value) const;
};

// What came, in words that fit into a sentence.
std::string shown(const std::string& word);
std::string shown(const nlohmann::json& value);

// What a word was probably meant to be, as a sentence after another one; nothing where that is not known.
template <class Limits, class Source>
std::string meant(const Limits&, const Source&) {
    return {};
}
std::string meant(const one_of& limits, const std::string& word);

// The value, or bad_call: "--units is -8; it must be a whole number from 1 to 65536."
template <class Limits, class Source>
auto accepted(const std::string& name, const Limits& limits, const Source& came) {
    const auto value = limits.read(came);
    if (!value)
        throw bad_call(name + " is " + shown(came) + "; it must be " + limits.in_words() + "." +
                       meant(limits, came));
    return *value;
}

} // namespace char_lm
