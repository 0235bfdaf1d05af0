// SPDX-License-Identifier: BSL-1.0
// The JSON header of a safetensors file, believed only when every rule of the format holds:
//   { "__metadata__": { string: string ... } or null,
//     NAME: { "dtype": STRING, "shape": [whole numbers], "data_offsets": [begin, end] } ... }
// It is read as a stream of events, so depth costs nothing: the third level is the last one, and a fourth is
// refused where it opens. Source: the format's README and the rules of its reference reader.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/dtype.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::safetensors {

/// Longer headers are neither read nor written. This is room for some 80 000 tensors.
inline constexpr std::uint64_t longest_header = 10'000'000;

/// One tensor of the header; its bytes lie at [begin, end) of the data that follows the header.
struct entry {
    std::string name;
    dtype type = dtype::f32;
    std::vector<std::size_t> shape;
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct header {
    std::vector<entry> entries; // in the order of their data
    std::map<std::string, std::string> metadata;
};

/// The events of the JSON parser, in the form that nlohmann::json::sax_parse calls.
class header_events {
public:
    header_events(header& result, std::string file, checkpoint_budget& left)
        : result_(result), file_(std::move(file)), left_(left), borrowed_(left) {}

    bool start_object(std::size_t) {
        if (level_ == level::outside)
            level_ = level::names;
        else if (level_ == level::names)
            level_ = in_metadata_ ? level::metadata : level::fields;
        else
            refuse_value("an object");
        return true;
    }

    bool key(std::string& text) {
        count_text(text);
        if (level_ == level::names)
            begin_name(text);
        else if (level_ == level::metadata)
            begin_metadata(text);
        else
            begin_field(text);
        return true;
    }

    bool end_object() {
        if (level_ == level::fields)
            finish_entry();
        level_ = level_ == level::names ? level::outside : level::names;
        return true;
    }

    bool start_array(std::size_t) {
        if (level_ != level::fields || field_ == field::dtype)
            refuse_value("an array");
        level_ = level::numbers;
        return true;
    }

    bool end_array() {
        level_ = level::fields;
        if (field_ == field::offsets && offsets_.size() != 2)
            throw checkpoint_errors::bad_entry(tensor_text() +
                                               ": data_offsets must hold two numbers, and holds " +
                                               std::to_string(offsets_.size()) + ".");
        return true;
    }

    bool string(std::string& text) {
        count_text(text);
        if (level_ == level::metadata) {
            left_.take(text.size(), "metadata");
            result_.metadata.insert_or_assign(metadata_name_, std::move(text));
        } else if (level_ == level::fields && field_ == field::dtype)
            set_dtype(text);
        else
            refuse_value("a string");
        return true;
    }

    bool number_unsigned(std::uint64_t value) {
        if (level_ != level::numbers)
            refuse_value("a number");
        if (value > std::numeric_limits<std::size_t>::max())
            refuse_number(std::to_string(value));
        std::vector<std::size_t>& numbers = field_ == field::shape ? result_.entries.back().shape : offsets_;
        std::size_t const most = field_ == field::shape ? most_axes : 2;
        if (numbers.size() == most) {
            if (field_ == field::shape)
                throw checkpoint_errors::too_many_axes(tensor_text() + " has more than " +
                                                       std::to_string(most) + " axes; no more are accepted.");
            throw checkpoint_errors::bad_entry(tensor_text() +
                                               ": data_offsets must hold two numbers, and holds more.");
        }
        constexpr std::uint64_t of_growth = 3;
        left_.take(of_growth * sizeof(value), "the shape of a tensor");
        numbers.push_back(static_cast<std::size_t>(value));
        return true;
    }

    bool number_integer(std::int64_t value) {
        if (level_ != level::numbers)
            refuse_value("a number");
        refuse_number(value == 0 ? "-0" : std::to_string(value));
    }

    bool number_float(double, std::string const& text) {
        if (level_ != level::numbers)
            refuse_value("a number");
        refuse_number(text);
    }

