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

/// Writes the results of b in the atoms of a; then equal sums are written the same.
struct comparer {
    normalised a, b;
    view<int> places;          ///< of b's functions in a's table
    list<image> images{};      ///< of b's atoms among those of a
    list<signed char> nodes{}; ///< of a, of b: 1 written the same, -1 not, 0 unknown

    constexpr comparer(normalised first, normalised second, view<int> functions)
        : a(first), b(second), places(functions), nodes(a.g.size() * b.g.size()) {}

    constexpr bool same_pages() {
        bool same = a.g.results.size() == b.g.results.size() && same_starts();
        for (int k = 0; same && k < b.f.atoms.size(); ++k) // the atoms that one is made of lie in front of it
            images.push_back(image_in_a(b.f.atoms[k]));
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
    constexpr bool same_function(int p, int q) const { return p < 0 || q < 0 ? p == q : p == places[q]; }

    constexpr bool same_form(int i, int k) const {
        polynomial sum;
        return add_image(sum, b.f.form(k), images) && same_sum(a.f.form(i), sum.terms);
    }
    /// Whether an atom of a, p, is one of b but for the sums that both are made of.
    constexpr bool are_alike(atom const& p, atom const& q) {
        return p.kind == q.kind && p.means == q.means && p.transposed == q.transposed &&
               (p.kind == atom_kind::function || same_node(p.node, q.node)) && same_range(p.rows, q.rows) &&
               same_range(p.columns, q.columns);
    }
    constexpr image image_in_a(atom const& q) {
        polynomial argument, second;
        if ((q.argument >= 0 && !add_image(argument, b.f.form(q.argument), images)) ||
            (q.second >= 0 && !add_image(second, b.f.form(q.second), images)))
            return {};
        for (int i = 0; i < a.f.atoms.size(); ++i) {
            atom const& p = a.f.atoms[i];
            if (!are_alike(p, q))
                continue;
            if (p.kind == atom_kind::product) {
                image made;
                made.to = add_rows(made.value, a.f, argument, p) ? i : -1;
                return made;
            }
            if (p.kind != atom_kind::function)
                return image(i);
            for (function_form const& way : ways_to_write(p, q, places)) {
                polynomial z;
                z.add(argument, way.argument);
                if (same_sum(a.f.form(p.argument), z.terms) &&
                    (p.second < 0 || same_sum(a.f.form(p.second), second.terms)))
                    return image(i, way);
            }
        }
        return {};
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
inline constexpr bool
    are_equivalent = comparer({passes<A>::graph, normal_form_of<passes<A>>::value},
                              {passes<B>::graph, normal_form_of<passes<B>>::value},
                              places_in<typename passes<A>::operations>(typename passes<B>::operations{}))
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
