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
//
// A block of matrix values has a thread for each of their numbers. The first of them also make its sums: each
// computes again what it sums over, from the first to the last.
#pragma once

#include <cstddef>
#include <sluice/source/row_function_source.hpp>
#include <sluice/source/source_scalar.hpp>
#include <string>
#include <vector>

namespace sluice {

/// What the launcher of a generated kernel has to know of its text. `frame` is, without a gap,
///
///   place in[loads], out[stores]                  {address, row, width, group}: 8 bytes each
///   size rows, columns, piece                     8 bytes each
///   size groups, height, width                    of `has_matrices`: of a row of matrix values
///   size counts[counts]
///   number numbers[loads]                         of `has_numbers`: a load without an address
struct source_layout {
    int loads = 0;
    int stores = 0;
    std::vector<int> counts{};  ///< the instructions that ask how many features there are
    bool has_numbers = false;   ///< settings are no numbers in memory
    bool has_reduction = false; ///< or a function of a whole row: a row is a block of threads
    bool has_matrices = false;  ///< vectors stand in matrix values, or are sums over them
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
class block_printer : row_function_printer<Number> {
public:
    block_printer(plan_view const& p, int k, traced_functions<Number> const& functions, std::size_t bytes,
                  bool has_numbers)
        : base(p, k, functions) {
        layout.loads = loads_;
        layout.stores = block_.stores.count;
        layout.has_numbers = has_numbers;
        layout.has_reduction = block_.waits_for_row();
        int wide = 0;
        for (block_load const& load : block_.loads)
            wide += load.per_row ? 0 : 1;
        for (block_store const& store : block_.stores)
            wide += store.per_row ? 0 : 1;
        layout.counts = base::counts_;
        // Of each operand 4 registers of 32 bits are in use at a time. A thread has 255, or 128 where four
        // blocks of threads are to run at a time; told nothing, ptxas spills some registers to let more run.
        at_a_time_ = wide <= 16 ? 4 : 2;
        layout.has_matrices = block_.has_standing();
        layout.packs = wide > 0 && wide <= 40 && !layout.has_matrices ? static_cast<int>(16 / bytes) : 1;
    }

