// SPDX-License-Identifier: BSL-1.0
// normalise: from a graph with its shapes to its normal form.
#pragma once

#include <sluice/algebra/normal_form.hpp>

namespace sluice {
namespace detail {

struct normaliser {
    graph_view const& g;
    list<meaning> const& meanings;
    normal_form f{};
    list<int> whole{}; ///< node -> the form of all its features, or -1

    /// A summand of a matrix: a number times a leaf, or times something else.
    struct matrix_term {
        monomial scale{};
        int leaf = -1;
        bool transposed = false;
        bool known = true;
    };

    constexpr void run() {
        f.widths = g.widths;
        f.parts = g.parts;
        whole.resize(g.size(), -1);
        for (int i = 0; i < g.size(); ++i) // operands lie in front, so that nothing is nested deeply
            if (!g.is_matrix(i))
                whole[i] = f.keep(found(i, all_of(i), 0));
        for (definition const& d : g.results)
            f.results.push_back(whole[d.at]);
    }

    constexpr feature_range all_of(int i) const { return {-1, g[i].shape.columns}; }
    constexpr polynomial of(atom const& a) {
        polynomial p;
        p.add({.count = 1, .of = {f.keep(a)}});
        return p;
    }
    constexpr polynomial opaque(int i, feature_range r) {
        return of({.kind = atom_kind::other, .node = i, .columns = r});
    }

    /// These features of node i.
    constexpr polynomial at(int i, feature_range r, int depth) {
        constexpr int most_depth = 32; // of slices of long chains
        if (!g[i].shape.has_features())
            r = all_of(i);
        if (whole[i] >= 0 && r == all_of(i))
            return polynomial(f.form(whole[i]));
        if (depth > most_depth)
            return opaque(i, r);
        return found(i, r, depth + 1);
    }

    constexpr polynomial found(int i, feature_range r, int depth) {
        node const& n = g[i];
        switch (n.kind) {
        case op::number:
            return polynomial(n.value);
        case op::zero:
            return {};
        case op::input:
            return of({.kind = atom_kind::input, .node = i, .columns = r});
        case op::state:
            return of({.kind = atom_kind::state, .node = i, .columns = r});
        case op::setting:
            return of({.kind = atom_kind::setting, .node = i});
        case op::parameter:
            return of({.kind = n.shape.has_features() ? atom_kind::vector : atom_kind::scalar,
                       .node = i,
                       .columns = r});
        case op::pointwise:
            return pointwise(i, r, depth);
        case op::product:
            return product(i, r, depth);
        case op::spread:
            return at(g.operand(i), r, depth);
        case op::slice:
            if (n.groups == no_axis)
                return at(g.operand(i), {added(n.from, r.from), r.width}, depth);
            return opaque(i, r);
        case op::concat:
            return concat(i, r, depth);
        default:
            return opaque(i, r);
        }
    }

    constexpr int added(int offset, int more) {
        return offset < 0 ? more : more < 0 ? offset : sluice::sum_of_widths(f, {offset, more});
    }

    constexpr polynomial concat(int i, feature_range r, int depth) {
        int offset = -1;
        for (int part : g.operands_of(i)) {
            if (r.from == offset && r.width == g[part].shape.columns && g[i].groups == no_axis)
                return at(part, all_of(part), depth);
            offset = added(offset, g[part].shape.columns);
        }
        return opaque(i, r);
    }

    // Functions.

    constexpr polynomial pointwise(int i, feature_range r, int depth) {
        node const& n = g[i];
        if (n.count > 2)
            return opaque(i, r);
        polynomial a = at(g.operand(i), r, depth);
        switch (n.function) {
        case f_copy:
            return a;
        case f_negate: {
            polynomial p;
            p.add(a, -1);
            return p;
        }
        case f_add:
        case f_subtract:
            a.add(at(g.operand(i, 1), r, depth), n.function == f_add ? 1 : -1);
            return a;
        case f_multiply: {
            polynomial const b = at(g.operand(i, 1), r, depth);
            polynomial p;
            if (add_product(p, a.terms, b.terms))
                return p;
            return opaque(i, r);
        }
        case f_divide:
            return quotient(i, r, a, at(g.operand(i, 1), r, depth));
        default:
            break;
        }
        meaning const means = meanings[n.function];
        if (means == meaning::identity)
            return a;
        if (n.count == 1)
            return function(i, means, means == meaning::other ? n.function : -1, a);
        return of({.kind = atom_kind::function,
                   .node = i,
                   .function = n.function,
                   .argument = f.keep(a),
                   .second = f.keep(at(g.operand(i, 1), r, depth))});
    }

    constexpr polynomial function(int i, meaning means, int row, polynomial const& a) {
        bool const odd = means == meaning::tanh, complement = means == meaning::sigmoid;
        if (a.terms.empty() && (odd || complement || means == meaning::relu))
            return polynomial(complement ? 0.5 : 0);
        bool const flip = (odd || complement) && a.terms[0].factor < 0;
        polynomial argument, p;
        argument.add(a, flip ? -1 : 1);
        p.add(of({.kind = atom_kind::function,
                  .node = i,
                  .function = row,
                  .means = means,
                  .argument = f.keep(argument)}),
              flip ? -1 : 1);
        if (flip && complement)
            p.add({.factor = 1});
        return p;
    }

