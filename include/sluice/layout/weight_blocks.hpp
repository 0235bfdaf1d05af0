// SPDX-License-Identifier: BSL-1.0
// What a tensor of a weight file is made of, as text: blocks side by side, and rows of blocks above each
// other.
//
//   W_r W_u W_n                 [input, 3 units]: the columns of W_r, then those of W_u, then those of W_n
//   W_r W_u / R_r R_u           [input + units, 2 units]: the first row of blocks above the second
//   transposed W_r W_u W_n      [3 units, input]: the transpose of the first
//   apart W_r W_u W_n           [input, 3, units]: blocks side by side have an axis of their own
//   [direction] W_r W_u W_n     [directions, input, 3 units]: the first axis counts directions, with [layer
//                               direction] the first layers and the second directions
//   -W_u                        with the other sign
//   b_f + forget_bias           a sum: of a parameter and a setting, or of two parameters
//   0                           zeros as wide as the block above or below
//
// Vectors are rows. One row of them has one axis, [3 units]; several have two, [2, 3 units].
#pragma once

#include <cstddef>
#include <sluice/core/list.hpp>
#include <sluice/core/name.hpp>
#include <stdexcept>
#include <string_view>

namespace sluice::layout {

/// A block: a parameter, or the sum of it and of another parameter or a setting; none: zeros.
struct block {
    name parameter{};
    name plus{};
    bool is_negative = false;
    int row = 0;    ///< of blocks
    int column = 0; ///< in its row of blocks
};

/// A tensor of a convention as it is written down.
struct tensor {
    std::string_view called; ///< as in the file, but for what the spellings of the convention put around it
    std::string_view holds;  ///< its blocks
};

/// What `tensor::holds` says.
struct block_table {
    static constexpr int most = 24;

    bool is_transposed = false;
    bool is_apart = false;
    bool by_layer = false;
    bool by_direction = false;
    int rows = 0;  ///< of blocks
    int count = 0; ///< of all blocks
    block blocks[most]{};

    constexpr view<block> all() const { return {blocks, count}; }
    constexpr int leading_axes() const { return (by_layer ? 1 : 0) + (by_direction ? 1 : 0); }
};

namespace detail {

/// The words of a text, one after the other; brackets are words.
class words {
public:
    constexpr explicit words(std::string_view text) : rest_(text) { next(); }

    constexpr std::string_view word() const { return word_; }
    constexpr void next() {
        while (!rest_.empty() && rest_.front() == ' ')
            rest_.remove_prefix(1);
        std::size_t length = 0;
        if (!rest_.empty() && (rest_.front() == '[' || rest_.front() == ']'))
            length = 1;
        else
            while (length < rest_.size() && rest_[length] != ' ' && rest_[length] != '[' &&
                   rest_[length] != ']')
                ++length;
        word_ = rest_.substr(0, length);
        rest_.remove_prefix(length);
    }
    /// Whether the word is this one, which is passed then.
    constexpr bool take(std::string_view wanted) {
        bool const is_there = word_ == wanted;
        if (is_there)
            next();
        return is_there;
    }

private:
    std::string_view rest_, word_{};
};

} // namespace detail

/// Reads the text of a tensor. Throws `std::invalid_argument`, which makes a constant expression stop there,
/// for one that is not written as above.
constexpr block_table read_blocks(std::string_view holds) {
    block_table made;
    detail::words words(holds);
    if (words.take("[")) {
        made.by_layer = words.take("layer");
        made.by_direction = words.take("direction");
        if (!words.take("]") || made.leading_axes() == 0)
            throw std::invalid_argument(
                "sluice: brackets of a layout hold layer, direction, or layer direction");
    }
    made.is_transposed = words.take("transposed");
    made.is_apart = words.take("apart");
    int column = 0;
    while (!words.word().empty()) {
        if (words.take("/")) {
            ++made.rows;
            column = 0;
            continue;
        }
        std::string_view word = words.word();
        if (made.count == block_table::most)
            throw std::invalid_argument("sluice: a tensor of a layout has at most 24 blocks");
        block& b = made.blocks[made.count++];
        b.is_negative = word.front() == '-';
        if (b.is_negative)
            word.remove_prefix(1);
        if (word.empty() || word.size() > most_letters || word == "+")
            throw std::invalid_argument("sluice: a block of a layout is the name of a parameter, or 0");
        if (word != "0")
            b.parameter = name(word);
        b.row = made.rows;
        b.column = column++;
        words.next();
        if (words.take("+")) {
            if (words.word().empty() || words.word().size() > most_letters || word == "0")
                throw std::invalid_argument("sluice: a + in a layout stands between two names");
            b.plus = name(words.word());
            words.next();
        }
    }
    ++made.rows;
    if (made.count == 0 || column == 0)
        throw std::invalid_argument("sluice: a row of a layout has at least one block");
    return made;
}

} // namespace sluice::layout
