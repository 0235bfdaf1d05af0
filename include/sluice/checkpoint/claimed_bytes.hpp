// SPDX-License-Identifier: BSL-1.0
// Which bytes of a file have been read as part of a structure: none belongs to two.
#pragma once

#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/error.hpp>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::detail {

/// Programs lay out the parts of a file one after the other. A file in which they lie on each other would be
/// small, and large when each of them is read: it is refused, so that all parts together are no longer than
/// the file.
class claimed_bytes {
public:
    /// `file` is what errors call it, in quotes.
    claimed_bytes(std::string file, checkpoint_budget& left) : file_(std::move(file)), left_(left) {}

    /// The bytes from `begin` on, which the file has, are now part of `what`. Throws
    /// `checkpoint_errors::data_overlap` where one of them was part of something else. Costs the bytes as
    /// steps, and 64.
    void claim(std::uint64_t begin, std::uint64_t size, std::string_view what) {
        constexpr std::uint64_t of_structure = 64;
        left_.step(size + of_structure, what);
        if (size == 0)
            return;
        std::uint64_t const end = begin + size;
        auto const next = ranges_.lower_bound(begin);
        auto const before = next == ranges_.begin() ? ranges_.end() : std::prev(next);
        if ((next != ranges_.end() && next->first < end) ||
            (before != ranges_.end() && before->second > begin))
            throw checkpoint_errors::data_overlap(
                file_ + " is damaged: " + std::string(what) + " at " + std::to_string(begin) +
                " claims bytes of the file that others have; save it again with the program that wrote it.");
        bool const continues = before != ranges_.end() && before->second == begin,
                   goes_on = next != ranges_.end() && next->first == end;
        std::uint64_t const last = goes_on ? next->second : end;
        if (goes_on)
            ranges_.erase(next);
        if (continues)
            before->second = last;
        else {
            constexpr std::uint64_t of_node = 64;
            if (!goes_on)
                left_.take(of_node, what);
            ranges_.emplace(begin, last);
        }
    }

private:
    std::string file_;
    checkpoint_budget& left_;
    std::map<std::uint64_t, std::uint64_t> ranges_{}; ///< from, to; neighbours are one
};

} // namespace sluice::detail