    source_layout layout{};
    std::string print(char const* scalar) {
        text_ = "";
        text_ += "struct place {\n    stored* data;\n    size row, width, group;\n};\nstruct frame {\n";
        declare_array("place in", layout.loads);
        declare_array("place out", layout.stores);
        text_ += "    size rows, columns, piece;\n";
        text_ += layout.has_matrices ? "    size groups, height, width;\n" : "";
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
            if (kind_of(block_.code[i]) == instruction_kind::scan)
                print_step(i);
            else if (waits_for_row(block_.code[i].kind))
                print_reduction(i);
        text_ += "\ntemplate <int N>\n__device__ inline void run(frame const& f) {\n";
        if (layout.has_matrices)
            print_matrices();
        else if (layout.has_reduction)
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
    using base = row_function_printer<Number>;
    using base::block_, base::compute, base::functions_, base::line, base::loads_, base::print_elements,
        base::print_groups, base::print_reduction, base::print_scan, base::print_start, base::print_step,
        base::store_of, base::text_, base::value_text, base::with_operands;

    int at_a_time_ = 4; ///< blocks of threads

    void declare_array(char const* what, int count) {
        if (count > 0)
            line(1, what, "[", count, "];");
    }
    void print_row_loads(int depth) {
        for (int r = 0; r < loads_; ++r)
            if (block_.loads[r].per_row && layout.has_numbers)
                line(depth, "number const r", r, " = f.in[", r, "].data ? widened(f.in[", r,
                     "].data[r * f.in[", r, "].row]) : f.numbers[", r, "];");
            else if (block_.loads[r].per_row)
                line(depth, "number const r", r, " = widened(f.in[", r, "].data[r * f.in[", r, "].row]);");
    }
    void print_row_code(int stage, int depth) {
        block_.for_each(moment::before_columns, stage, [&](int i) { compute(i, depth); });
    }
    void print_row_stores(char const* condition, int depth) {
        bool any = false;
        for (int i = 0; i < layout.stores; ++i)
            if (block_.stores[i].per_row) {
                if (!any)
                    line(depth, "if (", condition, ") {");
                any = true;
                store_row(i, depth + 1);
            }
        if (any)
            line(depth, "}");
    }
    void store_row(int i, int depth) {
        line(depth, "f.out[", i, "].data[r * f.out[", i, "].row] = rounded(",
             value_text(block_.stores[i].from), ");");
    }

    /// Whether the last pass stores it for each column.
    bool is_stored_last(int i) const {
        block_store const& store = block_.stores[i];
        return !store.per_row && !(block_.is_row_function(store.from) && store_of(store.from) == i);
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
        block_.for_each(moment::over_columns, stage, [&](int i) {
            line(depth + 2, "s", loads_ + i, " = combine_", loads_ + i, "(s", loads_ + i, ", ",
                 value_text(block_.operand(i, 0)), ");");
        });
        for (int i = 0; i < layout.stores; ++i)
            if (is_stored(i))
                line(depth + 2, "o", i, ".of[n] = rounded(", value_text(block_.stores[i].from), ");");
        line(depth + 1, "}");
        for (int i = 0; i < layout.stores; ++i)
            if (is_stored(i))
                line(depth + 1, "*(pack<N>*)(at(f.out[", i, "], r, p) + c) = o", i, ";");
        line(depth, "}");
    }
    /// What a pass over the columns has to compute for its stores and the reductions of its stage.
    std::vector<bool> needed_in(bool stores, int stage) const {
        std::vector<bool> needed(static_cast<std::size_t>(block_.registers()));
        for (int i = 0; i < layout.stores; ++i)
            if (stores && is_stored_last(i))
                needed[static_cast<std::size_t>(block_.stores[i].from)] = true;
        block_.for_each(moment::over_columns, stage,
                        [&](int i) { needed[static_cast<std::size_t>(block_.operand(i, 0))] = true; });
        return with_operands(std::move(needed));
    }
    bool has_columns(bool stores, int stage) const {
        for (int i = 0; i < layout.stores; ++i)
            if (stores && is_stored_last(i))
                return true;
        return block_.has(moment::over_columns, stage);
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
        if (text_.find("number* part") != std::string::npos) // of what threads make together
            line(1, "__shared__ number part[32];");
        line(1, "unsigned int const columns = (unsigned int)f.columns, piece = (unsigned int)f.piece;");
        line(1, "size const r = blockIdx.x;");
        print_row_loads(1);
        for (int stage = 0; stage < block_.stages; ++stage) {
            print_row_code(stage, 1);
            block_.for_each(moment::over_columns, stage, [&](int i) { print_start(i, 1); });
            block_.for_each(moment::after_columns, stage, [&](int i) {
                kind_of(block_.code[i]) == instruction_kind::scan ? print_scan(i, 1) : print_groups(i, 1);
            });
            bool const last = stage == block_.stages - 1;
            if (has_columns(last, stage)) {
                line(1, "for (unsigned int p = 0; p < columns; p += piece)");
                print_columns(needed_in(last, stage), last, stage,
                              "for (unsigned int c = threadIdx.x * N; c < piece; c += blockDim.x * N) {", 2);
            }
            block_.for_each(moment::over_columns, stage, [&](int i) {
                line(1, "number const r", loads_ + i, " = over_row_", loads_ + i, "(s", loads_ + i,
                     ", part, (piece + N - 1) / N);");
            });
        }
        print_row_stores("threadIdx.x == 0", 1);
    }

    /// The needed registers of column k.
    void print_column(std::vector<bool> const& needed, int depth) {
        for (int r = 0; r < block_.registers(); ++r)
            if (!needed[static_cast<std::size_t>(r)] || block_.is_per_row(r))
                continue;
            else if (r >= loads_)
                compute(r - loads_, depth);
            else
                line(depth, "number const r", r, " = widened(*at(f.in[", r, "], r, ",
                     block_.loads[r].how == lies::as_wide      ? "k"
                     : block_.loads[r].how == lies::in_columns ? "k / width"
                                                               : "k / (height * width) * width + k % width",
                     "));");
    }
    /// Calls f(i) for the stores of columns that lie so.
    template <class F>
    bool for_stores(lies how, F f) const {
        bool any = false;
        for (int i = 0; i < layout.stores; ++i)
            if (!block_.stores[i].per_row && block_.stores[i].how == how) {
                f(i);
                any = true;
            }
        return any;
    }
    void print_numbers_of(lies how, char const* count, char const* of, char const* column) {
        std::vector<bool> needed(static_cast<std::size_t>(block_.registers()));
        if (!for_stores(how, [&](int i) { needed[static_cast<std::size_t>(block_.stores[i].from)] = true; }))
            return;
        bool const sums = how != lies::as_wide;
        line(1, "if (c < ", count, ") {");
        if (sums)
            for_stores(how, [&](int i) { line(2, "number s", i, " = 0;"); });
        if (sums)
            line(2, "for (unsigned int n = 0; n < ", of, "; ++n) {");
        int const depth = sums ? 3 : 2;
        line(depth, "unsigned int const k = ", column, ";");
        print_column(base::with_operands(std::move(needed)), depth);
        for_stores(how, [&](int i) {
            std::string const value = value_text(block_.stores[i].from);
            if (sums)
                line(3, "s", i, " += ", value, ";");
            else
                line(2, "*at(f.out[", i, "], r, k) = rounded(", value, ");");
        });
        if (sums)
            line(2, "}");
        if (sums)
            for_stores(how, [&](int i) { line(2, "*at(f.out[", i, "], r, c) = rounded(s", i, ");"); });
        line(1, "}");
    }
    void print_matrices() {
        line(1, "unsigned int const groups = (unsigned int)f.groups, height = (unsigned int)f.height;");
        line(1, "unsigned int const width = (unsigned int)f.width;");
        line(1, "unsigned int const c = blockIdx.y * blockDim.x + threadIdx.x;");
        line(1, "size const r = (size)blockIdx.x * blockDim.y + threadIdx.y;");
        line(1, "if (r >= f.rows)");
        line(2, "return;");
        print_row_loads(1);
        print_row_code(0, 1);
        print_row_stores("c == 0", 1);
        print_numbers_of(lies::as_wide, "groups * height * width", "", "c");
        print_numbers_of(lies::in_rows, "groups * width", "height",
                         "(c / width * height + n) * width + c % width");
        print_numbers_of(lies::in_columns, "groups * height", "width", "c * width + n");
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

namespace detail {
/// Block k, whatever the functions are: what a compiled runtime has of it.
template <class S>
[[gnu::cold]] printed_kernel print_kernel(plan_view const& p, int k,
                                          traced_functions<arithmetic_of<S>> const& functions) {
    block_printer<arithmetic_of<S>> printer(p, k, functions, sizeof(S), !is_own_arithmetic<S>);
    std::string text = printer.print(source_scalar<S>::text);
    return {std::move(text), std::move(printer.layout)};
}
} // namespace detail

/// Block k of a plan whose functions are Operations, for numbers that are kept as an S.
template <class Operations, class S>
printed_kernel kernel_source(plan_view const& p, int k) {
    static_assert(source_scalar<S>::is_known,
                  "sluice: kernels of a CUDA device keep numbers as float, double, sluice::half or "
                  "sluice::bfloat16, and the scalar of the cell is another");
    return detail::print_kernel<S>(p, k, detail::traced_functions_of<Operations, arithmetic_of<S>>());
}

} // namespace sluice
