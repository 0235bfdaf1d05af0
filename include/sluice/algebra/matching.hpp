// SPDX-License-Identifier: BSL-1.0
// What a match of equations with a target says (algebra/match.hpp), in which ways functions can be written as
// others, and sums of one normal form in the atoms of another: each atom has an image there, which is a sum.
#pragma once

#include <sluice/algebra/normalise.hpp>
#include <sluice/graph/passes.hpp>

namespace sluice {

/// A summand of one of the target's parameters: a number times settings times a parameter of the equations.
struct match_term {
    int to = -1;             ///< the target's parameter, by its number
    int from = -1;           ///< that of the equations, or -1: the number alone, in every place
    bool everywhere = false; ///< `from` is one number, for every place
    bool transposed = false; ///< of what is kept
    feature_range rows{};    ///< of what is kept; of a vector columns only; widths of the normal form
    feature_range columns{};
    double factor = 1;
    int count = 0;
    int of[monomial::most]{}; ///< settings by their numbers, and -1 - n for one divided by number n
};

struct matching_facts {
    bool matched = false;
};

template <template <class> class List>
struct basic_matching {
    using view_type = basic_matching<view>;

    bool matched = false;
    List<match_term> terms{};
    List<int> states{}; ///< the target's state k is state number states[k] of the equations
    List<int> roles{};  ///< the target's atom k, a function, is atom roles[k] of the equations, or -1

    constexpr basic_matching() = default;
    constexpr explicit basic_matching(matching_facts const& about) : matched(about.matched) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(terms, states, roles);
    }
    constexpr matching_facts facts() const { return {matched}; }
};
using matching = basic_matching<list>;
using matching_view = basic_matching<view>;

/// A graph with its normal form.
struct normalised {
    graph_view const& g;
    normal_form_view const& f;
};

/// For each function of one table its place in another, or -1.
template <class Other, class... F>
constexpr list<int> places_in(operation_list<F...>) {
    return {(Other::template contains<F> ? Other::template find<F>() : -1)...};
}

namespace detail {

/// A function of the target as one of the equations: scale g(z) + shift, where the target's argument is
/// `argument` z.
struct function_form {
    double scale = 1, shift = 0, argument = 1;
};

/// The ways in which a function can be written as another.
constexpr list<function_form> function_forms(meaning target, meaning other) {
    if (target == meaning::sigmoid && other == meaning::sigmoid)
        return {{1, 0, 1}, {-1, 1, -1}};
    if (target == meaning::sigmoid && other == meaning::tanh)
        return {{0.5, 0.5, 2}, {-0.5, 0.5, -2}};
    if (target == meaning::tanh && other == meaning::tanh)
        return {{1, 0, 1}, {-1, 0, -1}};
    if (target == meaning::tanh && other == meaning::sigmoid)
        return {{2, -1, 0.5}, {-2, 1, -0.5}};
    if (target == other)
        return {{1, 0, 1}};
    return {};
}

/// The ways to write a function of one page as a function of another page. `places` has, for each function of
/// the other page, its place in the table of the first.
constexpr list<function_form> ways_to_write(atom const& target, atom const& other, view<int> places) {
    if (target.means != meaning::other || other.means != meaning::other)
        return function_forms(target.means, other.means);
    if (places[other.function] != target.function || (target.second < 0) != (other.second < 0))
        return {};
    return {{}};
}

/// What an atom is, in the atoms of another normal form.
struct image {
    int to = -1; ///< the atom there, of a product one with the same matrix; -1 while it is not known
    polynomial value{};

    constexpr image() = default;
    constexpr explicit image(int there, function_form const& as = {}) : to(there) {
        value.add({.factor = as.scale, .count = 1, .of = {to}});
        value.add({.factor = as.shift});
    }
};

/// to += the image of a product of atoms, without one of them; false: one is not known, or it is too large.
constexpr bool add_image(polynomial& to, monomial const& m, view<image> images, int without = -1) {
    polynomial p(m.factor);
    for (int a : m)
        if (a != without) {
            polynomial more;
            if (images[a].to < 0 || !add_product(more, p.terms, images[a].value.terms))
                return false;
            p = more;
        }
    to.add(p);
    return true;
}
/// That of a sum.
constexpr bool add_image(polynomial& to, view<monomial> sum, view<image> images) {
    bool known = true;
    for (int k = 0; known && k < sum.size(); ++k)
        known = add_image(to, sum[k], images);
    return known;
}

/// to += scale times rows times the matrix in an atom, each row of it; false: an atom of these is not there.
constexpr bool add_rows(polynomial& to, normal_form_view const& f, polynomial const& rows, atom like,
                        monomial const& scale = {}) {
    for (monomial row : rows.terms) {
        monomial m = scale;
        m.factor *= std::exchange(row.factor, 1);
        like.argument = f.find({&row, 1});
        int const product = like.argument < 0 ? -1 : f.find(like);
        if (product < 0 || !m.multiply(product))
            return false;
        to.add(m);
    }
    return true;
}

/// The next permutation.
constexpr bool next_order(list<int>& order) {
    int i = order.size() - 2;
    while (i >= 0 && order[i] > order[i + 1])
        --i;
    if (i < 0)
        return false;
    int k = order.size() - 1;
    while (order[k] < order[i])
        --k;
    std::swap(order[i], order[k]);
    for (int a = i + 1, b = order.size() - 1; a < b; ++a, --b)
        std::swap(order[a], order[b]);
    return true;
}

} // namespace detail
} // namespace sluice
