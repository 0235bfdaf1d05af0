// SPDX-License-Identifier: BSL-1.0
// How names, widths and expressions of a graph are written, as text or as LaTeX. What has a line is written
// by its name everywhere but there.
#pragma once

#include <sluice/core/text.hpp>
#include <sluice/graph/graph.hpp>
#include <sluice/graph/print/latex.hpp>
#include <sluice/graph/print/width_text.hpp>
#include <sluice/graph/print/words.hpp>

namespace sluice {

enum class notation : unsigned char {
    text,
    latex,
    expanded, ///< text in which words such as softmax(z) are written as what they are made of
};

namespace detail {

struct printer {
    graph_view g{};
    notation how = notation::text;
    text out{};
    list<definition> lines{}; ///< what has a name; a value without a name has a number, `of`
    list<int> line_of{};      ///< node -> its line, or -1
    list<word_use> words{};   ///< node -> the word that is written for it, or empty
    graph_view table{};       ///< of the words
    int current = -1;         ///< the line whose right side is being written
    bool first = true;        ///< no line has been written

    constexpr printer(graph_view from, notation n) : g(from), how(n), line_of(from.size(), -1) {}

    constexpr bool latex() const { return how == notation::latex; }

    /// The line of a definition; the first one of a node is its name everywhere else.
    constexpr int add_line(definition const& d) {
        int const line = lines.push_back(d);
        if (line_of[d.at] < 0 && d.kind != role::output && !is_leaf(g[d.at].kind))
            line_of[d.at] = line;
        return line;
    }
    /// Looks for words in what the lines so far are made of. What has a line is a part of a word only where
    /// another expression shows its name.
    constexpr void find_words(graph_view of) {
        table = of;
        list<bool> closed(g.size());
        word_finder finder(g, table, closed);
        words.resize(g.size());
        for (bool again = true; again;) {
            for (int i = 0; i < g.size(); ++i)
                words[i] = finder.find(i);
            again = false;
            list<bool> const read = find_read();
            for (int i = 0; i < g.size(); ++i)
                if (line_of[i] >= 0 && !read[i] && !closed[i])
                    closed[i] = again = true;
        }
    }
    /// The nodes that are read where words stand for what they are made of, and those that no other node
    /// reads.
    constexpr list<bool> find_read() const {
        list<bool> read(g.size(), true);
        for (int i = 0; i < g.size(); ++i)
            for (int o : g.operands_of(i))
                read[o] = false;
        for (int i = g.size() - 1; i >= 0; --i)
            if ((read[i] || line_of[i] >= 0) && !is_name_of_leaf(i))
                for (int o : operands_of(i))
                    read[o] = true;
        return read;
    }
    constexpr bool is_name_of_leaf(int i) const {
        return is_same(i) && is_leaf(g[words[i].operands[0]].kind);
    }
    constexpr bool is_same(int i) const { return is_word(i) && words[i].word == word_use::same; }
    constexpr bool is_word(int i) const { return !words.empty() && words[i]; }
    constexpr std::string_view called(word_use const& use) const {
        return table.names[table.definitions[use.word].called].view();
    }
    /// What node i is written with.
    constexpr view<int> operands_of(int i) const {
        return is_word(i) ? words[i].all_operands() : g.operands_of(i);
    }

    // Names.

    constexpr void word(std::string_view w) {
        if (latex())
            write_name_for_latex(out, w);
        else
            out << w;
    }
    /// The name of an operation, or its sign.
    constexpr void operation(std::string_view w) {
        if (!latex()) {
            out << w;
            return;
        }
        for (latex_word const& known : latex_words)
            if (known.plain == w) {
                out << known.latex;
                return;
            }
        bool const sign = w == "+" || w == "-";
        out << (sign ? "" : "\\operatorname{");
        write_escaped_for_latex(out, w);
        out << (sign ? "" : "}");
    }
    constexpr void number(double value) {
        if (latex())
            write_number_for_latex(out, value);
        else
            out << value;
    }
    constexpr void gradient_of(auto const& write) {
        out << (latex() ? "\\overline{" : "d(");
        write();
        out << (latex() ? "}" : ")");
    }
    constexpr void result(definition const& d) {
        if (d.kind == role::gradient)
            gradient_of([&] { leaf(d.of); });
        else if (d.kind == role::next) {
            out << (latex() ? "" : "next(");
            word(g.names[d.called].view());
            out << (latex() ? "'" : ")");
        } else if (d.kind == role::initial) {
            out << (latex() ? "" : "initial(");
            word(g.names[d.called].view());
            out << (latex() ? "^{(0)}" : ")");
        } else if (d.called < 0)
            out << (latex() ? "v_{" : "v") << d.of << (latex() ? "}" : "");
        else
            word(g.names[d.called].view());
    }
    constexpr void leaf(int i) {
        node const& n = g[i];
        if (n.kind == op::cotangent)
            gradient_of([&] { result(g.results[n.index]); });
        else if (n.kind == op::number)
            number(n.value);
        else if (n.kind == op::zero)
            out << '0';
        else
            word(g.name_of(i));
    }

