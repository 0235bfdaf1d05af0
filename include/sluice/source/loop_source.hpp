// SPDX-License-Identifier: BSL-1.0
// Prints the whole loop of a plan as the source of one kernel, where no product is in it: each thread runs
// all time steps of one feature of one row, and holds what it carries in registers. Such are the SRU, the
// QRNN and the minGRU, and their gradients.
//
//   std::optional<printed_loop> const loop = loop_source<operations, float>(plan);
//
// The text defines `frame` and the kernel `block_scalar`, as source/kernel_source.hpp does. Threads do not
// wait for each other, so a thread may read nothing that another one writes: blocks with reductions, or with
// numbers of a row that they store, are refused here; overlapping_columns (backend/loop_frame.hpp) finds the
// rest where the addresses are known.
#pragma once

#include <algorithm>
#include <optional>
#include <sluice/source/kernel_source.hpp>

namespace sluice {

/// `operands` of the frame are, of each block of the loop in its order, loads before stores:
///
///   place at[operands]                            {address, time, row, width, group, shift, slots}, 8 bytes
///   size rows, columns, piece, steps, backward, counts[counts]
///   number numbers[operands]                      of `has_numbers`
struct printed_loop {
    struct count {
        int block;
        int instruction;
    };
    std::string text{};
    int operands = 0;
    std::vector<count> counts{};
    bool has_numbers = false;
};

namespace detail {

/// The blocks of a loop that threads can run by themselves; none where there are others, or other work.
inline std::vector<int> blocks_of_own_columns(plan_view const& p) {
    std::vector<int> found;
    for (task const& t : p.tasks) {
        if (t.when != phase::loop)
            continue;
        if (t.kind != task_kind::block)
            return {};
        planned_block const& block = p.blocks[t.block];
        if (!block.row || !block.time || !block_walk(p, t.block).is_elementwise() ||
            (!found.empty() && p.blocks[found.front()].columns != block.columns))
            return {};
        found.push_back(t.block);
    }
    return found;
}

template <class Number>
class loop_printer {
public:
    loop_printer(plan_view const& p, std::vector<int> blocks, traced_functions<Number> const& functions,
                 bool has_numbers)
        : p_(p), blocks_(std::move(blocks)), functions_(functions) {
        made.has_numbers = has_numbers;
        for (int const k : blocks_)
            for (block_store const& s : block_walk(p_, k).stores)
                stored_.push_back(s.node);
    }

    printed_loop made{};

    void print(char const* scalar) {
        std::string body;
        for (int const k : blocks_)
            print_block(k, body);
        std::string& text = made.text = scalar;
        text += "typedef unsigned long long size;\n";
        if (body.find("infinity") != std::string::npos)
            text += infinity_text;
        text += "struct place {\n    stored* data;\n    size time, row, width, group, shift, slots;\n};\n"
                "struct frame {\n";
        append({"    place at[", made.operands, "];\n    size rows, columns, piece, steps, backward;\n"},
               text);
        if (!made.counts.empty())
            append({"    size counts[", made.counts.size(), "];\n"}, text);
        if (made.has_numbers)
            append({"    number numbers[", made.operands, "];\n"}, text);
        text += R"(};
__device__ inline stored* at(place const& o, size r, unsigned int p, unsigned int c) {
    unsigned int const width = (unsigned int)o.width;
    return o.data + r * o.row + (p < width ? p : p / width * o.group + p % width) + c;
}
__device__ inline size step(place const& o, unsigned int t) {
    unsigned int const slot = t + (unsigned int)o.shift, slots = (unsigned int)o.slots;
    return (slots == 0 ? slot : slot % slots) * o.time;
}

extern "C" __global__ void __launch_bounds__(128, 2) block_scalar(const __grid_constant__ frame f) {
    unsigned int const columns = (unsigned int)f.columns, piece = (unsigned int)f.piece;
    unsigned int const c = blockIdx.y * blockDim.x + threadIdx.x;
    size const r = (size)blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= f.rows || c >= piece)
        return;
    for (unsigned int p = blockIdx.z * piece; p < columns; p += gridDim.z * piece) {
)";
        text += before_;
        text += "        unsigned int const steps = (unsigned int)f.steps;\n"
                "        for (unsigned int k = 0; k < steps; ++k) {\n"
                "            unsigned int const t = f.backward ? steps - 1 - k : k;\n";
        text += body;
        text += behind_;
        text += "        }\n    }\n}\n";
    }

private:
    plan_view const& p_;
    std::vector<int> blocks_;
    traced_functions<Number> functions_;
    std::vector<int> stored_{};     ///< nodes, by all blocks
    std::vector<int> is_there_{};   ///< nodes whose value of this step stands in a register already
    std::vector<int> is_carried_{}; ///< leaves that stand in one from the first step on
    std::string before_{}, behind_{};

