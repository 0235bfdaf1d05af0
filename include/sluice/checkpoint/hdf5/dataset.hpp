// SPDX-License-Identifier: BSL-1.0
// Datasets of an HDF5 file: their shapes and numbers, which lie in one piece, or in chunks, each of which may be packed.
//
// Source: HDF5 File Format Specification, version 3.0, sections III.A.1 and IV.A.2.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/hdf5/datatype.hpp>
#include <sluice/checkpoint/inflate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::hdf5::detail {

/// How many bytes the datasets that are to come may have: in the file, and as numbers.
struct budget {
    std::uint64_t stored, read;
};

class dataset_reader {
public:
    dataset_reader(byte_reader const& file, object_header const& object, std::string name, budget& left)
        : file_(file), object_(object), left_(left),
          whose_(file.file() + ": dataset " + checkpoint_errors::shown(name)), name_(std::move(name)) {}

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
        if (size_ > left_.read)
            throw too_large(0);
        left_.read -= size_;
        read_numbers(layout);
        if (number->is_big_endian)
            for (std::size_t i = 0; i < tensor_.bytes.size(); i += width_)
                std::reverse(tensor_.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                             tensor_.bytes.begin() + static_cast<std::ptrdiff_t>(i + width_));
        return std::move(tensor_);
    }