    // Expressions. What binds stronger has a higher strength: 1 as +, 2 as *, 3 as a name.

    constexpr bool is_infix(int i) const {
        return g[i].kind == op::pointwise && !is_outer(i) && !g.operations[g[i].function].sign.view().empty();
    }
    constexpr bool commutes(int i) const {
        std::string_view const sign = g.operations[g[i].function].sign.view();
        return sign == "+" || sign == "." || sign == "*";
    }
    /// The part of a pack that this slice of a product shows: the slice is then a product with that part.
    constexpr int matrix_of_slice(int i) const {
        node const& s = g[i];
        if (s.kind != op::slice || g[g.operand(i)].kind != op::product)
            return -1;
        int const pack = g.operand(g.operand(i), 1);
        if (g[pack].kind != op::concat || g[pack].groups != s.groups)
            return -1;
        width_sum before;
        before.add(g, s.from, -1);
        for (int part : g.operands_of(pack)) {
            if (g[part].shape.columns == s.shape.columns && before.is_zero())
                return part;
            before.add(g, g[part].shape.columns, 1);
        }
        return -1;
    }
    constexpr int strength(int i) const {
        if (line_of[i] >= 0 && line_of[i] != current)
            return 3;
        if (is_word(i))
            return is_same(i) ? strength(words[i].operands[0]) : 3;
        if (is_infix(i))
            return g.operations[g[i].function].strength;
        if (g[i].kind == op::product || matrix_of_slice(i) >= 0 || contraction(i).matrix >= 0)
            return 2;
        bool const is_fraction = g[i].kind == op::derivative && !latex();
        return is_fraction || (g[i].kind == op::number && g[i].value < 0) ? 1 : 3;
    }
    // By how a vector stands in what is made of it.
    static constexpr std::string_view words_of_repeat[] = {"column", "row", "per_group"},
                                      words_of_fold[] = {"sum_columns", "sum_rows", "sum_groups"};

