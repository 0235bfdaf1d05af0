// SPDX-License-Identifier: BSL-1.0
// How names, widths and expressions of a graph are written, as text or as LaTeX. What has a line is written
// by its name everywhere but there.
#pragma once

#include <sluice/core/text.hpp>
#include <sluice/graph/graph.hpp>

namespace sluice {

enum class notation : unsigned char { text, latex };

namespace detail {

/// What LaTeX writes for the signs and names that it knows.
struct latex_word {
    std::string_view plain;
    std::string_view latex;
};
inline constexpr latex_word latex_words[] = {
    {".", "\\odot"},    {"*", "\\odot"},  {"/", "\\oslash"}, {"sigmoid", "\\sigma"},
    {"tanh", "\\tanh"}, {"exp", "\\exp"}, {"log", "\\log"},  {"sin", "\\sin"},
    {"cos", "\\cos"},   {"max", "\\max"}, {"min", "\\min"},  {"sum", "\\textstyle\\sum"},
    {">", ">"},         {"<", "<"},       {">=", "\\geq"},   {"<=", "\\leq"},
    {"&&", "\\wedge"},  {"||", "\\vee"},  {"!", "\\neg "}};

/// How LaTeX writes a function of one operand in brackets of its own.
struct latex_brackets {
    std::string_view name, before, behind;
};
inline constexpr latex_brackets latex_functions[] = {{"sqrt", "\\sqrt{", "}"},
                                                     {"abs", "\\left|", "\\right|"},
                                                     {"square", "\\left(", "\\right)^{2}"},
                                                     {"reciprocal", "\\tfrac{1}{", "}"},
                                                     {"rsqrt", "\\tfrac{1}{\\sqrt{", "}}"}};

constexpr void write_escaped_for_latex(text& out, std::string_view letters) {
    for (char c : letters)
        if (c == '\\' || c == '^' || c == '~')
            out << (c == '\\' ? "\\backslash{}" : c == '^' ? "\\wedge{}" : "\\sim{}");
        else if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
            out << '\\' << c;
        else
            out << c;
}
constexpr void write_escaped_for_dot(text& out, std::string_view letters) {
    for (char c : letters)
        if (c == '\n')
            out << "\\n";
        else
            out << (c == '"' || c == '\\' ? "\\" : "") << c;
}

/// Widths added up: `units`, `3`, `2 units + projection`.
struct width_sum : linear_form {
    constexpr bool is_zero() const {
        for (width_part const& p : parts)
            if (p.times != 0)
                return false;
        return plus == 0;
    }
    template <template <class> class List>
    constexpr void write(text& out, basic_widths<List> const& table) const {
        bool first = true;
        auto const sign = [&](std::ptrdiff_t number) {
            out << (number < 0 ? first ? "-" : " - " : first ? "" : " + ");
            first = false;
            return number < 0 ? -number : number;
        };
        for (int w = 0; w < table.widths.size(); ++w)
            for (width_part const& p : parts) {
                if (p.symbol != w || p.times == 0)
                    continue;
                if (auto const count = sign(p.times); count != 1)
                    out << count << ' ';
                name const called = name_of(table.widths[w].one);
                out << called.view();
            }
        if (plus != 0 || first)
            out << sign(plus);
    }
};

struct printer {
    graph_view g{};
    notation how = notation::text;
    text out{};
    list<definition> lines{}; ///< what has a name; a value that nobody named has a number, `of`
    list<int> line_of{};      ///< node -> its line, or -1
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
    // Names.

    /// In LaTeX a letter with an index, W_r, is W_{r}, and a word stands upright.
    constexpr void word(std::string_view w) {
        if (!latex()) {
            out << w;
            return;
        }
        bool const index = w.size() > 2 && w[1] == '_';
        std::string_view const head = index ? w.substr(0, 1) : w;
        out << (head.size() > 1 ? "\\mathrm{" : "");
        write_escaped_for_latex(out, head);
        out << (head.size() > 1 ? "}" : "");
        if (index) {
            out << "_{\\mathrm{";
            write_escaped_for_latex(out, w.substr(2));
            out << "}}";
        }
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
    /// In LaTeX 2.5e-7 is 2.5 \cdot 10^{-7}, and 1e-7 is 10^{-7}.
    constexpr void number(double value) {
        text all;
        all << value;
        std::string_view const figures = all;
        std::size_t const e = latex() ? figures.find('e') : std::string_view::npos;
        if (figures.substr(0, e) != "1" || e == std::string_view::npos)
            out << figures.substr(0, e);
        if (e == std::string_view::npos)
            return;
        if (figures.substr(0, e) != "1")
            out << " \\cdot ";
        out << "10^{" << figures.substr(e + 1) << '}';
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
        return g[i].kind == op::pointwise && !g.operations[g[i].function].sign.view().empty();
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
        if (is_infix(i))
            return g.operations[g[i].function].strength;
        if (g[i].kind == op::product || matrix_of_slice(i) >= 0)
            return 2;
        return g[i].kind == op::number && g[i].value < 0 ? 1 : 3;
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
        int const b = g.operand(i, 1);
        operand(g.operand(i), strength(g.operand(i)) < row.strength);
        out << ' ';
        operation(row.sign.view());
        out << ' ';
        operand(b, strength(b) < row.strength ||
                       (strength(b) == row.strength && is_infix(b) && !(commutes(i) && commutes(b))) ||
                       (strength(b) < 3 && g[b].count == 1 && is_infix(b)) ||
                       (strength(b) == 1 && g[b].kind == op::number));
    }
    /// How many groups a function is of: sum<4>(z).
    constexpr void groups_of(int i) {
        if (i < 0 || g[i].groups == no_axis)
            return;
        width_sum count;
        count.add(g, g[i].groups, 1);
        out << (latex() ? "_{\\text{" : "<");
        count.write(out, g);
        out << (latex() ? "}}" : ">");
    }
    constexpr void call(std::string_view called, view<int> operands, int grouped = -1) {
        for (latex_brackets const& known : latex_functions)
            if (latex() && known.name == called) {
                out << known.before;
                expression(operands[0]);
                out << known.behind;
                return;
            }
        operation(called);
        groups_of(grouped);
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
        switch (n.kind) {
        case op::pointwise:
            if (is_infix(i))
                infix(i);
            else
                call(g.operations[n.function].called.view(), g.operands_of(i));
            break;
        case op::reduce:
        case op::reduce_groups:
            call(g.operations[n.function].called.view(), g.operands_of(i), i);
            break;
        case op::prefix_sum:
            call("cumsum", g.operands_of(i));
            break;
        case op::suffix_sum:
            call("reverse_cumsum", g.operands_of(i));
            break;
        case op::features:
            call("features", g.operands_of(i), i);
            break;
        case op::outer:
            call("outer", g.operands_of(i));
            break;
        case op::total:
            call("total", g.operands_of(i));
            break;
        case op::spread:
            call("spread", g.operands_of(i));
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
            leaf(i);
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
