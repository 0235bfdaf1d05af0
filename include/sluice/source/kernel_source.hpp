// SPDX-License-Identifier: BSL-1.0
// Prints a block of a plan as the source of a kernel, in the C++ that CUDA compiles at run time. The text
// depends on the plan, the functions and the scalar, and on no size: it is compiled once for all of them.
//
//   std::string const text = kernel_source<operations, float>(plan, k);
//
// It includes nothing, and defines
//
//   struct frame       where the operands lie, as source_layout below
//   block_scalar       runs the block, a column at a time
//   block_packed       the same with 16 bytes at a time; only where `packs` of the layout is more than 1
//
// A block without a reduction runs on a grid of (rows, columns, pieces) threads. In one with reductions a row
// is a block of 32, 64, ... threads, which pass over the columns once for each stage; elements that a later
// stage needs again are computed again, and all are stored in the last one. A function of the whole row has a
// pass of its own, which stores it where later stages read it. The order in which a reduction takes the
// columns depends on the number of threads and on nothing else.
#pragma once

#include <cstddef>
#include <sluice/source/block_code.hpp>
#include <sluice/source/row_function_source.hpp>
#include <sluice/source/source_scalar.hpp>
#include <string>
#include <vector>

namespace sluice {

/// What the launcher of a generated kernel has to know of its text. `frame` is, without a gap,
///
///   place in[loads], out[stores]                  {address, row, width, group}: 8 bytes each
///   size rows, columns, piece, counts[counts]     8 bytes each
///   number numbers[loads]                         of `has_numbers`: a load without an address
struct source_layout {
    int loads = 0;
    int stores = 0;
    std::vector<int> counts{};  ///< the instructions that ask how many features there are
    bool has_numbers = false;   ///< settings are no numbers in memory
    bool has_reduction = false; ///< or a function of a whole row: a row is a block of threads
    int packs = 1;              ///< columns of 16 bytes
};

namespace detail {

/// Before a text that names it.
inline constexpr char const* infinity_text = R"(#ifdef __CUDA_ARCH__
#define infinity ((number)__int_as_float(0x7f800000))
#else
#define infinity ((number)__builtin_huge_val())
#endif
)";
/// A text with what its literals need.
inline std::string with_infinity(std::string text) {
    return text.find("infinity") == std::string::npos ? text : infinity_text + text;
}

template <class Number>
class block_printer : block_code<Number> {
public:
    block_printer(plan_view const& p, int k, traced_functions<Number> const& functions, std::size_t bytes,
                  bool has_numbers)
        : base(p, k, functions) {
        layout.loads = loads_;
        layout.stores = block_.stores.count;
        layout.has_numbers = has_numbers;
        int wide = 0;
        for (int i = 0; i < loads_; ++i)
            wide += load(i).per_row ? 0 : 1;
        for (int i = 0; i < layout.stores; ++i)
            wide += store(i).per_row ? 0 : 1;
        for (int i = 0; i < block_.code.count; ++i)
            layout.has_reduction =
                layout.has_reduction || code(i).kind == op::reduce || is_row_function(code(i).kind);
        layout.counts = base::counts_;
        // Of each operand 4 registers of 32 bits are in use at a time. A thread has 255, or 128 where four
        // blocks of threads are to run at a time; told nothing, ptxas spills some registers to let more run.
        at_a_time_ = wide <= 16 ? 4 : 2;
        layout.packs = wide > 0 && wide <= 40 ? static_cast<int>(16 / bytes) : 1;
    }

    source_layout layout{};
    std::string print(char const* scalar) {
        text_ = "";
        text_ += "struct place {\n    stored* data;\n    size row, width, group;\n};\nstruct frame {\n";
        declare_array("place in", layout.loads);
        declare_array("place out", layout.stores);
        text_ += "    size rows, columns, piece;\n";
        declare_array("size counts", static_cast<int>(layout.counts.size()));
        declare_array("number numbers", layout.has_numbers ? layout.loads : 0);
        text_ += "};\n"
                 "template <int N>\n"
                 "struct alignas(N * sizeof(stored)) pack {\n    stored of[N];\n};\n"
                 "__device__ inline stored* at(place const& o, size r, unsigned int c) {\n"
                 "    unsigned int const width = (unsigned int)o.width;\n"
                 "    return o.data + r * o.row + (c < width ? c : c / width * o.group + c % width);\n"
                 "}\n";
        for (int i = 0; i < block_.code.count; ++i)
            if (code(i).kind == op::reduce || code(i).kind == op::reduce_groups)
                print_reduction(i);
        for (op const kind : {op::prefix_sum, op::suffix_sum})
            for (int i = 0, done = 0; i < block_.code.count && done == 0; ++i)
                if (code(i).kind == kind && ++done > 0)
                    text_ += sum_of_other_threads(kind == op::prefix_sum);
        text_ += "\ntemplate <int N>\n__device__ inline void run(frame const& f) {\n";
        if (layout.has_reduction)
            print_rows();
        else
            print_elements();
        text_ += "}\n\n";
        print_entry("block_scalar", 1);
        if (layout.packs > 1)
            print_entry("block_packed", layout.packs);
        std::string whole(scalar);
        whole += "typedef unsigned long long size;\n";
        if (text_.find("infinity") != std::string::npos)
            whole += infinity_text;
        return whole += text_;
    }

private:
    using base = block_code<Number>;
    using base::block_, base::code, base::compute, base::functions_, base::line, base::load, base::loads_,
        base::operand, base::store, base::text_, base::value_text, base::is_per_row;

