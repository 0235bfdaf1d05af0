// SPDX-License-Identifier: BSL-1.0
// Equations in a form that does not depend on how they are spelled: every value is a sum of
// products of atoms,
//
//   h' = u . h + n - u . n      also of (1 - u) . n + u . h, n + u . (h - n), h + (1 - u) . (n - h)
//
// An atom is an input, a state, a vector, a number of which only the name is known, a function of a sum, a
// row times a matrix, or something whose algebra is not known. Products with matrices are distributed over
// sums on both sides and over what stands side by side: concat(x, h) K is x K[rows of x] + h K[rows of h],
// and a slice of it has some columns of K. Equal sums are one form. Of a sum a and its negative one stands
// for both:
//
//   sigmoid(-a) = 1 - sigmoid(a)      tanh(-a) = -tanh(a)      1 / (1 + exp(a)) = sigmoid(-a)
#pragma once

#include <sluice/core/constant_of.hpp>
#include <sluice/core/text.hpp>
#include <sluice/expr/activation.hpp>
#include <sluice/expr/elementary.hpp>
#include <sluice/graph/graph.hpp>
#include <sluice/graph/operations.hpp>

namespace sluice {

/// Functions of which more is known than their name. The arithmetic ones become sums and products.
enum class meaning : unsigned char { other, sigmoid, tanh, relu, exp, identity };

namespace detail {
template <class F>
constexpr meaning meaning_of() {
    return std::is_same_v<F, activation::sigmoid>    ? meaning::sigmoid
           : std::is_same_v<F, activation::tanh>     ? meaning::tanh
           : std::is_same_v<F, activation::relu>     ? meaning::relu
           : std::is_same_v<F, operation::exp>       ? meaning::exp
           : std::is_same_v<F, activation::identity> ? meaning::identity
                                                     : meaning::other;
}
} // namespace detail

template <class... F>
constexpr list<meaning> meanings_of(operation_list<F...>) {
    list<meaning> all;
    (all.push_back(detail::meaning_of<F>()), ...);
    return all;
}

enum class atom_kind : unsigned char {
    input,
    state,
    vector,   ///< a parameter
    scalar,   ///< a parameter that is one number
    setting,  ///< a number known when a cell is made
    inverse,  ///< one divided by a setting
    function, ///< of one sum, or of two
    product,  ///< a product of atoms, times a matrix
    other,    ///< a reduction, a product in groups, and what else is not taken apart
};

/// Some of the features of a leaf: `width` from `from` on, both widths of the normal form; -1 is 0 in front.
struct feature_range {
    int from = -1;
    int width = -1;

    friend constexpr bool operator==(feature_range const&, feature_range const&) = default;
};

struct atom {
    atom_kind kind = atom_kind::other;
    int node =
        -1; ///< the leaf; of a product its matrix; of a function or another value where it was first met
    int function = -1; ///< its row in the table of operations, where its meaning is other
    meaning means = meaning::other;
    int argument = -1; ///< form: of a function; of a product what stands on the left, one product of atoms
    int second = -1;
    bool transposed = false;
    feature_range rows{}; ///< of the matrix as it is kept
    feature_range columns{};

    constexpr bool is_setting() const { return kind == atom_kind::setting || kind == atom_kind::inverse; }

    friend constexpr bool operator==(atom const& a, atom const& b) {
        return a.kind == b.kind && (a.kind == atom_kind::function || a.node == b.node) &&
               a.function == b.function && a.means == b.means && a.argument == b.argument &&
               a.second == b.second && a.transposed == b.transposed && a.rows == b.rows &&
               a.columns == b.columns;
    }
};

/// A number times atoms, in the order of their numbers.
struct monomial {
    static constexpr int most = 6;
    double factor = 1;
    int count = 0;
    int of[most]{};

