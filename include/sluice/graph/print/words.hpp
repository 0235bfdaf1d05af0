// SPDX-License-Identifier: BSL-1.0
// Words of the vocabulary that are made of others, such as softmax(z): where they stand in a graph, so that
// print shows the word. The passes know nothing of them. The table below says what each word is made of by
// the word itself.
#pragma once

#include <sluice/graph/flatten.hpp>

namespace sluice {
namespace detail {

/// A node that is a word of these operands, of all features or of those of each of so many groups.
struct word_use {
    static constexpr int most_operands = 4;
    static constexpr int none = -1, same = -2; ///< `same`: its operand as it is

    int word = none; ///< the number of its definition in the table
    int groups = open_axis;
    int count = 0;
    int operands[most_operands]{-1, -1, -1, -1};

    constexpr explicit operator bool() const { return word != none; }
    constexpr view<int> all_operands() const { return {operands, count}; }
};

/// Finds words in a graph.
struct word_finder {
    graph_view g;
    graph_view words;
    list<bool> const& closed; ///< nodes of g that are no part of a word
    list<int> rows{};         ///< operation of the words -> that of g, or -1
    word_use found{};
    int root = -1;

    constexpr word_finder(graph_view in, graph_view table, list<bool> const& no_parts)
        : g(in), words(table), closed(no_parts), rows(table.operations.size(), -1) {
        for (int w = 0; w < rows.size(); ++w)
            for (int r = 0; r < g.operations.size(); ++r)
                if (same_operation(words.operations[w], g.operations[r]))
                    rows[w] = r;
    }

    constexpr word_use find(int i) {
        root = i;
        for (int d = 0; d < words.definitions.size(); ++d) {
            found = {.word = d};
            if (matches(words.definitions[d].at, i)) {
                while (found.count < word_use::most_operands && found.operands[found.count] >= 0)
                    ++found.count;
                return found;
            }
        }
        if (words.size() > 0 && is_number_of_row(i))
            return {.word = word_use::same,
                    .groups = no_axis,
                    .count = 1,
                    .operands = {g.operand(i), -1, -1, -1}};
        return {};
    }

private:
    static constexpr bool same_operation(operation_row const& a, operation_row const& b) {
        return a.called == b.called && a.kind == b.kind && a.arity == b.arity && a.of_word == b.of_word;
    }
    /// One feature, as a number for each row.
    constexpr bool is_number_of_row(int i) const {
        node const& n = g[i];
        return n.kind == op::reduce && n.function == f_sum && g.is_one(g[g.operand(i)].shape.columns);
    }
    constexpr bool matches(int pattern, int i) {
        node const& p = words[pattern];
        node const& n = g[i];
        if (p.kind == op::input) { // stands for operand number `order`
            int& operand = found.operands[p.order];
            operand = operand < 0 ? i : operand;
            return operand == i;
        }
        bool const of_features = p.kind == op::reduce || p.kind == op::features;
        if ((i != root && closed[i]) || p.count != n.count || p.value != n.value ||
            (p.kind != n.kind && !(p.kind == op::reduce && n.kind == op::reduce_groups)) ||
            (p.function >= 0 && rows[p.function] != n.function) ||
            (of_features && found.groups != open_axis && found.groups != n.groups))
            return false;
        if (of_features)
            found.groups = n.groups;
        for (int k = 0; k < p.count; ++k)
            if (!matches(words.operand(pattern, k), g.operand(i, k)))
                return false;
        return true;
    }
};

/// The table: each word as a gate of that name. Of two forms the first one that fits is printed. It is a
/// template of the first operand, so that only programs that print make it.
template <int First = 0>
struct compound_words {
    using operations =
        operation_list<operation::add, operation::subtract, operation::multiply, operation::divide,
                       operation::sum, operation::square, operation::exp, operation::log, operation::rsqrt,
                       operation::length, operation::offset, operation::maximum, operation::minimum>;

    static constexpr auto make() {
        using namespace equation;
        constexpr operand_term<First> z{};
        constexpr operand_term<First + 1> a{};
        constexpr operand_term<First + 2> b{};
        constexpr operand_term<First + 3> epsilon{};
        return flatten<operations>(
            lines(gate<"mean"> = mean(z), gate<"variance"> = variance(z), gate<"norm"> = norm(z),
                  gate<"softmax"> = softmax(z), gate<"log_softmax"> = log_softmax(z),
                  gate<"layer_norm"> = layer_norm(z, a, b), gate<"layer_norm"> = layer_norm(z, a, b, epsilon),
                  gate<"rms_norm"> = rms_norm(z, a), gate<"rms_norm"> = rms_norm(z, a, b),
                  gate<"clip"> = clip(z, a, b)));
    }
};

} // namespace detail
} // namespace sluice
