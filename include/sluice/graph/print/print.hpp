// SPDX-License-Identifier: BSL-1.0
// print: the equations as text, as LaTeX (an aligned environment), and the graph in Graphviz's DOT language.
// All of them can be constant expressions.
//
//   r = sigmoid(x W_r + h R_r + b_r)         . is elementwise, matrices stand next to what they multiply,
//   i = x (x) W_i                            (x) is a product over feature groups
//   y = [x, h] W_y^T                         side by side, and transposed
//   z = y[units : 2 units]                   a slice
//   d(W_y) = outer(v1, [x, h])               a gradient; d(output) and d(next(h)) are given to it
//
// In a gradient v1, v2, ... are values that are used twice.
#pragma once

#include <sluice/graph/print/notation.hpp>

namespace sluice {
namespace detail {

constexpr void write_escaped_for_dot(text& out, std::string_view letters) {
    for (char c : letters)
        if (c == '\n')
            out << "\\n";
        else
            out << (c == '"' || c == '\\' ? "\\" : "") << c;
}

/// Nodes that are written for the results.
constexpr list<bool> find_live(printer const& p) {
    list<bool> live(p.g.size());
    for (definition const& d : p.g.results)
        live[d.at] = true;
    for (int i = p.g.size() - 1; i >= 0; --i)
        for (int o : p.operands_of(i))
            live[o] = live[o] || live[i];
    return live;
}

/// Whether node i is written as a word.
constexpr bool has_short_text(printer const& p, int i) {
    return is_leaf(p.g[i].kind) || p.line_of[i] >= 0;
}

/// The lines of a gradient that starts at the node `given`: what the equations define, each gradient of a
/// leaf, and what is used twice.
constexpr void add_lines_of_gradient(printer& p, int given) {
    list<bool> const live = find_live(p);
    list<int> uses(p.g.size());
    for (int i = given; i < p.g.size(); ++i)
        for (int o : p.operands_of(i))
            uses[o] += live[i];
    for (definition const& d : p.g.results)
        if (d.kind == role::gradient && d.at >= given)
            p.add_line(d);
    int numbered = 0;
    for (int i = 0; i < p.g.size(); ++i) {
        bool const short_enough = is_leaf(p.g[i].kind) || p.is_name(i) || p.matrix_of_slice(i) >= 0 ||
                                  (p.g[i].kind == op::transpose && is_leaf(p.g[p.g.operand(i)].kind)) ||
                                  (p.g[i].kind == op::repeat && has_short_text(p, p.g.operand(i)));
        if (uses[i] > 1 && p.line_of[i] < 0 && !short_enough)
            p.add_line({.kind = role::gate, .called = -1, .at = i, .of = ++numbered});
    }
}

} // namespace detail

/// One line for each equation, as they were written, with these compound words. Of a differentiated graph:
/// each value in its order, then the gradients.
constexpr text print_equations(graph_view g, graph_view words, notation how) {
    detail::printer p(g, how);
    for (definition const& d : g.definitions)
        if (d.at >= 0)
            p.add_line(d);
    p.find_words(words);
    int given = 0;
    while (given < g.size() && g[given].kind != op::cotangent)
        ++given;
    bool const is_gradient = given < g.size();
    int const written = p.lines.size();
    if (is_gradient)
        detail::add_lines_of_gradient(p, given);

    p.out << (p.latex() ? "\\begin{aligned}\n" : "");
    for (int i = 0; i < g.size() && is_gradient; ++i)
        if (p.line_of[i] >= 0)
            p.write_line(p.line_of[i]);
    for (int line = 0; line < written; ++line)
        if (!is_gradient || p.line_of[p.lines[line].at] != line)
            p.write_line(line);
    for (definition const& d : g.results)
        if (d.kind == role::gradient && (p.line_of[d.at] < 0 || p.lines[p.line_of[d.at]].of != d.of))
            p.write_line(p.add_line(d));
    p.out << (p.latex() ? "\n\\end{aligned}\n" : "");
    return p.out;
}

/// The same with the words of the vocabulary, or with none in notation::expanded.
template <class Words = detail::compound_words<>>
constexpr text print_equations(graph_view g, notation how = notation::text) {
    return print_equations(g, how == notation::expanded ? graph_view{} : constant_of<Words>::value, how);
}

/// The graph as a digraph: leaves are boxes, definitions carry their names, words stand for what they are
/// made of; where the order of operands matters the arrows have numbers.
constexpr text print_dot(graph_view g, graph_view words) {
    detail::printer p(g, notation::text);
    for (definition const& d : g.definitions)
        if (d.at >= 0)
            p.add_line(d);
    p.find_words(words);
    list<bool> const read = p.find_read();
    text& out = p.out;
    out << "digraph cell {\n  rankdir=LR;\n";
    for (int i = 0; i < g.size(); ++i) {
        if (!read[i] && p.line_of[i] < 0) // a part of a word
            continue;
        node const& n = g[i];
        detail::word_use const& word = p.words[i];
        bool const is_same = p.is_name_of_leaf(i), is_box = is_leaf(n.kind) || is_same;
        text label;
        for (definition const& d : g.definitions)
            if (d.at == i && !is_leaf(n.kind))
                label << (d.kind == role::next ? "next " : "") << g.names[d.called].view() << ": ";
        if (word.word >= 0)
            label << p.called(word);
        else if (is_leaf(n.kind) || is_same) {
            detail::printer name(g, notation::text);
            name.leaf(is_same ? word.operands[0] : i);
            label << name.out;
        } else if (about(n.kind).has_function) {
            operation_row const& row = g.operations[n.function];
            label << (row.sign.view().empty() ? row.called.view() : row.sign.view());
        } else
            label << (n.kind == op::product ? "*" : n.kind == op::transpose ? "T" : about(n.kind).word);
        out << "  n" << i << " [label=\"";
        detail::write_escaped_for_dot(out, label);
        out << (is_box ? "\", shape=box];\n" : "\"];\n");
        view<int> const operands = is_same ? view<int>{} : p.operands_of(i);
        bool const ordered =
            word.word >= 0 || about(n.kind).is_ordered || (n.kind == op::pointwise && !p.commutes(i));
        for (int k = 0; k < operands.size(); ++k) {
            out << "  n" << operands[k] << " -> n" << i;
            if (operands.size() > 1 && ordered)
                out << " [label=\"" << k + 1 << "\"]";
            out << ";\n";
        }
    }
    out << "}\n";
    return out;
}
template <class Words = detail::compound_words<>>
constexpr text print_dot(graph_view g) {
    return print_dot(g, constant_of<Words>::value);
}

} // namespace sluice
