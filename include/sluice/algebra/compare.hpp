// SPDX-License-Identifier: BSL-1.0
// compare: whether two pages are the same, and where they differ.
//
//   equivalent<A, B>()    a constant: the same inputs, states, outputs and parameters by their names, and the
//                         same function of them once products are multiplied out and sums are put in order:
//                         (1 - z) . n + z . h  is  n + z . (h - n)
//   difference<A, B>()    a text: the lines of both side by side
//
// What is not taken apart (reductions, products in groups, functions of two values) is the same if it is
// written the same. Two pages that differ in this way may still be the same function; two that do not differ
// are.
#pragma once

#include <sluice/algebra/matching.hpp>
#include <sluice/core/constant_of.hpp>
#include <sluice/graph/passes.hpp>

namespace sluice {
namespace detail {

struct comparer {
    normalised a, b;
    list<signed char> forms{}; ///< of a, of b: 1 the same, -1 not, 0 unknown
    list<signed char> nodes{};

    constexpr comparer(normalised first, normalised second)
        : a(first), b(second), forms(a.f.forms.size() * b.f.forms.size()), nodes(a.g.size() * b.g.size()) {}

    constexpr bool same_pages() {
        bool same = a.g.results.size() == b.g.results.size() && same_starts();
        for (int i = 0; same && i < a.g.results.size(); ++i) {
            int k = 0;
            while (k < b.g.results.size() && !same_name(a.g.results[i], b.g.results[k]))
                ++k;
            same = k < b.g.results.size() && same_form(a.f.results[i], b.f.results[k]);
        }
        return same;
    }

private:
    /// Whether the states of one name start at the same parameters.
    constexpr bool same_starts() {
        for (int i = 0; i < a.g.size(); ++i)
            for (int k = 0; k < b.g.size(); ++k)
                if (a.g[i].kind == op::state && b.g[k].kind == op::state &&
                    a.g.name_of(i) == b.g.name_of(k)) {
                    int const from = initial_of(a.g, i), to = initial_of(b.g, k);
                    if ((from < 0) != (to < 0) || (from >= 0 && !same_node(from, to)))
                        return false;
                }
        return true;
    }
    constexpr bool same_name(definition const& p, definition const& q) const {
        return p.kind == q.kind && a.g.names[p.called] == b.g.names[q.called];
    }
    template <template <class> class List>
    static constexpr text spelled(basic_widths<List> const& table, int w) {
        text out;
        width_sum sum;
        if (w >= 0) {
            sum.add(table, w, 1);
            sum.write(out, table);
        }
        return out;
    }
    constexpr bool same_width(int w, int v) const {
        return (w < 0) == (v < 0) && spelled(a.g, w).view() == spelled(b.g, v).view();
    }
    constexpr bool same_range(feature_range r, feature_range s) const {
        return spelled(a.f, r.from).view() == spelled(b.f, s.from).view() &&
               spelled(a.f, r.width).view() == spelled(b.f, s.width).view();
    }
    constexpr bool same_function(int p, int q) const {
        return p < 0 || q < 0 ? p == q : a.g.operations[p].called == b.g.operations[q].called;
    }