    static bool contains(std::vector<int> const& all, int node) {
        return std::find(all.begin(), all.end(), node) != all.end();
    }
    /// The result that a leaf carries and the loop stores, or -1.
    int carried_from(int leaf) const {
        for (carried_pair const& pair : p_.carried)
            if (pair.leaf == leaf && contains(stored_, pair.result))
                return pair.result;
        return -1;
    }
    /// Whether a stored value is read from its register.
    bool is_read(int node) const {
        for (int const k : blocks_)
            for (block_load const& load : block_walk(p_, k).loads)
                if (load.node == node || carried_from(load.node) == node)
                    return true;
        return false;
    }

    void print_block(int k, std::string& body) {
        int& operand = made.operands;
        block_code<Number> code(p_, k, functions_, static_cast<int>(made.counts.size()));
        block_walk const& block = code.block_;
        auto const add = [&](std::string& to, int depth, std::initializer_list<sentence_part> parts) {
            to.append(static_cast<std::size_t>(depth) * 4, ' ');
            append(parts, to);
            to += '\n';
        };
        add(body, 3, {"{"});
        for (int i = 0; i < block.loads.count; ++i, ++operand) {
            int const node = block.loads[i].node;
            if (contains(is_there_, node)) {
                add(body, 4, {"number const r", i, " = v", node, ";"});
                continue;
            }
            bool const per_row = block.loads[i].per_row;
            add(before_, 2,
                {"stored* const a", operand, " = at(f.at[", operand, "], r, ", per_row ? "0, 0" : "p, c",
                 ");"});
            std::string value;
            append({"widened(a", operand, "[step(f.at[", operand, "], t)])"}, value);
            if (per_row && made.has_numbers) {
                std::string either;
                append({"f.at[", operand, "].data ? ", value, " : f.numbers[", operand, "]"}, either);
                value = std::move(either);
            }
            if (int const from = carried_from(node); from < 0)
                add(body, 4, {"number const r", i, " = ", value, ";"});
            else {
                add(body, 4, {"number const r", i, " = k == 0 ? ", value, " : c", node, ";"});
                if (!contains(is_carried_, node)) {
                    is_carried_.push_back(node);
                    add(before_, 2, {"number c", node, " = 0;"});
                    add(behind_, 3, {"c", node, " = v", from, ";"});
                }
            }
        }
        code.text_.clear();
        for (int i = 0; i < block.code.count; ++i)
            code.compute(i, 4);
        body += code.text_;
        for (int i = 0; i < block.stores.count; ++i, ++operand) {
            int const node = block.stores[i].node;
            add(before_, 2, {"stored* const a", operand, " = at(f.at[", operand, "], r, p, c);"});
            add(body, 4, {"stored const s", i, " = rounded(", code.value_text(block.stores[i].from), ");"});
            add(body, 4, {"a", operand, "[step(f.at[", operand, "], t)] = s", i, ";"});
            if (!is_read(node))
                continue;
            if (!contains(is_there_, node)) {
                is_there_.push_back(node);
                add(before_, 2, {"number v", node, " = 0;"});
            }
            add(body, 4, {"v", node, " = widened(s", i, ");"});
        }
        for (int const i : code.counts_)
            made.counts.push_back({k, i});
        add(body, 3, {"}"});
    }
};

/// The loop, whatever the functions are: what a compiled runtime has of it.
template <class S>
[[gnu::cold]] std::optional<printed_loop> print_loop(plan_view const& p,
                                                     traced_functions<arithmetic_of<S>> const& functions) {
    std::vector<int> blocks = blocks_of_own_columns(p);
    if (blocks.empty())
        return std::nullopt;
    loop_printer<arithmetic_of<S>> printer(p, std::move(blocks), functions, !is_own_arithmetic<S>);
    printer.print(source_scalar<S>::text);
    return std::move(printer.made);
}

} // namespace detail

/// The loop of a plan whose functions are Operations, for numbers that are kept as an S; none where threads
/// would have to wait for each other.
template <class Operations, class S>
std::optional<printed_loop> loop_source(plan_view const& p) {
    return detail::print_loop<S>(p, detail::traced_functions_of<Operations, arithmetic_of<S>>());
}

} // namespace sluice