    int at_a_time_ = 4; ///< blocks of threads

    void declare_array(char const* what, int count) {
        if (count > 0)
            line(1, what, "[", count, "];");
    }
    void print_reduction(int i) {
        int const r = loads_ + i;
        line(0, "\n__device__ inline number combine_", r, "(number a, number b) {");
        sluice::print(functions_.combine(code(i).function, traced<Number>("a"), traced<Number>("b")), "y",
                      text_, "    ");
        line(1, "return y;");
        line(0, "}");
        text_ += code(i).kind == op::reduce_groups ? reduction_of_groups(r) : reduction_of_row(r);
    }

    void print_row_loads(int depth) {
        for (int r = 0; r < loads_; ++r)
            if (load(r).per_row && layout.has_numbers)
                line(depth, "number const r", r, " = f.in[", r, "].data ? widened(f.in[", r,
                     "].data[r * f.in[", r, "].row]) : f.numbers[", r, "];");
            else if (load(r).per_row)
                line(depth, "number const r", r, " = widened(f.in[", r, "].data[r * f.in[", r, "].row]);");
    }
    void print_row_code(int stage, int depth) {
        for (int i = 0; i < block_.code.count; ++i)
            if (code(i).kind != op::reduce && code(i).per_row && code(i).stage == stage)
                compute(i, depth);
    }
    void print_row_stores(char const* condition, int depth) {
        bool any = false;
        for (int i = 0; i < layout.stores; ++i)
            if (store(i).per_row) {
                if (!any)
                    line(depth, "if (", condition, ") {");
                any = true;
                store_row(i, depth + 1);
            }
        if (any)
            line(depth, "}");
    }
    void store_row(int i, int depth) {
        line(depth, "f.out[", i, "].data[r * f.out[", i, "].row] = rounded(", value_text(store(i).from),
             ");");
    }

    bool is_of_row(int r) const { return r >= loads_ && is_row_function(code(r - loads_).kind); }
    /// Where a function of the row is stored first.
    int store_of(int r) const {
        int i = 0;
        while (store(i).from != r || store(i).per_row)
            ++i;
        return i;
    }
    /// Whether the last pass stores it for each column.
    bool is_stored_last(int i) const {
        return !store(i).per_row && !(is_of_row(store(i).from) && store_of(store(i).from) == i);
    }

    /// The beginning of a loop over the columns of a pack, with the needed registers.
    void print_elements(std::vector<bool> const& needed, int depth) {
        auto const is_needed = [&](int r) { return needed[static_cast<std::size_t>(r)] && !is_per_row(r); };
        for (int r = 0; r < loads_; ++r)
            if (is_needed(r))
                line(depth, "pack<N> const i", r, " = *(pack<N> const*)(at(f.in[", r, "], r, p) + c);");
        for (int r = loads_; r < loads_ + block_.code.count; ++r)
            if (is_needed(r) && is_of_row(r))
                line(depth, "pack<N> const i", r, " = *(pack<N> const*)(at(f.out[", store_of(r),
                     "], r, p) + c);");
        line(0, "#pragma unroll");
        line(depth, "for (int n = 0; n < N; ++n) {");
        for (int r = 0; r < loads_ + block_.code.count; ++r)
            if (is_needed(r) && (r < loads_ || is_of_row(r)))
                line(depth + 1, "number const r", r, " = widened(i", r, ".of[n]);");
            else if (is_needed(r))
                compute(r - loads_, depth + 1);
    }