private:
    byte_reader const& file_;
    object_header const& object_;
    budget& left_;
    std::string whose_, name_;
    stored_tensor tensor_{};
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
    std::span<std::byte const> claim(std::uint64_t at, std::uint64_t size) const {
        auto const bytes = file_.bytes(at, size);
        if (size > left_.stored)
            throw checkpoint_errors::data_overlap(
                whose_ + " claims bytes of the file that others have: there are not so many.");
        left_.stored -= size;
        return bytes;
    }

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
        auto const bytes = claim(at, size_);
        tensor_.bytes.assign(bytes.begin(), bytes.end());
    }

    // chunks: boxes of equal extents side by side, those at the far sides partly outside; a tree says where they are

    struct filter {
        std::uint64_t kind;
        std::size_t parameter; ///< of shuffle: bytes of an element
    };
    std::vector<filter> filters_{}; ///< in the order in which they packed
    std::vector<std::size_t> chunk_{};
    std::uint64_t chunk_size_ = 0, chunks_left_ = 0;
    std::vector<bool> is_read_{};
    std::set<std::uint64_t> nodes_{};

    static constexpr std::uint64_t deflate = 1, shuffle = 2, sum = 3;

    void read_chunks(message const& layout) {
        using namespace checkpoint_errors;
        std::size_t const rank = tensor_.shape.size();
        if (rank == 0 || file_.number(layout.at + 2, 1) != rank + 1)
            throw damaged(file_, "chunks have another number of axes than their dataset");
        std::uint64_t count = 1;
        for (std::size_t i = 0; i < rank; ++i) {
            chunk_.push_back(static_cast<std::size_t>(file_.number(layout.at + 11 + 4 * i, 4)));
            if (chunk_.back() == 0)
                throw damaged(file_, "chunks have the extent 0");
            count *=
                (tensor_.shape[i] + chunk_.back() - 1) / chunk_.back(); // at most the numbers of the dataset
        }
        chunk_size_ = byte_count(tensor_.type, chunk_, whose_);
        std::uint64_t const root = file_.number(layout.at + 3, 8);
        if (size_ == 0)
            return;
        read_filters();
        bool const is_deflated = std::ranges::find(filters_, deflate, &filter::kind) != filters_.end();
        std::uint64_t const most = file_.size() * (is_deflated ? sluice::detail::most_of_deflate : 1);
        constexpr std::uint64_t least = 8; // bytes of an entry
        if (root == nowhere || count > file_.size() / least || size_ > most)
            throw too_large(0);
        if (chunk_size_ > most)
            throw size_mismatch(whose_ + " has chunks that are larger than the file could fill.");
        tensor_.bytes.resize(static_cast<std::size_t>(size_));
        is_read_.resize(static_cast<std::size_t>(count));
        chunks_left_ = count;
        read_node(root, 0);
        if (chunks_left_ != 0)
            throw missing_field(whose_ + " has numbers that were never written; write all of them.");
    }

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
        }
    }

    void read_node(std::uint64_t at, std::uint64_t above) {
        if (!nodes_.insert(at).second || !has_mark(file_, at, "TREE") || file_.number(at + 4, 1) != 1)
            throw damaged(file_, "a node of chunks is not where it should be");
        std::uint64_t const level = file_.number(at + 5, 1), count = file_.number(at + 6, 2);
        if (above != 0 && level != above - 1)
            throw damaged(file_, "the nodes of chunks are not a tree");
        std::uint64_t const size_of_key = 8 + 8 * (tensor_.shape.size() + 1);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t const key = at + 24 + (size_of_key + 8) * i,
                                child = file_.number(key + size_of_key, 8);
            if (level > 0)
                read_node(child, level);
            else
                read_chunk(key, child);
        }
    }
    void read_chunk(std::uint64_t key, std::uint64_t at) {
        std::size_t const rank = tensor_.shape.size();
        std::vector<std::size_t> first(rank);
        std::size_t number = 0;
        for (std::size_t i = 0; i < rank; ++i) {
            first[i] = static_cast<std::size_t>(file_.number(key + 8 + 8 * i, 8));
            if (first[i] >= tensor_.shape[i] || first[i] % chunk_[i] != 0)
                throw damaged(file_, "a chunk lies outside of its dataset");
            number = number * ((tensor_.shape[i] + chunk_[i] - 1) / chunk_[i]) + first[i] / chunk_[i];
        }
        if (is_read_[number])
            throw damaged(file_, "a chunk is there twice");
        is_read_[number] = true;
        --chunks_left_;
        auto const packed = claim(at, file_.number(key, 4));
        std::vector<std::byte> unpacked;
        std::span<std::byte const> numbers = packed;
        if (!filters_.empty()) {
            unpacked = unpack(packed, file_.number(key + 4, 4));
            numbers = unpacked;
        }
        if (numbers.size() != chunk_size_)
            throw too_large(packed.size());
        put(numbers, first);
    }

    std::vector<std::byte> unpack(std::span<std::byte const> packed, std::uint64_t left_out) const {
        std::vector<std::byte> bytes(packed.begin(), packed.end());
        auto const is_used = [&](std::size_t i) {
            return (left_out >> std::min<std::size_t>(i, 63) & 1) == 0;
        };
        for (std::size_t i = filters_.size(); i-- > 0;) {
            if (!is_used(i))
                continue;
            if (filters_[i].kind == sum)
                take_sum(bytes);
            else if (filters_[i].kind == shuffle)
                bytes = unshuffled(bytes, filters_[i].parameter);
            else {
                std::uint64_t expected = chunk_size_;
                for (std::size_t k = 0; k < i; ++k)
                    expected += filters_[k].kind == sum && is_used(k) ? 4 : 0;
                auto inflated = sluice::detail::inflated(bytes, expected, sluice::detail::deflate_form::zlib);
                if (!inflated)
                    throw damaged(file_, "a chunk of " + checkpoint_errors::shown(name_) +
                                             " does not unpack to its numbers");
                bytes = std::move(*inflated);
            }
        }
        return bytes;
    }
    void take_sum(std::vector<std::byte>& bytes) const {
        bool is_right = bytes.size() >= 4;
        if (is_right) {
            byte_reader const reader(bytes, file_.file());
            is_right =
                reader.number(bytes.size() - 4, 4) == fletcher32(std::span(bytes).first(bytes.size() - 4));
            bytes.resize(bytes.size() - 4);
        }
        if (!is_right)
            throw damaged(file_, "the check sum of a chunk of " + checkpoint_errors::shown(name_) +
                                     " is another one");
    }
    /// Shuffled are the first bytes of all elements, then the second ones, and so on; what is left over stays.
    static std::vector<std::byte> unshuffled(std::vector<std::byte> const& bytes, std::size_t width) {
        std::size_t const count = width == 0 ? 0 : bytes.size() / width;
        if (width <= 1 || count == 0)
            return bytes;
        std::vector<std::byte> made = bytes;
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < width; ++k)
                made[i * width + k] = bytes[k * count + i];
        return made;
    }

    /// Copies the part of a chunk that lies within the dataset, row by row of the last axis.
    void put(std::span<std::byte const> numbers, std::vector<std::size_t> const& first) {
        std::size_t const rank = first.size();
        std::vector<std::size_t> within(rank);
        std::size_t const row =
            std::min(chunk_[rank - 1], tensor_.shape[rank - 1] - first[rank - 1]) * width_;
        for (bool goes_on = true; goes_on;) {
            std::size_t from = 0, to = 0;
            for (std::size_t i = 0; i < rank; ++i) {
                from = from * chunk_[i] + within[i];
                to = to * tensor_.shape[i] + first[i] + within[i];
            }
            std::memcpy(tensor_.bytes.data() + to * width_, numbers.data() + from * width_, row);
            goes_on = false;
            for (std::size_t axis = rank - 1; axis-- > 0 && !goes_on;) {
                goes_on = ++within[axis] < chunk_[axis] && first[axis] + within[axis] < tensor_.shape[axis];
                if (!goes_on)
                    within[axis] = 0;
            }
        }
    }
};

} // namespace sluice::hdf5::detail
