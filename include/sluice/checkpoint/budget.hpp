// SPDX-License-Identifier: BSL-1.0
// What reading a file may cost. One bound holds for every reader, for a file of N bytes, D of them deflated:
//
//   memory   17 N + 64 KiB, the file itself included, and 2064 D for numbers: deflate makes up to 1032 bytes
//            of one, and a reader holds them twice
//   steps    4 for each byte of that memory. A step is a byte that is copied, inflated, checked, turned or
//            passed through a filter; a structure of the file costs 64 steps beside its bytes
//
// A reader counts both while it reads, and throws `checkpoint_errors::costs_too_much` before it goes beyond.
// What lies in another file, as the HDF5 file in a .keras, is counted with the outer one.
//
//   checkpoint_budget left(bytes.size(), "'model.npz'");
//   npz::parse(bytes, "model.npz", left);
//   left.memory() <= left.most_memory()
#pragma once

#include <sluice/checkpoint/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

class checkpoint_budget {
public:
    static constexpr std::uint64_t times_plain = 17, most_of_deflate = 1032,
                                   times_deflated = 2 * most_of_deflate, beside = 65'536, steps_of_a_byte = 4;

    /// For a file of `size` bytes; `file` is what errors call it, in quotes.
    checkpoint_budget(std::uint64_t size, std::string file)
        : size_(std::min(size, largest)), file_(std::move(file)), structures_(size_) {}
    checkpoint_budget(checkpoint_budget const&) = delete;
    checkpoint_budget& operator=(checkpoint_budget const&) = delete;

    /// So many bytes more of the file are deflated, of all its bytes at most.
    void expect_deflated(std::uint64_t bytes) { deflated_ += std::min(bytes, size_ - deflated_); }

    /// Memory for names, lists and the like.
    void take(std::uint64_t bytes, std::string_view what) {
        std::uint64_t const left = std::min(bound(0) - structures_, most_memory() - memory());
        if (bytes > left)
            refuse(what, std::to_string(bytes) + " bytes of memory", left, bound(0));
        structures_ += bytes;
    }
    void give_back(std::uint64_t bytes) { structures_ -= bytes; }
    /// Memory for the numbers of tensors, in each form that they have on the way.
    void take_numbers(std::uint64_t bytes, std::string_view what) {
        std::uint64_t const left = most_memory() - memory();
        if (bytes > left)
            refuse(what, std::to_string(bytes) + " bytes of memory", left, most_memory());
        numbers_ += bytes;
    }
    void give_back_numbers(std::uint64_t bytes) { numbers_ -= bytes; }
    void step(std::uint64_t steps, std::string_view what) {
        std::uint64_t const left = most_steps() - steps_;
        if (steps > left)
            refuse(what, std::to_string(steps) + " steps", left, most_steps());
        steps_ += steps;
    }

    std::uint64_t memory() const { return structures_ + numbers_; }
    std::uint64_t most_memory() const { return bound(deflated_); }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t most_steps() const { return most_memory() * steps_of_a_byte; }

private:
    /// Of a size, so that no product overflows: beyond it the bound is more than any memory.
    static constexpr std::uint64_t largest =
        std::numeric_limits<std::uint64_t>::max() / (2 * steps_of_a_byte * (times_plain + times_deflated));
    std::uint64_t size_;
    std::string file_;
    std::uint64_t deflated_ = 0, structures_, numbers_ = 0, steps_ = 0;

    std::uint64_t bound(std::uint64_t deflated) const {
        return size_ * times_plain + deflated * times_deflated + beside;
    }
    [[noreturn]] void refuse(std::string_view what, std::string const& more, std::uint64_t left,
                             std::uint64_t most) const {
        throw checkpoint_errors::costs_too_much(
            file_ + ": " + std::string(what) + " would cost " + more + ", and " + std::to_string(left) +
            " are left of the " + std::to_string(most) + " that a file of " + std::to_string(size_) +
            " bytes, " + std::to_string(deflated_) +
            " of them deflated, may cost. It is damaged, or made to exhaust its reader; save it again with "
            "the program that wrote it.");
    }
};

namespace detail {

/// Memory of a budget for names, lists and the like, until the end of a scope.
class borrowed_memory {
public:
    explicit borrowed_memory(checkpoint_budget& from) : from_(from) {}
    borrowed_memory(borrowed_memory const&) = delete;
    borrowed_memory& operator=(borrowed_memory const&) = delete;
    ~borrowed_memory() { from_.give_back(bytes_); }

    void take(std::uint64_t bytes, std::string_view what) {
        from_.take(bytes, what);
        bytes_ += bytes;
    }

private:
    checkpoint_budget& from_;
    std::uint64_t bytes_ = 0;
};

/// Bytes that a budget counts as numbers as long as they are here.
class counted_bytes {
public:
    explicit counted_bytes(checkpoint_budget& from) : from_(&from) {}
    /// So many zeros.
    counted_bytes(checkpoint_budget& from, std::uint64_t size, std::string_view what) : from_(&from) {
        from.take_numbers(size, what);
        counted_ = size;
        bytes_.resize(static_cast<std::size_t>(size));
    }
    /// A copy, which is as many steps.
    counted_bytes(checkpoint_budget& from, std::span<std::byte const> copied, std::string_view what)
        : from_(&from) {
        from.take_numbers(copied.size(), what);
        counted_ = copied.size();
        from.step(copied.size(), what);
        bytes_.assign(copied.begin(), copied.end());
    }
    counted_bytes(counted_bytes&& other) noexcept
        : from_(other.from_), counted_(std::exchange(other.counted_, 0)), bytes_(std::move(other.bytes_)) {}
    counted_bytes& operator=(counted_bytes&& other) noexcept {
        std::swap(from_, other.from_);
        std::swap(counted_, other.counted_);
        bytes_.swap(other.bytes_);
        return *this;
    }
    ~counted_bytes() { from_->give_back_numbers(counted_); }

    std::byte* data() { return bytes_.data(); }
    std::byte const* data() const { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }
    /// The bytes, which go on being counted.
    std::vector<std::byte> keep() && {
        counted_ = 0;
        return std::move(bytes_);
    }

private:
    checkpoint_budget* from_;
    std::uint64_t counted_ = 0;
    std::vector<std::byte> bytes_{};
};

} // namespace detail
} // namespace sluice
