// SPDX-License-Identifier: BSL-1.0
// Numbers of many axes, copied from one order into another.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace sluice::detail {

/// How many numbers lie along an axis, and the bytes from each to the next, where they are read and where
/// they are written.
struct box_axis {
    std::size_t extent, from, to;
    std::size_t index = 0;
};

/// Copies a box, the last axis the fastest, so many bytes at a time. A step costs the same however many axes
/// there are: those of one number are passed over, and of the others each goes on at most half as often as
/// the one after it.
inline void copy_box(std::byte const* from, std::byte* to, std::vector<box_axis> axes, std::size_t width) {
    std::erase_if(axes, [](box_axis const& one) { return one.extent == 1; });
    for (;;) {
        std::memcpy(to, from, width);
        std::size_t axis = axes.size();
        for (; axis > 0; --axis) {
            box_axis& one = axes[axis - 1];
            from += one.from;
            to += one.to;
            if (++one.index < one.extent)
                break;
            from -= one.extent * one.from;
            to -= one.extent * one.to;
            one.index = 0;
        }
        if (axis == 0)
            return;
    }
}

} // namespace sluice::detail
