// SPDX-License-Identifier: BSL-1.0
// Datasets of an HDF5 file: their shapes and numbers, which lie in one piece, or in chunks, each of which may
// be packed.
//
// Source: HDF5 File Format Specification, version 3.0, sections III.A.1 and IV.A.2.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/box.hpp>
#include <sluice/checkpoint/formats/hdf5/datatype.hpp>
#include <sluice/checkpoint/formats/inflate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::hdf5::detail {

using sluice::detail::counted_bytes;

class dataset_reader {
public:
    dataset_reader(input& file, object_header const& object, std::string name)
        : file_(file), object_(object), whose_(file.file() + ": dataset " + checkpoint_errors::shown(name)),
          name_(std::move(name)), numbers_(file.left) {}

    /// Nothing, where it holds no numbers.
    std::optional<stored_tensor> read() {
        using namespace checkpoint_errors;
        message const &space = require(message_kind::dataspace), &type = require(message_kind::datatype),
                      &layout = require(message_kind::layout);
        auto const number = find_type(type);
        if (!number || !read_shape(space))
            return std::nullopt;
        if (object_.find(message_kind::external_files) != nullptr)
            throw bad_entry(whose_ + " lies in another file; store its numbers in this one.");
        tensor_.name = name_;
        tensor_.type = number->type;
        width_ = bits_of(number->type) / 8;
        size_ = byte_count(number->type, tensor_.shape, whose_);
        read_numbers(layout);
        if (number->is_big_endian) {
            file_.left.step(numbers_.size(), numbers);
            for (std::size_t i = 0; i < numbers_.size(); i += width_)
                std::reverse(numbers_.data() + i, numbers_.data() + i + width_);
        }
        tensor_.bytes = std::move(numbers_).keep();
        return std::move(tensor_);
    }

private:
    input& file_;
    object_header const& object_;
    std::string whose_, name_;
    stored_tensor tensor_{};
    counted_bytes numbers_; ///< of the tensor, once they are about to be written
    std::size_t width_ = 0;
    std::uint64_t size_ = 0;

    message const& require(message_kind kind) const {
        message const* const found = object_.find(kind);
        if (found == nullptr)
            throw checkpoint_errors::missing_field(whose_ + " lacks its shape, its type or its place.");
        if (found->is_shared)
            throw checkpoint_errors::bad_entry(
                whose_ + " shares its type with others (a committed one); store it with a type of its own.");
        return *found;
    }
    checkpoint_errors::size_mismatch too_large(std::uint64_t stored) const {
        using namespace checkpoint_errors;
        return size_mismatch(whose_ + " of " + name_of(tensor_.type) + " " + shape_text(tensor_.shape) +
                             " has " + std::to_string(size_) + " bytes, which the " + std::to_string(stored) +
                             " that are stored cannot give.");
    }
    static constexpr std::string_view numbers = "the numbers of a dataset";

    std::optional<number_type> find_type(message const& type) const {
        type_reader const reader(file_, type.at);
        if (reader.is_opaque_pair()) // an attribute says what it is
            for (message const& one : object_.messages())
                if (one.kind == message_kind::attribute && attribute_name(file_, one) == "dtype")
                    return number_type{dtype::bf16};
        return reader.read();
    }
    /// False, where there is none.
    bool read_shape(message const& space) {
        std::uint64_t const version = file_.number(space.at, 1), rank = file_.number(space.at + 1, 1);
        constexpr std::uint64_t null = 2;
        if (version != 1 && version != 2)
            throw damaged(file_, "a shape of version " + std::to_string(version));
        if (version == 2 && file_.number(space.at + 3, 1) == null)
            return false;
        for (std::uint64_t i = 0; i < rank; ++i)
            tensor_.shape.push_back(
                static_cast<std::size_t>(file_.number(space.at + (version == 1 ? 8 : 4) + 8 * i, 8)));
        return true;
    }

    void read_numbers(message const& layout) {
        using namespace checkpoint_errors;
        enum { compact, contiguous, chunked, of_others };
        std::uint64_t const version = file_.number(layout.at, 1), kind = file_.number(layout.at + 1, 1);
        if (version != 3 && version != 4)
            throw damaged(file_, "a layout of version " + std::to_string(version) + ", older than HDF5 1.6");
        if (kind == of_others)
            throw bad_entry(whose_ +
                            " is made of other datasets (a virtual one); store its numbers themselves.");
        if (kind > of_others)
            throw damaged(file_, "a layout of the kind " + std::to_string(kind));
        if (kind == chunked) {
            if (version == 4)
                throw bad_entry(whose_ + " lies in chunks as libver='latest' writes them; write it with "
                                         "libver='earliest', which is h5py's default.");
            return read_chunks(layout);
        }
        std::uint64_t const at = kind == compact ? layout.at + 4 : file_.number(layout.at + 2, 8),
                            stored = kind == compact ? file_.number(layout.at + 2, 2)
                                                     : file_.number(layout.at + 10, 8);
        if (size_ == 0)
            return;
        if (at == nowhere || stored != size_)
            throw too_large(at == nowhere ? 0 : stored);
        if (kind == compact && size_ + 4 > layout.size)
            throw damaged(file_, "the numbers of a dataset are longer than their message");
        auto const bytes = kind == compact ? file_.bytes(at, size_) : file_.claim(at, size_, numbers);
        numbers_ = counted_bytes(file_.left, bytes, numbers);
    }