    /// k S or S v.
    struct contracted {
        int vector = -1, matrix = -1;
        bool vector_first = false;
    };
    /// The parts of a fold that is a contraction: of a product with a vector that stands in what is summed.
    constexpr contracted contraction(int i) const {
        int const of = g[i].kind == op::fold ? g.operand(i) : -1;
        if (of < 0 || !g.is(of, f_multiply) || line_of[of] >= 0)
            return {};
        for (int k = 0; k < 2; ++k)
            if (int const v = g.operand(of, k);
                g[v].kind == op::repeat && g[v].order == 1 - g[i].order && line_of[v] < 0)
                return {g.operand(v), g.operand(of, 1 - k), g[v].stands(equation::stands::as_column)};
        return {};
    }
    /// Whether node i is column(k) . row(v).
    constexpr bool is_outer(int i) const {
        if (!g.is(i, f_multiply))
            return false;
        int const a = g.operand(i), b = g.operand(i, 1);
        return g[a].kind == op::repeat && g[b].kind == op::repeat && g[a].order == 0 && g[b].order == 1 &&
               line_of[a] < 0 && line_of[b] < 0;
    }
    constexpr void outer(int i) {
        int const both[] = {g.operand(g.operand(i)), g.operand(g.operand(i, 1))};
        call("outer", {both, 2}, g[g.operand(i)].groups);
    }
    constexpr void contract(int i) {
        contracted const c = contraction(i);
        int const parts[] = {c.vector_first ? c.vector : c.matrix, c.vector_first ? c.matrix : c.vector};
        operand(parts[0], strength(parts[0]) < 3);
        out << (latex() ? c.vector_first ? "^\\top \\, " : " \\, " : " ");
        operand(parts[1], strength(parts[1]) < 3);
    }
    constexpr void operand(int i, bool brackets) {
        out << (brackets ? "(" : "");
        expression(i);
        out << (brackets ? ")" : "");
    }
    constexpr void product(int a, int m) {
        auto const brackets = [&](int i) { return strength(i) < 2 || (strength(i) == 2 && is_infix(i)); };
        operand(a, brackets(a));
        out << (g[m].shape.groups != no_axis ? latex() ? " \\boxtimes " : " (x) " : latex() ? " \\, " : " ");
        operand(m, brackets(m));
    }
    constexpr void infix(int i) {
        node const& n = g[i];
        operation_row const& row = g.operations[n.function];
        if (n.count == 1) {
            operation(row.sign.view());
            operand(g.operand(i), strength(g.operand(i)) < 3);
            return;
        }
        int const second = g.operand(i, 1);
        int const b = line_of[second] < 0 && is_same(second) ? words[second].operands[0] : second;
        operand(g.operand(i), strength(g.operand(i)) < row.strength);
        out << ' ';
        operation(row.sign.view());
        out << ' ';
        operand(b, strength(b) < row.strength ||
                       (strength(b) == row.strength && is_infix(b) && !(commutes(i) && commutes(b))) ||
                       (strength(b) < 3 && g[b].count == 1 && is_infix(b)) ||
                       (strength(b) == 1 && g[b].kind == op::number));
    }
    /// d(loss)/d(S); in LaTeX a loss that is no name stands after the fraction.
    constexpr void derivative(int loss, int of) {
        bool const after = latex() && strength(loss) < 3;
        out << (latex() ? "\\frac{\\partial " : "d(");
        if (!after)
            expression(loss);
        out << (latex() ? "}{\\partial " : ")/d(");
        expression(of);
        out << (latex() ? "}" : ")");
        if (after)
            operand(loss, true);
    }
    /// How many groups a function is of: sum<4>(z).
    constexpr void groups_of(int groups) {
        if (groups < 0)
            return;
        width_sum count;
        count.add(g, groups, 1);
        out << (latex() ? "_{\\text{" : "<");
        count.write(out, g);
        out << (latex() ? "}}" : ">");
    }
    /// Whether node i is written as a name, at which an exponent may stand.
    constexpr bool is_name(int i) const {
        return (line_of[i] >= 0 && line_of[i] != current) ||
               (is_leaf(g[i].kind) && g[i].kind != op::number) ||
               (is_same(i) && is_name(words[i].operands[0]));
    }
    constexpr void call(std::string_view called, view<int> operands, int groups = no_axis) {
        if (latex() && called == "square" && is_name(operands[0])) {
            expression(operands[0]);
            out << "^{2}";
            return;
        }
        for (latex_brackets const& known : latex_functions)
            if (latex() && known.name == called && groups < 0) {
                out << known.before;
                expression(operands[0]);
                out << known.behind;
                return;
            }
        operation(called);
        groups_of(groups);
        out << '(';
        for (int k = 0; k < operands.size(); ++k) {
            out << (k == 0 ? "" : ", ");
            expression(operands[k]);
        }
        out << ')';
    }
    constexpr void slice(int i) {
        node const& n = g[i];
        if (int const m = matrix_of_slice(i); m >= 0) {
            product(g.operand(g.operand(i)), m);
            return;
        }
        operand(g.operand(i), strength(g.operand(i)) < 3);
        width_sum place;
        out << (latex() ? "[\\text{" : "[");
        place.add(g, n.from, 1);
        place.write(out, g);
        out << " : ";
        place.add(g, n.shape.columns, 1);
        place.write(out, g);
        out << (latex() ? "}]" : "]");
    }
    constexpr void expression(int i) {
        node const& n = g[i];
        if (int const line = line_of[i]; line >= 0 && line != current) {
            result(lines[line]);
            return;
        }
        if (is_word(i)) {
            word_use const& use = words[i];
            if (use.word == word_use::same)
                expression(use.operands[0]);
            else
                call(called(use), use.all_operands(), use.groups);
            return;
        }
        switch (n.kind) {
        case op::pointwise:
            if (is_outer(i))
                outer(i);
            else if (is_infix(i))
                infix(i);
            else
                call(g.operations[n.function].called.view(), g.operands_of(i));
            break;
        case op::product:
            product(g.operand(i), g.operand(i, 1));
            break;
        case op::transpose:
            operand(g.operand(i), strength(g.operand(i)) < 3);
            out << (latex() ? "^\\top" : "^T");
            break;
        case op::slice:
            slice(i);
            break;
        case op::derivative:
            derivative(g.operand(i), g.operand(i, 1));
            break;
        case op::repeat:
            call(words_of_repeat[n.order], g.operands_of(i), n.groups);
            break;
        case op::fold:
            if (contraction(i).matrix >= 0)
                contract(i);
            else
                call(words_of_fold[n.order], g.operands_of(i), n.groups);
            break;
        case op::concat: {
            bool const matrices = n.shape.is_matrix();
            out << '[';
            for (int k = 0; k < n.count; ++k) {
                out << (k == 0 ? "" : matrices ? latex() ? " \\; " : " " : ", ");
                operand(g.operand(i, k), matrices && strength(g.operand(i, k)) < 3);
            }
            out << ']';
            break;
        }
        default:
            if (is_leaf(n.kind))
                leaf(i);
            else
                call(about(n.kind).has_function ? g.operations[n.function].called.view() : about(n.kind).word,
                     g.operands_of(i), n.groups);
        }
    }

    constexpr void write_line(int line) {
        out << (latex() && !first ? " \\\\\n" : "");
        first = false;
        result(lines[line]);
        out << (latex() ? " &= " : " = ");
        current = line;
        expression(lines[line].at);
        current = -1;
        out << (latex() ? "" : "\n");
    }
};

} // namespace detail
} // namespace sluice
