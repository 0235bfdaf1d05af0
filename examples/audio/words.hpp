// SPDX-License-Identifier: BSL-1.0
// The words of a command line: options with a value, and what stands beside them. A mistake is a sentence.
#pragma once

#include "../../apps/nearest.hpp"
#include "../../apps/terminal_text.hpp"

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace audio {

/// A command line that cannot be used: a sentence.
struct bad_call : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class words {
public:
    words(std::string program, std::span<char const* const> given)
        : program_(std::move(program)), left_(given) {}

    bool is_empty() const { return left_.empty(); }
    std::string next() {
        std::string const word = left_.front();
        left_ = left_.subspan(1);
        return word;
    }
    /// What follows an option.
    std::string value_of(std::string_view name) {
        if (is_empty() || *left_.front() == '\0')
            throw bad_call(std::string(name) + " takes a value, but none follows; write it behind " +
                           std::string(name) + ".");
        return next();
    }
    double number_of(std::string_view name, double least, double most) {
        std::string const word = value_of(name);
        double value = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !(value >= least && value <= most))
            refuse_number(name, word, "a number", least, most);
        return value;
    }
    std::size_t whole_of(std::string_view name, std::size_t least, std::size_t most) {
        std::string const word = value_of(name);
        std::size_t value = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < least || value > most)
            refuse_number(name, word, "a whole number", static_cast<double>(least),
                          static_cast<double>(most));
        return value;
    }
    [[noreturn]] void refuse(std::string_view word, std::vector<std::string> const& known) const {
        std::string all;
        for (std::string const& one : known)
            all.append(all.empty() ? "" : ", ").append(one);
        throw bad_call(program_ + " takes " + all + " and --help, but one argument is '" +
                       terminal::short_terminal_text(word) + "'" + terminal::proposal(word, known) +
                       "; leave it out, or see " + program_ + " --help.");
    }

private:
    [[noreturn]] static void refuse_number(std::string_view name, std::string_view word,
                                           std::string_view kind, double least, double most) {
        char range[80];
        std::snprintf(range, sizeof range, " from %.10g to %.10g", least, most);
        throw bad_call(std::string(name) + " takes " + std::string(kind) + range + ", but it is '" +
                       terminal::short_terminal_text(word) + "'; give such a number.");
    }

    std::string program_;
    std::span<char const* const> left_;
};

} // namespace audio
