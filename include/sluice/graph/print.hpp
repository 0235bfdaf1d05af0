// SPDX-License-Identifier: BSL-1.0
// print: the equations as text, as LaTeX (an aligned environment), and the graph in Graphviz's DOT language.
// All three are constant expressions.
#pragma once

#include <sluice/core/text.hpp>
#include <sluice/graph/activations.hpp>
#include <sluice/graph/graph.hpp>

namespace sluice {

enum class notation : unsigned char { text, latex };

namespace detail {

template <notation How, class List, std::size_t N, std::size_t Size>
struct printer {
    graph<N> const& g;
    text<Size>& out;

    static constexpr bool latex = How == notation::latex;

    /// A name. In LaTeX a letter with an index, W_r, is W_{r}, and a word stands upright.
    constexpr void word(std::string_view w) {
        if (!latex) {
            out << w;
            return;
        }
        std::size_t const cut = w.find('_') == 1 ? 1 : w.size();
        if (cut > 1) {
            out << "\\mathrm{";
            escaped(w.substr(0, cut));
            out << '}';
        } else
            out << w.front();
        if (cut < w.size()) {
            out << "_{\\mathrm{";
            escaped(w.substr(cut + 1));
            out << "}}";
        }
    }
    /// In LaTeX 2.5e-7 is 2.5 \cdot 10^{-7}, and 1e-7 is 10^{-7}.
    constexpr void number(double value) {
        text<40> figures;
        figures << value;
        std::string_view const all = figures;
        std::size_t const e = latex ? all.find('e') : std::string_view::npos;
        if (all.substr(0, e) != "1" || e == std::string_view::npos)
            out << all.substr(0, e);
        if (e == std::string_view::npos)
            return;
        if (all.substr(0, e) != "1")
            out << " \\cdot ";
        out << "10^{" << all.substr(e + 1) << '}';
    }
    constexpr void escaped(std::string_view w) {
        for (char c : w) {
            if (c == '_')
                out << '\\';
            out << c;
        }
    }
    /// The first definition that node i is, so that it is written by name everywhere but there.
    constexpr int defined(int i, int besides) const {
        for (int d = 0; d < g.definitions.size(); ++d)
            if (g.definitions[d].at == i && g.definitions[d].kind != role::output && !is_leaf(g[i].kind))
                return d == besides ? -1 : d;
        return -1;
    }
    constexpr void left_side(definition const& d) {
        if (d.kind == role::next && latex) {
            word(g.names[d.called].view());
            out << '\'';
        } else if (d.kind == role::next)
            out << "next(" << g.names[d.called].view() << ')';
        else
            word(g.names[d.called].view());
    }

    static constexpr int strength(op k) {
        return k == op::add || k == op::subtract || k == op::negate ? 1
               : k == op::multiply || k == op::product              ? 2
                                                                    : 3;
    }
    constexpr void operand(int i, int besides, bool brackets) {
        brackets = brackets && defined(i, besides) < 0;
        out << (brackets ? "(" : "");
        expression(i, besides);
        out << (brackets ? ")" : "");
    }
    constexpr void expression(int i, int besides) {
        if (int const d = defined(i, besides); d >= 0) {
            left_side(g.definitions[d]);
            return;
        }
        node const& n = g[i];
        int const mine = strength(n.kind);
        auto const infix = [&](std::string_view sign) {
            operand(n.a, besides,
                    strength(g[n.a].kind) < mine + (n.kind == op::product && g[n.a].kind == op::multiply));
            out << sign;
            operand(n.b, besides,
                    strength(g[n.b].kind) < mine || g[n.b].kind == op::negate ||
                        (n.kind == op::subtract && strength(g[n.b].kind) == mine));
        };
        switch (n.kind) {
        case op::number:
            number(n.value);
            break;
        case op::add:
            infix(" + ");
            break;
        case op::subtract:
            infix(" - ");
            break;
        case op::multiply:
            infix(latex ? " \\odot " : " . ");
            break;
        case op::product:
            infix(g[n.b].grouped ? latex ? " \\boxtimes " : " (x) " : latex ? " \\, " : " ");
            break;
        case op::negate:
            out << '-';
            operand(n.a, besides, strength(g[n.a].kind) < 3);
            break;
        case op::apply:
            if (latex && List::name(n.index) == "sigmoid")
                out << "\\sigma";
            else if (latex && (List::name(n.index) == "tanh" || List::name(n.index) == "exp"))
                out << '\\' << List::name(n.index);
            else if (latex) {
                out << "\\operatorname{";
                escaped(List::name(n.index));
                out << '}';
            } else
                out << List::name(n.index);
            out << '(';
            expression(n.a, besides);
            out << ')';
            break;
        default:
            word(g.name_of(i));
            break;
        }
    }
};

} // namespace detail

/// One line for each equation, as they were written: `r = sigmoid(x W_r + h R_r + b_r)`. In text, ` . ` is
/// the elementwise product, ` (x) ` a product over feature groups, and matrices stand next to what they
/// multiply. `Terms` is how many terms were written.
template <notation How, class List, std::size_t Terms, std::size_t N>
constexpr auto print_equations(graph<N> const& g) {
    text<64 * Terms + 1024> out;
    detail::printer<How, List, N, 64 * Terms + 1024> print{g, out};
    bool const latex = How == notation::latex;
    out << (latex ? "\\begin{aligned}\n" : "");
    for (int d = 0; d < g.definitions.size(); ++d) {
        print.left_side(g.definitions[d]);
        out << (latex ? " &= " : " = ");
        print.expression(g.definitions[d].at, d);
        out << (latex && d + 1 < g.definitions.size() ? " \\\\\n" : "\n");
    }
    out << (latex ? "\\end{aligned}\n" : "");
    return out;
}

/// The graph as a digraph: leaves are boxes, definitions carry their names, the arrows into a difference their
/// signs.
template <class List, std::size_t N>
constexpr auto print_dot(graph<N> const& g) {
    constexpr std::string_view words[] = {"input", "state", "seed",     "matrix", "vector",   "setting", "",
                                          "zero",  "+",     "-",        ".",      "-",        "",        "*",
                                          "* T",   "T *",   "sum rows", "spread", "reference"};
    text<160 * N + 1024> out;
    out << "digraph cell {\n  rankdir=LR;\n";
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        out << "  n" << static_cast<std::size_t>(i) << " [label=\"";
        for (definition const& d : g.definitions)
            if (d.at == i && !is_leaf(n.kind))
                out << (d.kind == role::next ? "next " : "") << g.names[d.called].view() << ": ";
        if (n.kind == op::number)
            out << n.value;
        else if (n.kind == op::apply)
            out << List::name(n.index);
        else if (is_leaf(n.kind) && n.kind != op::seed && n.index >= 0)
            out << g.name_of(i);
        else
            out << words[static_cast<int>(n.kind)];
        out << (is_leaf(n.kind) ? "\", shape=box];\n" : "\"];\n");
        bool left = true;
        for (int from : n.operands()) {
            if (from >= 0 && n.kind != op::zero)
                out << "  n" << static_cast<std::size_t>(from) << " -> n" << static_cast<std::size_t>(i)
                    << (n.kind != op::subtract ? ";\n"
                        : left                 ? " [label=\"+\"];\n"
                                               : " [label=\"-\"];\n");
            left = false;
        }
    }
    out << "}\n";
    return out;
}

} // namespace sluice