    // chunks: boxes of equal extents side by side, those at the far sides partly outside; a tree says where
    // they are

    struct filter {
        std::uint64_t kind;
        std::size_t parameter; ///< of shuffle: bytes of an element
    };
    std::vector<filter> filters_{};              ///< in the order in which they packed
    std::vector<std::size_t> chunk_{}, count_{}; ///< for each axis: numbers of a chunk, and chunks
    std::uint64_t chunk_size_ = 0;
    struct place {
        std::uint64_t key, at;
        std::size_t number; ///< of the chunk among all of the dataset
    };
    std::vector<place> places_{}; ///< of the chunks that are there

    static constexpr std::uint64_t deflate = 1, shuffle = 2, sum = 3;

    void read_chunks(message const& layout) {
        using namespace checkpoint_errors;
        std::size_t const rank = tensor_.shape.size();
        if (rank == 0 || file_.number(layout.at + 2, 1) != rank + 1)
            throw damaged(file_, "chunks have another number of axes than their dataset");
        for (std::size_t i = 0; i < rank; ++i) {
            chunk_.push_back(static_cast<std::size_t>(file_.number(layout.at + 11 + 4 * i, 4)));
            if (chunk_.back() == 0)
                throw damaged(file_, "chunks have the extent 0");
        }
        chunk_size_ = byte_count(tensor_.type, chunk_, whose_);
        std::uint64_t const root = file_.number(layout.at + 3, 8);
        if (size_ == 0)
            return;
        read_filters();
        if (root == nowhere)
            throw too_large(0);
        std::uint64_t chunks = 1; // at most the numbers of the dataset
        for (std::size_t i = 0; i < rank; ++i) {
            count_.push_back((tensor_.shape[i] - 1) / chunk_[i] + 1);
            chunks *= count_[i];
        }
        borrowed_memory of_list(file_.left);
        read_node(root, 0, of_list);
        std::ranges::sort(places_, {}, &place::number);
        if (std::ranges::adjacent_find(places_, {}, &place::number) != places_.end())
            throw damaged(file_, "a chunk is there twice");
        if (places_.size() != chunks)
            throw missing_field(whose_ + " has numbers that were never written; write all of them.");
        expect_deflated();
        for (place const& one : places_)
            read_chunk(one);
    }
    static constexpr std::string_view list = "the list of chunks of a dataset";

