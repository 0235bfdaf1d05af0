// SPDX-License-Identifier: BSL-1.0
// What the threads of a block do together for functions of a whole row, as the text of device functions.
#pragma once

#include <string>

namespace sluice::detail {

/// `sum_before(z, part, all)`, or sum_behind: the sum of z over the threads in front of this one, or after
/// it; `all` becomes the sum over all of them. First of each warp, then of the warps, which put their sums
/// into `part`.
inline std::string sum_of_other_threads(bool front) {
    std::string text("__device__ inline number sum_");
    text.append(front ? "before" : "behind");
    text.append(
        "(number z, number* part, number& all) {\n"
        "    unsigned int const lane = threadIdx.x % 32, mine = threadIdx.x / 32, warps = blockDim.x / 32;\n"
        "    for (unsigned int step = 1; step < 32; step *= 2) {\n"
        "        number const other = ");
    char const* const shuffle =
        front ? "__shfl_up_sync(0xffffffffu, z, " : "__shfl_down_sync(0xffffffffu, z, ";
    text.append(shuffle).append("step);\n        z = ");
    text.append(front ? "lane >= step" : "lane + step < 32")
        .append(" ? z + other : z;\n    }\n    if (lane == ");
    text.append(front ? "31" : "0")
        .append(")\n        part[mine] = z;\n"
                "    __syncthreads();\n"
                "    number const of_warp = ");
    text.append(shuffle).append("1);\n"
                                "    number others = 0;\n"
                                "    all = 0;\n"
                                "    for (unsigned int k = 0; k < warps; ++k) {\n"
                                "        unsigned int const warp = ");
    text.append(front ? "k" : "warps - 1 - k")
        .append(";\n"
                "        others = warp == mine ? all : others;\n"
                "        all = all + part[warp];\n"
                "    }\n"
                "    __syncthreads();\n"
                "    return lane == ");
    return text.append(front ? "0" : "31").append(" ? others : others + of_warp;\n}\n");
}

/// `over_row_R(z, part, count)`: the numbers z of the first `count` threads together, with combine_R; the
/// other threads have no features. First of each warp, then of the warps, which put their numbers into
/// `part`.
inline std::string reduction_of_row(int reg) {
    std::string const r = std::to_string(reg);
    std::string text("__device__ inline number over_row_");
    text.append(r).append("(number z, number* part, unsigned int count) {\n"
                          "    for (unsigned int step = 16; step > 0; step /= 2) {\n"
                          "        number const other = __shfl_down_sync(0xffffffffu, z, step);\n"
                          "        if (threadIdx.x + step < count)\n"
                          "            z = combine_");
    text.append(r).append(
        "(z, other);\n"
        "    }\n"
        "    if (threadIdx.x % 32 == 0)\n"
        "        part[threadIdx.x / 32] = z;\n"
        "    __syncthreads();\n"
        "    z = part[0];\n"
        "    for (unsigned int warp = 1; warp < blockDim.x / 32 && warp * 32 < count; ++warp)\n"
        "        z = combine_");
    return text.append(r).append("(z, part[warp]);\n"
                                 "    __syncthreads();\n"
                                 "    return z;\n"
                                 "}\n");
}

/// `over_groups_R(to, r, columns, size, start)`: the numbers of each `size` columns of a row are replaced by
/// their reduction, with combine_R. A group is a warp's.
inline std::string reduction_of_groups(int reg) {
    std::string const r = std::to_string(reg);
    std::string text("__device__ inline void over_groups_");
    text.append(r).append(
        "(place const& to, size r, unsigned int columns, unsigned int size_of, number start) {\n"
        "    unsigned int const lane = threadIdx.x % 32, warps = blockDim.x / 32;\n"
        "    __syncthreads();\n"
        "    for (unsigned int first = threadIdx.x / 32 * size_of; first < columns; first += warps * "
        "size_of) {\n"
        "        number z = start;\n"
        "        for (unsigned int c = lane; c < size_of; c += 32)\n"
        "            z = combine_");
    text.append(r).append("(z, widened(*at(to, r, first + c)));\n"
                          "        for (unsigned int step = 16; step > 0; step /= 2) {\n"
                          "            number const other = __shfl_down_sync(0xffffffffu, z, step);\n"
                          "            if (lane + step < size_of)\n"
                          "                z = combine_");
    text.append(r).append("(z, other);\n"
                          "        }\n"
                          "        z = __shfl_sync(0xffffffffu, z, 0);\n"
                          "        for (unsigned int c = lane; c < size_of; c += 32)\n"
                          "            *at(to, r, first + c) = rounded(z);\n"
                          "    }\n"
                          "    __syncthreads();\n"
                          "}\n");
    return text;
}

} // namespace sluice::detail
