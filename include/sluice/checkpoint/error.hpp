// SPDX-License-Identifier: BSL-1.0
// What can be wrong with a checkpoint: one exception type per rule, all of them checkpoint_error.
// Each message is a sentence that names the file, the tensor, what was expected and what was found.
#pragma once

#include <sluice/checkpoint/utf8.hpp>
#include <sluice/core/fail.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice {

struct checkpoint_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace checkpoint_errors {

// clang-format off
// the file as such
struct file_unreadable    : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct file_unwritable    : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct file_too_short     : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct costs_too_much     : checkpoint_error { using checkpoint_error::checkpoint_error; };

// the header as text
struct header_too_long    : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct header_beyond_file : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct header_start       : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct not_utf8           : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct not_json           : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct duplicate_key      : checkpoint_error { using checkpoint_error::checkpoint_error; };

// one entry of the header
struct bad_metadata       : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct bad_entry          : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct missing_field      : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct unknown_field      : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct unknown_dtype      : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct bad_number         : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct too_many_axes      : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct size_overflow      : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct fraction_of_byte   : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct size_mismatch      : checkpoint_error { using checkpoint_error::checkpoint_error; };

// the entries together
struct offsets_reversed   : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct data_hole          : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct data_overlap       : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct data_truncated     : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct data_left_over     : checkpoint_error { using checkpoint_error::checkpoint_error; };

// what a program puts in or asks for
struct reserved_name      : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct ambiguous_weights  : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct tensor_missing     : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct wrong_dtype        : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct wrong_shape        : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct self_test_failed   : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct other_equations    : checkpoint_error { using checkpoint_error::checkpoint_error; };
struct bad_value          : checkpoint_error { using checkpoint_error::checkpoint_error; };
// clang-format on

/// Would a terminal act on it, instead of showing it? Controls, line separators, and changes and marks of
/// direction.
constexpr bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F || code == 0x061C;
}

/// Text from outside, fit to be shown: in quotes, cut when it is long, with a question mark for what a
/// terminal would act on and for each byte that is not UTF-8.
inline std::string shown(std::string_view text, std::size_t longest = 80) {
    std::string result = "'";
    while (!text.empty()) {
        auto const [code, bytes] = first_character(text);
        std::size_t const taken = std::max<std::size_t>(bytes, 1);
        if (taken > longest)
            return result + "...'";
        if (bytes == 0 || is_control(code))
            result += '?';
        else
            result += text.substr(0, bytes);
        text.remove_prefix(taken);
        longest -= taken;
    }
    return result + "'";
}

inline std::string shown_path(std::filesystem::path const& path) {
    return shown(path.string(), 4096);
}

inline std::string shape_text(std::span<std::size_t const> shape) {
    std::string text;
    sentence_part(shape).append_to(text);
    return text;
}

} // namespace checkpoint_errors
} // namespace sluice