    void read_filters() {
        using namespace checkpoint_errors;
        message const* const all = object_.find(message_kind::filters);
        if (all == nullptr)
            return;
        std::uint64_t const version = file_.number(all->at, 1), count = file_.number(all->at + 1, 1);
        std::uint64_t at = all->at + (version == 1 ? 8 : 2);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t const kind = file_.number(at, 2);
            bool const has_name = version == 1 || kind >= 256;
            std::uint64_t const name = has_name ? file_.number(at + 2, 2) : 0;
            at += has_name ? 4 : 2;
            std::uint64_t const parameters = file_.number(at + 2, 2);
            at += 4 + (version == 1 ? (name + 7) / 8 * 8 : name);
            filters_.push_back({kind, parameters > 0 ? static_cast<std::size_t>(file_.number(at, 4)) : 0});
            at += 4 * (version == 1 ? (parameters + 1) / 2 * 2 : parameters);
            if (kind != deflate && kind != shuffle && kind != sum)
                throw bad_entry(whose_ + " is packed by the filter " + std::to_string(kind) +
                                " of HDF5; deflate (1), shuffle (2) and check sums (3) are read. "
                                "`h5repack -f GZIP=6 OLD NEW` packs it so.");
            if (std::ranges::count(filters_, kind, &filter::kind) > 1)
                throw bad_entry(whose_ + " is packed by the filter " + std::to_string(kind) +
                                " of HDF5 twice, which no program does; `h5repack -f GZIP=6 OLD NEW` packs "
                                "it once.");
        }
    }

    /// Whether a chunk is packed by a filter: its key says which were left out.
    bool is_used(std::size_t filter_number, place const& of) const {
        return (file_.number(of.key + 4, 4) >> filter_number & 1) == 0;
    }
    void expect_deflated() {
        for (std::size_t i = 0; i < filters_.size(); ++i)
            for (place const& one : places_)
                if (filters_[i].kind == deflate && is_used(i, one))
                    file_.left.expect_deflated(file_.number(one.key, 4));
    }

    void read_node(std::uint64_t at, std::uint64_t above, borrowed_memory& of_list) {
        if (!has_mark(file_, at, "TREE") || file_.number(at + 4, 1) != 1)
            throw damaged(file_, "a node of chunks is not where it should be");
        std::uint64_t const level = file_.number(at + 5, 1), count = file_.number(at + 6, 2);
        if (above != 0 && level != above - 1)
            throw damaged(file_, "the nodes of chunks are not a tree");
        std::uint64_t const size_of_key = 8 + 8 * (tensor_.shape.size() + 1);
        file_.claim(at, 24 + (size_of_key + 8) * count, "a node of chunks"); // a last key follows
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t const key = at + 24 + (size_of_key + 8) * i,
                                child = file_.number(key + size_of_key, 8);
            if (level > 0)
                read_node(child, level, of_list);
            else
                add_chunk({key, child, 0}, of_list);
        }
    }
    void add_chunk(place one, borrowed_memory& of_list) {
        for (std::size_t i = 0; i < chunk_.size(); ++i) {
            std::size_t const first = first_number(one, i);
            if (first >= tensor_.shape[i] || first % chunk_[i] != 0)
                throw damaged(file_, "a chunk lies outside of its dataset");
            one.number = one.number * count_[i] + first / chunk_[i];
        }
        file_.claim(one.at, file_.number(one.key, 4), chunk);
        constexpr std::uint64_t of_growth = 3;
        of_list.take(of_growth * sizeof(place), list);
        places_.push_back(one);
    }
    std::size_t first_number(place const& of, std::size_t axis) const {
        return static_cast<std::size_t>(file_.number(of.key + 8 + 8 * axis, 8));
    }
    void read_chunk(place const& one) {
        auto const packed = file_.bytes(one.at, file_.number(one.key, 4));
        counted_bytes unpacked(file_.left);
        auto const found = unpack(packed, one, unpacked);
        if (found.size() != chunk_size_)
            throw too_large(packed.size());
        put(found, one);
    }

    static constexpr std::string_view chunk = "a chunk of a dataset";

    /// The numbers of a chunk, which lie in `to` unless no filter made them. What a filter was given is freed
    /// before the next one is used.
    std::span<std::byte const> unpack(std::span<std::byte const> bytes, place const& of,
                                      counted_bytes& to) const {
        for (std::size_t i = filters_.size(); i-- > 0;) {
            if (!is_used(i, of))
                continue;
            file_.left.step(bytes.size(), chunk);
            if (filters_[i].kind == sum) {
                bytes = without_sum(bytes);
                continue;
            }
            counted_bytes made(file_.left);
            if (filters_[i].kind == shuffle)
                made = unshuffled(bytes, filters_[i].parameter);
            else {
                std::uint64_t expected = chunk_size_;
                for (std::size_t k = 0; k < i; ++k)
                    expected += filters_[k].kind == sum && is_used(k, of) ? 4 : 0;
                auto inflated =
                    sluice::detail::inflated(bytes, expected, sluice::detail::deflate_form::zlib, file_.left);
                if (!inflated)
                    throw damaged(file_, "a chunk of " + checkpoint_errors::shown(name_) +
                                             " does not unpack to its numbers");
                made = std::move(*inflated);
            }
            to = std::move(made);
            bytes = {to.data(), to.size()};
        }
        return bytes;
    }
    std::span<std::byte const> without_sum(std::span<std::byte const> bytes) const {
        if (bytes.size() >= 4) {
            auto const rest = bytes.first(bytes.size() - 4);
            if (byte_reader(bytes, file_.file()).number(rest.size(), 4) == fletcher32(rest))
                return rest;
        }
        throw damaged(file_,
                      "the check sum of a chunk of " + checkpoint_errors::shown(name_) + " is another one");
    }
    /// Shuffled are the first bytes of all elements, then the second ones, and so on; what is left over
    /// stays.
    counted_bytes unshuffled(std::span<std::byte const> bytes, std::size_t width) const {
        counted_bytes made(file_.left, bytes.size(), chunk);
        width = std::max<std::size_t>(width, 1);
        std::size_t const count = bytes.size() / width;
        std::byte* to = made.data();
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < width; ++k)
                *to++ = bytes[k * count + i];
        std::ranges::copy(bytes.subspan(count * width), to);
        return made;
    }

    /// Copies the part of a chunk that lies within the dataset, row by row of the last axis. Memory for the
    /// dataset is taken only now: where a single chunk is all of it, the filters have given theirs back.
    void put(std::span<std::byte const> from, place const& of) {
        if (numbers_.empty())
            numbers_ = counted_bytes(file_.left, size_, numbers);
        file_.left.step(from.size(), chunk);
        std::vector<sluice::detail::box_axis> axes(chunk_.size());
        std::size_t from_step = width_, to_step = width_, begin = 0;
        for (std::size_t i = axes.size(); i-- > 0;) {
            std::size_t const first = first_number(of, i);
            axes[i] = {std::min(chunk_[i], tensor_.shape[i] - first), from_step, to_step};
            begin += first * to_step;
            from_step *= chunk_[i];
            to_step *= tensor_.shape[i];
        }
        std::size_t const row = axes.back().extent * width_;
        axes.pop_back();
        sluice::detail::copy_box(from.data(), numbers_.data() + begin, std::move(axes), row);
    }
};

} // namespace sluice::hdf5::detail
