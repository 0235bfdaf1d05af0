// SPDX-License-Identifier: BSL-1.0
// What reading a file may cost. One bound holds for every reader, for a file of N bytes:
//
//   memory   17 N + 64 KiB, the file itself included; 2080 N + 64 KiB where a part of it is deflated, since deflate makes up
//            to 1032 bytes of one, and a reader holds them twice
//   steps    4 for each byte of that memory. A step is a byte that is copied, inflated, checked, turned or passed through a
//            filter; a structure of the file costs 64 steps beside its bytes
//
// A reader counts both while it reads, and throws `checkpoint_errors::costs_too_much` before it goes beyond. What lies in
// another file, as the HDF5 file in a .keras, is counted with the outer one.
//
//   checkpoint_budget left(bytes.size(), "'model.npz'");
//   npz::parse(bytes, "model.npz", left);
//   left.memory() <= left.most_memory()
#pragma once

#include <sluice/checkpoint/error.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

class checkpoint_budget {
public:
    /// The most bytes that deflate makes of one.
    static constexpr std::uint64_t most_of_deflate = 1032;
    static constexpr std::uint64_t times_plain = 17, times_deflated = times_plain - 1 + 2 * most_of_deflate,
                                   beside = 65'536, steps_of_a_byte = 4;

    /// For a file of `size` bytes; `file` is what errors call it, in quotes.
    checkpoint_budget(std::uint64_t size, std::string file)
        : size_(size), file_(std::move(file)), memory_(size) {
        set_times(times_plain);
    }
    checkpoint_budget(checkpoint_budget const&) = delete;
    checkpoint_budget& operator=(checkpoint_budget const&) = delete;

    /// A part of the file is deflated.
    void expect_deflated() { set_times(times_deflated); }

    void take(std::uint64_t bytes, std::string_view what) {
        if (bytes > most_memory_ - memory_)
            refuse(what, std::to_string(bytes) + " bytes of memory", most_memory_, memory_, "");
        memory_ += bytes;
    }
    void give_back(std::uint64_t bytes) { memory_ -= bytes; }
    void step(std::uint64_t steps, std::string_view what) {
        if (steps > most_steps_ - steps_)
            refuse(what, std::to_string(steps) + " steps", most_steps_, steps_,
                   std::to_string(steps_of_a_byte) + " for each byte of ");
        steps_ += steps;
    }

    std::uint64_t memory() const { return memory_; }
    std::uint64_t most_memory() const { return most_memory_; }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t most_steps() const { return most_steps_; }

private:
    std::uint64_t size_;
    std::string file_;
    std::uint64_t times_ = 0, memory_, most_memory_ = 0, steps_ = 0, most_steps_ = 0;

    void set_times(std::uint64_t times) {
        constexpr std::uint64_t largest =
            std::numeric_limits<std::uint64_t>::max() / steps_of_a_byte - beside;
        times_ = times;
        most_memory_ = (size_ > largest / times ? largest : size_ * times) + beside;
        most_steps_ = most_memory_ * steps_of_a_byte;
    }
    [[noreturn]] void refuse(std::string_view what, std::string const& more, std::uint64_t most,
                             std::uint64_t used, std::string const& unit) const {
        throw checkpoint_errors::costs_too_much(
            file_ + ": " + std::string(what) + " would cost " + more + ", and of the " +
            std::to_string(most) + " that the file may cost (" + unit + std::to_string(times_) +
            " times its " + std::to_string(size_) + " bytes, and 64 KiB) " + std::to_string(most - used) +
            " are left. The file is damaged, or made to exhaust its reader; save it again with the program "
            "that wrote it.");
    }
};

namespace detail {

/// Memory of a budget, until the end of a scope.
class borrowed_memory {
public:
    explicit borrowed_memory(checkpoint_budget& from) : from_(&from) {}
    borrowed_memory(borrowed_memory&& other) noexcept
        : from_(other.from_), bytes_(std::exchange(other.bytes_, 0)) {}
    borrowed_memory& operator=(borrowed_memory&& other) noexcept {
        std::swap(from_, other.from_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~borrowed_memory() { from_->give_back(bytes_); }

    void take(std::uint64_t bytes, std::string_view what) {
        from_->take(bytes, what);
        bytes_ += bytes;
    }
    /// It is not given back.
    void keep() { bytes_ = 0; }

private:
    checkpoint_budget* from_;
    std::uint64_t bytes_ = 0;
};

/// So many bytes, all zero, that a budget counts as long as they are here.
class counted_bytes {
public:
    explicit counted_bytes(checkpoint_budget& from) : held_(from) {}
    counted_bytes(checkpoint_budget& from, std::uint64_t size, std::string_view what) : held_(from) {
        held_.take(size, what);
        bytes_.resize(static_cast<std::size_t>(size));
    }
    counted_bytes(counted_bytes&& other) noexcept = default;
    counted_bytes& operator=(counted_bytes&& other) noexcept {
        held_ = std::move(other.held_);
        bytes_.swap(other.bytes_);
        return *this;
    }

    std::byte* data() { return bytes_.data(); }
    std::byte const* data() const { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }
    /// The bytes, which go on being counted.
    std::vector<std::byte> keep() && {
        held_.keep();
        return std::move(bytes_);
    }

private:
    borrowed_memory held_;
    std::vector<std::byte> bytes_{};
};

} // namespace detail
} // namespace sluice