    constexpr polynomial quotient(int i, feature_range r, polynomial const& a, polynomial const& b) {
        polynomial p;
        if (b.is_number() && b.number() != 0) {
            for (monomial m : a.terms) {
                m.factor /= b.number();
                p.add(m);
            }
            return p;
        }
        if (b.terms.size() == 1) { // settings
            monomial inverse{.factor = 1 / b.terms[0].factor};
            bool known = true;
            for (int s : b.terms[0]) {
                known = known && f.atoms[s].kind == atom_kind::setting;
                inverse.multiply(f.keep(atom{.kind = atom_kind::inverse, .node = f.atoms[s].node}));
            }
            if (known && add_product(p, a.terms, view<monomial>{&inverse, 1}))
                return p;
        }
        if (b.terms.size() == 2 && b.terms[0].count == 0 && b.terms[0].factor == 1 && b.terms[1].count == 1 &&
            b.terms[1].factor == 1) { // 1 / (1 + exp(z))
            atom const e = f.atoms[b.terms[1].of[0]];
            if (e.kind == atom_kind::function && e.means == meaning::exp) {
                polynomial minus;
                minus.add(polynomial(f.form(e.argument)), -1);
                polynomial q;
                if (add_product(q, a.terms, function(i, meaning::sigmoid, -1, minus).terms))
                    return q;
            }
        }
        return opaque(i, r);
    }

    // Products with matrices.

    constexpr bool is_given_number(int which) const {
        return f.atoms[which].kind == atom_kind::scalar || f.atoms[which].is_setting();
    }

    /// The summands of a matrix, each times this number.
    constexpr void take_apart(int m, polynomial const& scale, bool transposed, list<matrix_term>& to,
                              int depth) {
        node const& n = g[m];
        bool const linear = n.kind == op::pointwise && depth < 32;
        if (n.kind == op::transpose)
            return take_apart(g.operand(m), scale, !transposed, to, depth + 1);
        if (linear && (n.function == f_add || n.function == f_subtract)) {
            take_apart(g.operand(m), scale, transposed, to, depth + 1);
            polynomial second;
            second.add(scale, n.function == f_add ? 1 : -1);
            return take_apart(g.operand(m, 1), second, transposed, to, depth + 1);
        }
        if (linear && n.function == f_negate) {
            polynomial minus;
            minus.add(scale, -1);
            return take_apart(g.operand(m), minus, transposed, to, depth + 1);
        }
        if (linear && n.function == f_multiply) {
            int const number = g.is_matrix(g.operand(m)) ? 1 : 0;
            polynomial more;
            if (add_product(more, scale.terms, at(g.operand(m, number), {}, depth).terms))
                return take_apart(g.operand(m, 1 - number), more, transposed, to, depth + 1);
        }
        for (monomial const& s : scale.terms)
            to.push_back({s, m, transposed, n.kind == op::parameter && n.shape.groups == no_axis});
    }

    constexpr polynomial product(int i, feature_range r, int depth) {
        list<matrix_term> matrices;
        take_apart(g.operand(i, 1), polynomial(1), false, matrices, 0);
        polynomial p;
        for (matrix_term const& m : matrices)
            if (!m.known || !add_products(p, g.operand(i), -1, m, r, depth))
                return opaque(i, r);
        return p;
    }

    /// to += a m, where a lies after `offset` in what is multiplied; false where it becomes too large.
    constexpr bool add_products(polynomial& to, int a, int offset, matrix_term const& m, feature_range r,
                                int depth) {
        if (g[a].kind == op::concat && g[a].groups == no_axis && depth < 32) {
            for (int part : g.operands_of(a)) {
                if (!add_products(to, part, offset, m, r, depth + 1))
                    return false;
                offset = added(offset, g[part].shape.columns);
            }
            return true;
        }
        feature_range const rows{offset, g[a].shape.columns};
        polynomial const sum = at(a, all_of(a), depth);
        for (monomial const& left : sum.terms) {
            monomial scale = m.scale, row;
            scale.factor *= left.factor;
            for (int which : left)
                if (!(is_given_number(which) ? scale : row).multiply(which))
                    return false;
            polynomial of_row;
            of_row.add(row);
            if (!scale.multiply(f.keep(atom{.kind = atom_kind::product,
                                            .node = m.leaf,
                                            .argument = f.keep(of_row),
                                            .transposed = m.transposed,
                                            .rows = m.transposed ? r : rows,
                                            .columns = m.transposed ? rows : r})))
                return false;
            to.add(scale);
        }
        return true;
    }
};

} // namespace detail

constexpr normal_form normalise(graph_view const& shaped, list<meaning> const& meanings) {
    detail::normaliser n{shaped, meanings};
    n.run();
    return n.f;
}

/// The normal form of a page's equations, and what its functions mean.
template <class Passes>
struct normal_form_of {
    struct made {
        static constexpr auto make() {
            return normalise(Passes::graph, meanings_of(typename Passes::operations{}));
        }
    };
    static constexpr normal_form_view value = constant_of<made>::value;
};

} // namespace sluice