    /// One pass over the columns of row r: `needed` says which registers it has to compute for each.
    void print_columns(std::vector<bool> const& needed, bool stores, int stage, char const* columns,
                       int depth) {
        auto const is_stored = [&](int i) { return stores && is_stored_last(i); };
        line(depth, columns);
        for (int i = 0; i < layout.stores; ++i)
            if (is_stored(i))
                line(depth + 1, "pack<N> o", i, ";");
        print_elements(needed, depth + 1);
        for (int i = 0; i < block_.code.count; ++i)
            if (code(i).kind == op::reduce && code(i).stage == stage)
                line(depth + 2, "s", loads_ + i, " = combine_", loads_ + i, "(s", loads_ + i, ", ",
                     value_text(operand(i, 0)), ");");
        for (int i = 0; i < layout.stores; ++i)
            if (is_stored(i))
                line(depth + 2, "o", i, ".of[n] = rounded(", value_text(store(i).from), ");");
        line(depth + 1, "}");
        for (int i = 0; i < layout.stores; ++i)
            if (is_stored(i))
                line(depth + 1, "*(pack<N>*)(at(f.out[", i, "], r, p) + c) = o", i, ";");
        line(depth, "}");
    }
    /// The pass of a cumulative sum over row r. Each thread adds up its own columns after the sums of the
    /// others.
    void print_cumulative(int i, int depth) {
        int const r = loads_ + i, to = store_of(r);
        bool const front = code(i).kind == op::prefix_sum;
        std::vector<bool> needed(static_cast<std::size_t>(r + 1));
        needed[static_cast<std::size_t>(operand(i, 0))] = true;
        line(depth, "number s", r, " = 0;");
        line(depth, "for (unsigned int q = 0; q < columns; q += piece)");
        line(depth + 1, "for (unsigned int k = 0; k < piece; k += blockDim.x * N) {");
        line(depth + 2, "unsigned int const p = ", front ? "q;" : "columns - piece - q;");
        line(depth + 2, "unsigned int const c = threadIdx.x * N + ",
             front ? "k;" : "(piece - 1) / (blockDim.x * N) * (blockDim.x * N) - k;");
        line(depth + 2, "number z[N] = {}, mine = 0, all;");
        line(depth + 2, "if (c < piece) {");
        print_elements(with_operands(needed), depth + 3);
        line(depth + 4, "z[n] = ", value_text(operand(i, 0)), ";");
        line(depth + 4, "mine = mine + z[n];");
        line(depth + 3, "}");
        line(depth + 2, "}");
        line(depth + 2, "number sum = s", r, " + sum_", front ? "before" : "behind", "(mine, part, all);");
        line(depth + 2, "s", r, " = s", r, " + all;");
        line(depth + 2, "if (c < piece) {");
        line(depth + 3, "pack<N> o;");
        line(0, "#pragma unroll");
        line(depth + 3, "for (int k = 0; k < N; ++k) {");
        line(depth + 4, "int const n = ", front ? "k;" : "N - 1 - k;");
        line(depth + 4, "sum = sum + z[n];");
        line(depth + 4, "o.of[n] = rounded(sum);");
        line(depth + 3, "}");
        line(depth + 3, "*(pack<N>*)(at(f.out[", to, "], r, p) + c) = o;");
        line(depth + 2, "}");
        line(depth + 1, "}");
    }
    /// The passes of a reduction within groups over row r: what is reduced is stored, each warp reduces its
    /// groups, and puts the results into their places.
    void print_groups(int i, int depth) {
        int const r = loads_ + i, to = store_of(r);
        std::vector<bool> needed(static_cast<std::size_t>(r + 1));
        needed[static_cast<std::size_t>(operand(i, 0))] = true;
        line(depth, "for (unsigned int p = 0; p < columns; p += piece)");
        line(depth + 1, "for (unsigned int c = threadIdx.x * N; c < piece; c += blockDim.x * N) {");
        line(depth + 2, "pack<N> o;");
        print_elements(with_operands(needed), depth + 2);
        line(depth + 3, "o.of[n] = rounded(", value_text(operand(i, 0)), ");");
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
        sluice::print(functions_.start(code(i).function), started, text_,
                      std::string(static_cast<std::size_t>(depth) * 4, ' '));
        line(depth, "number s", r, " = ", started, ";");
    }
    /// With what has to be computed in the same pass for them.
    std::vector<bool> with_operands(std::vector<bool> needed) const {
        needed.resize(static_cast<std::size_t>(loads_ + block_.code.count));
        for (int i = block_.code.count; i-- > 0;)
            if (int const r = loads_ + i;
                needed[static_cast<std::size_t>(r)] && !is_per_row(r) && !is_of_row(r))
                for (int k = 0; k < code(i).operands.count; ++k)
                    needed[static_cast<std::size_t>(operand(i, k))] = true;
        return needed;
    }
    /// What a pass over the columns has to compute for its stores and the reductions of its stage.
    std::vector<bool> needed_in(bool stores, int stage) const {
        std::vector<bool> needed(static_cast<std::size_t>(loads_ + block_.code.count));
        for (int i = 0; i < layout.stores; ++i)
            if (stores && is_stored_last(i))
                needed[static_cast<std::size_t>(store(i).from)] = true;
        for (int i = 0; i < block_.code.count; ++i)
            if (code(i).kind == op::reduce && code(i).stage == stage)
                needed[static_cast<std::size_t>(operand(i, 0))] = true;
        return with_operands(std::move(needed));
    }
    bool has_columns(bool stores, int stage) const {
        for (int i = 0; i < layout.stores; ++i)
            if (stores && is_stored_last(i))
                return true;
        for (int i = 0; i < block_.code.count; ++i)
            if (code(i).kind == op::reduce && code(i).stage == stage)
                return true;
        return false;
    }