    constexpr int const* begin() const { return of; }
    constexpr int const* end() const { return of + count; }
    constexpr bool has(int which) const {
        for (int a : *this)
            if (a == which)
                return true;
        return false;
    }
    /// Adds an atom; false if there are too many.
    constexpr bool multiply(int which) {
        if (count == most)
            return false;
        int k = count++;
        for (; k > 0 && of[k - 1] > which; --k)
            of[k] = of[k - 1];
        of[k] = which;
        return true;
    }
    /// Takes away one atom, which is there.
    constexpr void divide(int which) {
        int k = 0;
        while (of[k] != which)
            ++k;
        for (--count; k < count; ++k)
            of[k] = of[k + 1];
    }
};

/// By the number of atoms, then by the atoms: -1, 0, 1.
constexpr int compare_atoms(monomial const& a, monomial const& b) {
    if (a.count != b.count)
        return a.count < b.count ? -1 : 1;
    for (int k = 0; k < a.count; ++k)
        if (a.of[k] != b.of[k])
            return a.of[k] < b.of[k] ? -1 : 1;
    return 0;
}

/// A sum: monomials in order, none of them zero.
struct polynomial {
    list<monomial> terms{};

    constexpr polynomial() = default;
    constexpr explicit polynomial(double number) { add({.factor = number}); }
    constexpr explicit polynomial(view<monomial> sorted) : terms(sorted) {}

    constexpr void add(monomial const& m) {
        int k = 0;
        while (k < terms.size() && compare_atoms(terms[k], m) < 0)
            ++k;
        if (k < terms.size() && compare_atoms(terms[k], m) == 0) {
            terms[k].factor += m.factor;
            if (terms[k].factor == 0) {
                for (; k + 1 < terms.size(); ++k)
                    terms[k] = terms[k + 1];
                terms.resize(terms.size() - 1);
            }
        } else if (m.factor != 0) {
            terms.push_back(m);
            for (int i = terms.size() - 1; i > k; --i)
                std::swap(terms[i], terms[i - 1]);
        }
    }
    constexpr void add(polynomial const& p, double times = 1) {
        for (monomial m : p.terms) {
            m.factor *= times;
            add(m);
        }
    }
    constexpr bool is_number() const { return terms.empty() || (terms.size() == 1 && terms[0].count == 0); }
    constexpr double number() const { return terms.empty() ? 0 : terms[0].factor; }
};

constexpr bool same_sum(view<monomial> a, view<monomial> b) {
    bool same = a.size() == b.size();
    for (int k = 0; same && k < a.size(); ++k)
        same = a[k].factor == b[k].factor && compare_atoms(a[k], b[k]) == 0;
    return same;
}

/// to += a b; false where that has too many terms, or too many atoms in one.
constexpr bool add_product(polynomial& to, view<monomial> a, view<monomial> b) {
    constexpr int most_terms = 64;
    if (a.size() * b.size() > most_terms)
        return false;
    for (monomial const& m : a)
        for (monomial product : b) {
            product.factor *= m.factor;
            for (int which : m)
                if (!product.multiply(which))
                    return false;
            to.add(product);
        }
    return true;
}

/// A sum among the monomials.
struct form_place {
    int first = 0;
    int count = 0;
};

template <template <class> class List>
struct basic_normal_form : basic_widths<List> {
    using view_type = basic_normal_form<view>;

    List<atom> atoms{};
    List<monomial> monomials{};
    List<form_place> forms{};
    List<int> results{}; ///< form of each result of the graph

    constexpr basic_normal_form() = default;
    constexpr explicit basic_normal_form(no_facts) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(this->widths, this->parts, atoms, monomials, forms, results);
    }
    constexpr no_facts facts() const { return {}; }

    constexpr view<monomial> form(int i) const { return monomials.part(forms[i].first, forms[i].count); }
    constexpr int find(atom const& a) const { return atoms.find(a); }
    constexpr int find(view<monomial> sum) const {
        for (int i = 0; i < forms.size(); ++i)
            if (same_sum(form(i), sum))
                return i;
        return -1;
    }
};

using normal_form_view = basic_normal_form<view>;

struct normal_form : basic_normal_form<list> {
    constexpr int keep(atom const& a) {
        int const there = find(a);
        return there >= 0 ? there : atoms.push_back(a);
    }
    constexpr int keep(polynomial const& p) {
        int const there = find(p.terms);
        if (there >= 0)
            return there;
        int const first = monomials.size();
        for (monomial const& m : p.terms)
            monomials.push_back(m);
        return forms.push_back({first, p.terms.size()});
    }
};

} // namespace sluice
