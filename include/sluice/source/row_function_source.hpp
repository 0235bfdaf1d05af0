// SPDX-License-Identifier: BSL-1.0
// What the threads of a block do together for functions of a whole row, as the text of device functions, and
// the passes of a kernel that call them.
#pragma once

#include <sluice/source/block_code.hpp>
#include <string>
#include <vector>

namespace sluice::detail {

/// `before_R(z, part, all, start)`: what the threads in front of this one make of their numbers z with
/// step_R, or of a reversed scan those after it; `all` becomes what all of them make. First of each warp,
/// then of the warps, which put their numbers into `part`.
inline std::string scan_of_other_threads(int reg, bool front) {
    std::string const step = "step_" + std::to_string(reg);
    std::string text("__device__ inline number before_" + std::to_string(reg));
    text.append(
        "(number z, number* part, number& all, number start) {\n"
        "    unsigned int const lane = threadIdx.x % 32, mine = threadIdx.x / 32, warps = blockDim.x / 32;\n"
        "    for (unsigned int step = 1; step < 32; step *= 2) {\n"
        "        number const other = ");
    char const* const shuffle =
        front ? "__shfl_up_sync(0xffffffffu, z, " : "__shfl_down_sync(0xffffffffu, z, ";
    text.append(shuffle).append("step);\n        z = ");
    text.append(front ? "lane >= step" : "lane + step < 32")
        .append(" ? ")
        .append(step)
        .append("(other, z) : z;\n    }\n    if (lane == ");
    text.append(front ? "31" : "0")
        .append(")\n        part[mine] = z;\n"
                "    __syncthreads();\n"
                "    number const of_warp = ");
    text.append(shuffle).append("1);\n"
                                "    number others = start;\n"
                                "    all = start;\n"
                                "    for (unsigned int k = 0; k < warps; ++k) {\n"
                                "        unsigned int const warp = ");
    text.append(front ? "k" : "warps - 1 - k")
        .append(";\n"
                "        others = warp == mine ? all : others;\n"
                "        all = ")
        .append(step)
        .append("(all, part[warp]);\n"
                "    }\n"
                "    __syncthreads();\n"
                "    return lane == ");
    return text.append(front ? "0" : "31")
        .append(" ? others : ")
        .append(step)
        .append("(others, of_warp);\n}\n");
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

/// Functions of a whole row, and what they need of the elements of a block.
template <class Number>
class row_function_printer : protected block_code<Number> {
protected:
    using base = block_code<Number>;
    using base::base, base::block_, base::compute, base::functions_, base::line, base::loads_, base::text_,
        base::value_text;

    void print_reduction(int i) {
        int const r = loads_ + i;
        line(0, "\n__device__ inline number combine_", r, "(number a, number b) {");
        sluice::print(functions_.combine(block_.code[i].function, traced<Number>("a"), traced<Number>("b")),
                      "y", text_, "    ");
        line(1, "return y;");
        line(0, "}");
        text_ += kind_of(block_.code[i]) == instruction_kind::groups ? reduction_of_groups(r)
                                                                     : reduction_of_row(r);
    }

    void print_step(int i) {
        int const r = loads_ + i;
        std::vector<traced<Number>> all{traced<Number>("before")};
        std::string z;
        for (int k = 0; k < block_.code[i].operands.count; ++k) {
            all.push_back(traced<Number>("z" + std::to_string(k)));
            append({", number z", k}, z);
        }
        auto const print_function = [&](char const* what, char const* first, traced<Number> const& made) {
            line(0, "\n__device__ inline number ", what, r, "(number ", first, z, ") {");
            sluice::print(made, "next", text_, "    ");
            line(1, "return next;");
            line(0, "}");
        };
        scan_row_of<Number> const row = functions_.row(block_.code[i].function);
        print_function("step_", "before", row.step(all.data()));
        if (row.associative)
            text_ += scan_of_other_threads(r, !row.reversed);
        else
            print_function("pass_on_", "before", row.pass_on(all.data()));
    }

    /// Where a function of the row is stored first.
    int store_of(int r) const {
        int i = 0;
        while (block_.stores[i].from != r || block_.stores[i].per_row)
            ++i;
        return i;
    }
    /// The beginning of a loop over the columns of a pack, with the needed registers.
    void print_elements(std::vector<bool> const& needed, int depth) {
        auto const is_needed = [&](int r) {
            return needed[static_cast<std::size_t>(r)] && !block_.is_per_row(r);
        };
        for (int r = 0; r < loads_; ++r)
            if (is_needed(r))
                line(depth, "pack<N> const i", r, " = *(pack<N> const*)(at(f.in[", r, "], r, p) + c);");
        for (int r = loads_; r < block_.registers(); ++r)
            if (is_needed(r) && block_.is_row_function(r))
                line(depth, "pack<N> const i", r, " = *(pack<N> const*)(at(f.out[", store_of(r),
                     "], r, p) + c);");
        line(0, "#pragma unroll");
        line(depth, "for (int n = 0; n < N; ++n) {");
        for (int r = 0; r < block_.registers(); ++r)
            if (is_needed(r) && (r < loads_ || block_.is_row_function(r)))
                line(depth + 1, "number const r", r, " = widened(i", r, ".of[n]);");
            else if (is_needed(r))
                compute(r - loads_, depth + 1);
    }

    /// The pass of a scan over row r, whose operands are computed where they stand.
    void print_scan(int i, int depth) {
        int const r = loads_ + i, to = store_of(r), operands = block_.code[i].operands.count;
        bool const front = !functions_.row(block_.code[i].function).reversed;
        bool const at_once = functions_.row(block_.code[i].function).associative;
        std::vector<bool> needed(static_cast<std::size_t>(r + 1));
        for (int k = 0; k < operands; ++k)
            needed[static_cast<std::size_t>(block_.operand(i, k))] = true;
        print_start(i, depth);
        std::string const stride = at_once ? "blockDim.x * N" : "32 * N";
        if (!at_once)
            line(depth, "if (threadIdx.x < 32)");
        line(depth, "for (unsigned int q = 0; q < columns; q += piece)");
        line(depth + 1, "for (unsigned int k = 0; k < piece; k += ", stride, ") {");
        line(depth + 2, "unsigned int const p = ", front ? "q;" : "columns - piece - q;");
        line(depth + 2, "unsigned int const at_k = ",
             front ? "k;" : "(piece - 1) / (" + stride + ") * (" + stride + ") - k;");
        line(depth + 2, "unsigned int const c = threadIdx.x * N + at_k;");
        for (int k = 0; k < operands; ++k)
            line(depth + 2, "number z", k, "[N] = {};");
        line(depth + 2, "if (c < piece) {");
        print_elements(with_operands(needed), depth + 3);
        for (int k = 0; k < operands; ++k)
            line(depth + 4, "z", k, "[n] = ", value_text(block_.operand(i, k)), ";");
        line(depth + 3, "}");
        line(depth + 2, "}");
        line(depth + 2, "pack<N> o;");
        at_once ? print_steps_at_once(i, depth + 2) : print_steps_in_turn(i, depth + 2);
        line(depth + 2, "if (c < piece)");
        line(depth + 3, "*(pack<N>*)(at(f.out[", to, "], r, p) + c) = o;");
        line(depth + 1, "}");
        if (!at_once)
            line(depth, "__syncthreads();");
    }
    /// Each thread makes its own columns of an associative scan, which go on from those of the others.
    void print_steps_at_once(int i, int depth) {
        int const r = loads_ + i;
        bool const front = !functions_.row(block_.code[i].function).reversed;
        line(depth, "number mine = s", r, "_start, all;");
        print_own_columns(depth, front, [&](int inner) {
            line(inner, "if (c < piece)");
            line(inner + 1, "mine = step_", r, "(mine, z0[n]);");
        });
        line(depth, "number so_far = step_", r, "(s", r, ", before_", r, "(mine, part, all, s", r,
             "_start));");
        line(depth, "s", r, " = step_", r, "(s", r, ", all);");
        print_own_columns(depth, front, [&](int inner) {
            line(inner, "so_far = step_", r, "(so_far, z0[n]);");
            line(inner, "o.of[n] = rounded(so_far);");
        });
    }
    /// The threads of a warp make their columns of a scan one after the other.
    void print_steps_in_turn(int i, int depth) {
        int const r = loads_ + i;
        bool const front = !functions_.row(block_.code[i].function).reversed;
        std::string z;
        for (int k = 0; k < block_.code[i].operands.count; ++k)
            append({", z", k, "[n]"}, z);
        line(depth, "for (unsigned int turn = 0; turn < 32; ++turn) {");
        line(depth + 1, "unsigned int const lane = ", front ? "turn;" : "31 - turn;");
        line(depth + 1, "number so_far = s", r, ";");
        print_own_columns(depth + 1, front, [&](int inner) {
            line(inner, "number const y = step_", r, "(so_far", z, ");");
            line(inner, "if (threadIdx.x == lane)");
            line(inner + 1, "o.of[n] = rounded(y);");
            line(inner, "so_far = pass_on_", r, "(y", z, ");");
        });
        line(depth + 1, "so_far = __shfl_sync(0xffffffffu, so_far, lane);");
        line(depth + 1, "s", r, " = lane * N + at_k < piece ? so_far : s", r, ";");
        line(depth, "}");
    }
    template <class Body>
    void print_own_columns(int depth, bool front, Body body) {
        line(0, "#pragma unroll");
        line(depth, "for (int v = 0; v < N; ++v) {");
        line(depth + 1, "int const n = ", front ? "v;" : "N - 1 - v;");
        body(depth + 1);
        line(depth, "}");
    }
    /// The passes of a reduction within groups over row r: what is reduced is stored, each warp reduces its
    /// groups, and puts the results into their places.
    void print_groups(int i, int depth) {
        int const r = loads_ + i, to = store_of(r);
        std::vector<bool> needed(static_cast<std::size_t>(r + 1));
        needed[static_cast<std::size_t>(block_.operand(i, 0))] = true;
        line(depth, "for (unsigned int p = 0; p < columns; p += piece)");
        line(depth + 1, "for (unsigned int c = threadIdx.x * N; c < piece; c += blockDim.x * N) {");
        line(depth + 2, "pack<N> o;");
        print_elements(with_operands(needed), depth + 2);
        line(depth + 3, "o.of[n] = rounded(", value_text(block_.operand(i, 0)), ");");
        line(depth + 2, "}");
        line(depth + 2, "*(pack<N>*)(at(f.out[", to, "], r, p) + c) = o;");
        line(depth + 1, "}");
        print_start(i, depth);
        line(depth, "over_groups_", r, "(f.out[", to, "], r, columns, (unsigned int)f.counts[",
             base::place_of_count(i), "], s", r, ");");
    }
    /// What a reduction begins with.
    void print_start(int i, int depth) {
        std::string const r = std::to_string(loads_ + i), started = "s" + r + "_start";
        sluice::print(functions_.start(block_.code[i].function), started, text_,
                      std::string(static_cast<std::size_t>(depth) * 4, ' '));
        line(depth, "number s", r, " = ", started, ";");
    }
    /// With what has to be computed in the same pass for them.
    std::vector<bool> with_operands(std::vector<bool> needed) const {
        needed.resize(static_cast<std::size_t>(block_.registers()));
        for (int i = block_.code.count; i-- > 0;)
            if (int const r = loads_ + i;
                needed[static_cast<std::size_t>(r)] && !block_.is_per_row(r) && !block_.is_row_function(r))
                for (int k = 0; k < block_.code[i].operands.count; ++k)
                    needed[static_cast<std::size_t>(block_.operand(i, k))] = true;
        return needed;
    }
};

} // namespace sluice::detail