    bool null() {
        if (level_ == level::names && in_metadata_) // MLX writes so that it has none
            return true;
        refuse_value("null");
    }
    bool boolean(bool) { refuse_value("a boolean"); }
    bool binary(std::vector<std::uint8_t>&) { refuse_value("binary data"); }

    template <class Problem>
    bool parse_error(std::size_t position, std::string const& token, Problem const& problem) {
        constexpr int number_out_of_range = 406; // nlohmann's number for a literal that no double can hold
        if (problem.id == number_out_of_range)
            number_float(0, token);
        throw checkpoint_errors::not_json(file_ + ": the header is not JSON: the parser stopped at byte " +
                                          std::to_string(position) + " of it, after " +
                                          checkpoint_errors::shown(token) + ".");
    }

private:
    enum class level { outside, names, metadata, fields, numbers };
    enum class field : std::size_t { dtype, shape, offsets };
    static constexpr std::array<std::string_view, 3> field_names{"dtype", "shape", "data_offsets"};

    /// The parser keeps two copies of a text, in arrays that grow.
    void count_text(std::string const& text) {
        constexpr std::uint64_t of_parser = 6;
        if (text.size() > longest_)
            borrowed_.take(of_parser * (text.size() - longest_), "a text of the header");
        longest_ = std::max(longest_, text.size());
    }

    void begin_name(std::string& name) {
        constexpr std::uint64_t of_growth = 3, of_node = 80;
        borrowed_.take(of_node + name.size(), "the name of a tensor");
        left_.take(of_growth * sizeof(entry) + name.size(), "the name of a tensor");
        if (!names_.insert(name).second)
            throw checkpoint_errors::duplicate_key(file_ + ": the header names " +
                                                   checkpoint_errors::shown(name) + " twice.");
        in_metadata_ = name == metadata_key;
        if (in_metadata_)
            return;
        result_.entries.push_back({});
        result_.entries.back().name = std::move(name);
        offsets_.clear();
        seen_ = {};
    }

    void begin_metadata(std::string& name) {
        constexpr std::uint64_t of_node = 112;
        left_.take(of_node + name.size(), "metadata");
        metadata_name_ = std::move(name);
        if (result_.metadata.contains(metadata_name_))
            throw checkpoint_errors::duplicate_key(file_ + ": __metadata__ has the key " +
                                                   checkpoint_errors::shown(metadata_name_) + " twice.");
    }

    void begin_field(std::string const& name) {
        auto const found = std::ranges::find(field_names, name);
        if (found == field_names.end())
            throw checkpoint_errors::unknown_field(
                tensor_text() + " has a field " + checkpoint_errors::shown(name) +
                "; dtype, shape and data_offsets are the only ones that the format knows.");
        auto const index = static_cast<std::size_t>(found - field_names.begin());
        if (std::exchange(seen_[index], true))
            throw checkpoint_errors::duplicate_key(tensor_text() + " has the field " +
                                                   checkpoint_errors::shown(name) + " twice.");
        field_ = static_cast<field>(index);
    }

    void set_dtype(std::string const& name) {
        auto const type = dtype_named(name);
        if (!type)
            throw checkpoint_errors::unknown_dtype(tensor_text() + " has dtype " +
                                                   checkpoint_errors::shown(name) +
                                                   ", which is no element type of the format.");
        result_.entries.back().type = *type;
    }

    // What can be said of one entry alone.
    void finish_entry() {
        for (std::size_t index = 0; index < field_names.size(); ++index)
            if (!seen_[index])
                throw checkpoint_errors::missing_field(tensor_text() + " lacks the field '" +
                                                       std::string(field_names[index]) + "'.");
        entry& e = result_.entries.back();
        e.begin = offsets_[0];
        e.end = offsets_[1];
        if (e.end < e.begin)
            throw checkpoint_errors::offsets_reversed(tensor_text() + " ends at byte " +
                                                      std::to_string(e.end) + ", before it begins at " +
                                                      std::to_string(e.begin) + ".");
        std::size_t const expected = byte_count(e.type, e.shape, tensor_text());
        if (e.end - e.begin != expected)
            throw checkpoint_errors::size_mismatch(
                tensor_text() + " of " + name_of(e.type) + " " + checkpoint_errors::shape_text(e.shape) +
                " needs " + std::to_string(expected) + " bytes, and its data_offsets span " +
                std::to_string(e.end - e.begin) + ".");
    }