    /// Whether each element of one has an equal one of its own in the other.
    template <class E>
    constexpr bool same_elements(view<E> p, view<E> q) {
        if (p.size() != q.size())
            return false;
        list<bool> taken(q.size());
        for (E const& e : p) {
            int k = 0;
            while (k < q.size() && (taken[k] || !same(e, q[k])))
                ++k;
            if (k == q.size())
                return false;
            taken[k] = true;
        }
        return true;
    }
    constexpr bool same_form(int i, int k) {
        signed char& known = forms[i * b.f.forms.size() + k];
        if (known == 0)
            known = same_elements(a.f.form(i), b.f.form(k)) ? 1 : -1;
        return known > 0;
    }
    constexpr bool same(monomial const& p, monomial const& q) {
        return p.factor == q.factor && same_elements(view<int>{p.of, p.count}, view<int>{q.of, q.count});
    }
    constexpr bool same(int p, int q) { return same_atom(p, q); }
    constexpr bool same_atom(int i, int k) {
        atom const &p = a.f.atoms[i], &q = b.f.atoms[k];
        if (p.kind != q.kind || p.means != q.means || p.transposed != q.transposed ||
            !same_range(p.columns, q.columns))
            return false;
        switch (p.kind) {
        case atom_kind::function:
            return (p.means != meaning::other || same_function(p.function, q.function)) &&
                   same_form(p.argument, q.argument) && (p.second < 0) == (q.second < 0) &&
                   (p.second < 0 || same_form(p.second, q.second));
        case atom_kind::product:
            return same_node(p.node, q.node) && same_range(p.rows, q.rows) &&
                   same_form(p.argument, q.argument);
        default:
            return same_node(p.node, q.node);
        }
    }
    /// Written the same.
    constexpr bool same_node(int i, int k) {
        signed char& known = nodes[i * b.g.size() + k];
        if (known == 0) {
            node const &p = a.g[i], &q = b.g[k];
            bool same = p.kind == q.kind && p.count == q.count && p.value == q.value && p.fixed == q.fixed &&
                        same_width(p.shape.rows, q.shape.rows) &&
                        same_width(p.shape.columns, q.shape.columns) &&
                        same_width(p.shape.groups, q.shape.groups) && same_width(p.from, q.from) &&
                        same_width(p.groups, q.groups) && same_function(p.function, q.function) &&
                        (!is_leaf(p.kind) || p.kind == op::number || p.kind == op::zero ||
                         a.g.name_of(i) == b.g.name_of(k));
            for (int o = 0; same && o < p.count; ++o)
                same = same_node(a.g.operand(i, o), b.g.operand(k, o));
            nodes[i * b.g.size() + k] = same ? 1 : -1;
            return same;
        }
        return known > 0;
    }
};

/// The lines of a page, in their order; each has the name that stands left of `=`.
struct printed_lines {
    text all;
    list<int> starts{};

    constexpr explicit printed_lines(text lines) : all(std::move(lines)) {
        for (int i = 0, begin = 0; i < all.letters.size(); ++i)
            if (all.letters[i] == '\n') {
                starts.push_back(begin);
                begin = i + 1;
            }
    }
    constexpr int size() const { return starts.size(); }
    constexpr std::string_view line(int i) const {
        std::string_view const rest = all.view().substr(static_cast<std::size_t>(starts[i]));
        return rest.substr(0, rest.find('\n'));
    }
    constexpr std::string_view name(int i) const { return line(i).substr(0, line(i).find(" = ")); }
    constexpr int find(std::string_view called) const {
        int i = 0;
        while (i < size() && name(i) != called)
            ++i;
        return i < size() ? i : -1;
    }
    constexpr std::size_t width() const {
        std::size_t most = 0;
        for (int i = 0; i < size(); ++i)
            most = line(i).size() > most ? line(i).size() : most;
        return most;
    }
};

constexpr text side_by_side(text a, text b) {
    printed_lines const left(std::move(a)), right(std::move(b));
    std::size_t const width = left.width();
    text out;
    auto const write = [&](std::string_view first, std::string_view second) {
        out << (first == second ? "  " : "! ") << first;
        if (first != second && !second.empty()) {
            for (std::size_t k = first.size(); k < width; ++k)
                out << ' ';
            out << "  |  " << second;
        }
        out << '\n';
    };
    for (int i = 0; i < left.size(); ++i) {
        int const there = right.find(left.name(i));
        write(left.line(i), there < 0 ? std::string_view() : right.line(there));
    }
    for (int i = 0; i < right.size(); ++i)
        if (left.find(right.name(i)) < 0)
            write({}, right.line(i));
    return out;
}

template <class A, class B>
struct difference_of {
    static constexpr auto make() {
        return side_by_side(print_equations(passes<A>::graph), print_equations(passes<B>::graph));
    }
};
template <class A, class B>
inline constexpr bool are_equivalent = comparer({passes<A>::graph, normal_form_of<passes<A>>::value},
                                                {passes<B>::graph, normal_form_of<passes<B>>::value})
                                           .same_pages();

} // namespace detail

/// Whether the equations of two pages are the same but for the order and the brackets of sums and products,
/// and for the names and the cut of gates. Initial values and defaults of settings do not count.
template <page A, page B>
constexpr bool equivalent() {
    return detail::are_equivalent<A, B>;
}

/// The lines of both pages, those of one name side by side; what differs is marked with `!`.
template <page A, page B>
constexpr auto difference() {
    return constant_of<detail::difference_of<A, B>>::value;
}

} // namespace sluice