    void print_elements() {
        if (has_columns(true, 0))
            line(1, "unsigned int const columns = (unsigned int)f.columns, piece = (unsigned int)f.piece;");
        line(1, "unsigned int const c = (blockIdx.y * blockDim.x + threadIdx.x) * N;");
        line(1, "size const r = (size)blockIdx.x * blockDim.y + threadIdx.y;");
        line(1, "if (r >= f.rows)");
        line(2, "return;");
        print_row_loads(1);
        print_row_code(0, 1);
        print_row_stores("c == 0 && blockIdx.z == 0", 1);
        if (has_columns(true, 0)) {
            line(1, "for (unsigned int p = blockIdx.z * piece; p < columns; p += gridDim.z * piece)");
            print_columns(needed_in(true, 0), true, 0, "if (c < piece) {", 2);
        }
    }

    void print_rows() {
        if (text_.find("number* part") != std::string::npos) // of sums that threads make together
            line(1, "__shared__ number part[32];");
        line(1, "unsigned int const columns = (unsigned int)f.columns, piece = (unsigned int)f.piece;");
        line(1, "size const r = blockIdx.x;");
        print_row_loads(1);
        for (int stage = 0; stage < block_.stages; ++stage) {
            print_row_code(stage, 1);
            for (int i = 0; i < block_.code.count; ++i)
                if (code(i).kind == op::reduce && code(i).stage == stage)
                    print_start(i, 1);
            for (int i = 0; i < block_.code.count; ++i)
                if (is_of_row(loads_ + i) && code(i).stage == stage)
                    code(i).kind == op::reduce_groups ? print_groups(i, 1) : print_cumulative(i, 1);
            bool const last = stage == block_.stages - 1;
            if (has_columns(last, stage)) {
                line(1, "for (unsigned int p = 0; p < columns; p += piece)");
                print_columns(needed_in(last, stage), last, stage,
                              "for (unsigned int c = threadIdx.x * N; c < piece; c += blockDim.x * N) {", 2);
            }
            for (int i = 0; i < block_.code.count; ++i)
                if (code(i).kind == op::reduce && code(i).stage == stage)
                    line(1, "number const r", loads_ + i, " = over_row_", loads_ + i, "(s", loads_ + i,
                         ", part, (piece + N - 1) / N);");
        }
        print_row_stores("threadIdx.x == 0", 1);
    }

    void print_entry(char const* name, int packs) {
        line(0, "extern \"C\" __global__ void __launch_bounds__(128, ", at_a_time_, ") ", name,
             "(const __grid_constant__ frame f) {");
        line(1, "run<", packs, ">(f);");
        line(0, "}");
    }
};

} // namespace detail

/// The text and what goes with it.
struct printed_kernel {
    std::string text{};
    source_layout layout{};
};

/// Block k of a plan whose functions are Operations, for numbers that are kept as an S.
template <class Operations, class S>
printed_kernel kernel_source(plan_view const& p, int k) {
    static_assert(source_scalar<S>::is_known,
                  "sluice: kernels of a CUDA device keep numbers as float, double, sluice::half or "
                  "sluice::bfloat16, and the scalar of the cell is another");
    using number = arithmetic_of<S>;
    detail::block_printer<number> printer(p, k, detail::traced_functions_of<Operations, number>(), sizeof(S),
                                          !is_own_arithmetic<S>);
    std::string text = printer.print(source_scalar<S>::text);
    return {std::move(text), std::move(printer.layout)};
}

} // namespace sluice