    [[noreturn]] void refuse_value(std::string const& found) const {
        using namespace checkpoint_errors;
        if (level_ == level::metadata)
            throw bad_metadata(file_ + ": the metadata value of " + shown(metadata_name_) +
                               " must be a string, and is " + found + ".");
        if (level_ == level::names && in_metadata_)
            throw bad_metadata(file_ + ": __metadata__ must be an object of strings, and is " + found + ".");
        if (level_ == level::names)
            throw bad_entry(tensor_text() + " must be described by an object, and is by " + found + ".");
        std::string const name(field_names[static_cast<std::size_t>(field_)]);
        std::string const expected = field_ == field::dtype     ? "must be a string"
                                     : level_ == level::numbers ? "must hold whole numbers only"
                                                                : "must be an array of whole numbers";
        throw bad_entry(tensor_text() + ": " + name + " " + expected + "; found " + found + ".");
    }

    [[noreturn]] void refuse_number(std::string const& text) const {
        throw checkpoint_errors::bad_number(tensor_text() + ": " +
                                            std::string(field_names[static_cast<std::size_t>(field_)]) +
                                            " has the number " + checkpoint_errors::shown(text) +
                                            "; whole numbers from 0 to 2^64 - 1 were expected.");
    }

    std::string tensor_text() const {
        return file_ + ": tensor " + checkpoint_errors::shown(result_.entries.back().name);
    }

    header& result_;
    std::string file_;
    level level_ = level::outside;
    bool in_metadata_ = false;
    std::string metadata_name_;
    field field_ = field::dtype;
    std::array<bool, 3> seen_{};
    std::vector<std::size_t> offsets_;
    std::set<std::string> names_;
    checkpoint_budget& left_;
    sluice::detail::borrowed_memory borrowed_; ///< as long as the header is read
    std::size_t longest_ = 0;
};

/// Without holes, without overlaps, from the first byte of the data to the last one.
inline void require_contiguous(header const& h, std::uint64_t data_size, std::string const& file) {
    using namespace checkpoint_errors;
    std::size_t next = 0;
    for (entry const& e : h.entries) {
        auto const where = [&] {
            return file + ": tensor " + shown(e.name) + " begins at byte " + std::to_string(e.begin) +
                   ", and the data before it ends at " + std::to_string(next);
        };
        if (e.begin > next)
            throw data_hole(where() + "; holes are not allowed.");
        if (e.begin < next)
            throw data_overlap(where() + "; overlaps are not allowed.");
        next = e.end;
    }
    std::string const sizes = file + ": the tensors need " + std::to_string(next) +
                              " bytes after the header, and the file has " + std::to_string(data_size);
    if (next > data_size)
        throw data_truncated(sizes + "; it was cut short.");
    if (next < data_size)
        throw data_left_over(sizes + "; nothing may follow the last tensor.");
}

/// `text` is the header alone, `data_size` the bytes that follow it, `file` how to call the file.
inline header read_header(std::string_view text, std::uint64_t data_size, std::string const& file,
                          checkpoint_budget& left) {
    using namespace checkpoint_errors;
    if (text.empty() || text.front() != '{')
        throw header_start(file + ": the header must start with '{', and " +
                           (text.empty() ? "is empty." : "starts with " + shown(text.substr(0, 1)) + "."));
    if (!is_utf8(text))
        throw not_utf8(file + ": the header is not UTF-8.");
    if (text.find('\0') != std::string_view::npos) // the parser would take it for the end
        throw not_json(file + ": the header is not JSON: it contains a zero byte.");
    header result;
    constexpr std::uint64_t passes = 3;
    left.step(passes * text.size(), "the header");
    header_events events(result, file, left);
    nlohmann::json::sax_parse(text, &events);
    std::ranges::sort(result.entries, {}, [](entry const& e) { return std::tie(e.begin, e.end); });
    require_contiguous(result, data_size, file);
    return result;
}

} // namespace sluice::safetensors
