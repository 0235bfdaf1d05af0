// SPDX-License-Identifier: BSL-1.0
#pragma once

// Symbols for the characters of the training files, and one more for every other character.
//
// The unknown symbol has an honest price: a reader still has to be told which of the characters outside
// the vocabulary it was, so it costs -log2 p(unknown) + log2(characters outside the vocabulary) bits.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace char_lm {

using symbol = std::uint16_t;

inline constexpr symbol no_symbol = 0xffff; // as input: nothing came before; as target: not asked for

class vocabulary {
public:
    // The characters in the order of their codes.
    explicit vocabulary(const std::array<bool, 256>& known) {
        for (std::size_t code = 0; code < known.size(); ++code) {
            if (!known[code])
                continue;
            symbols_[code] = static_cast<symbol>(characters_.size());
            characters_.push_back(static_cast<char>(code));
        }
        for (std::size_t code = 0; code < known.size(); ++code)
            if (!known[code])
                symbols_[code] = unknown();
    }

    std::size_t size() const { return characters_.size() + 1; }
    symbol unknown() const { return static_cast<symbol>(characters_.size()); }
    double bits_of_unknown() const { return std::log2(static_cast<double>(256 - characters_.size())); }

    symbol operator[](char c) const { return symbols_[static_cast<unsigned char>(c)]; }
    char character(symbol s) const { return characters_.at(s); }

    void append(std::string_view text, std::vector<symbol>& stream) const {
        for (const char c : text)
            stream.push_back((*this)[c]);
    }

private:
    std::array<symbol, 256> symbols_{};
    std::vector<char> characters_;
};

} // namespace char_lm
