// SPDX-License-Identifier: BSL-1.0
// match: whether equations are those of another page, the target, in another spelling, and which of their
// parameters are the target's.
//
// The target's parameters are unknowns, and its functions are looked for among those of the equations, each
// as itself or as what is equal to it:
//
//   sigmoid(a) = 1 - sigmoid(-a) = tanh(a / 2) / 2 + 1 / 2        tanh(a) = - tanh(-a) = 2 sigmoid(2 a) - 1
//
// With functions chosen, a sum of the target has to be one of the equations'. What stands there in the place
// of an unknown is its value: W_f = - W_i^T, b_f = b + forget_bias, and 0 where there is nothing. Then what
// the values give is taken away from the sum, and nothing may be left; so nothing is accepted that is not
// equal, as a function of real numbers. The arguments of the functions are matched in the same way.
#pragma once

#include <sluice/algebra/matching.hpp>

namespace sluice {

namespace detail {

struct matcher {
    normalised target, given;
    view<int> places;  ///< of the equations' functions in the target's table
    bool any_function; ///< of any argument; the output is not compared

    /// A summand of the target's parameter: scale times a vector, or times the matrix in a product, or alone.
    struct summand {
        int parameter; ///< leaf of the target
        monomial scale;
        int what = -1;           ///< atom of the equations
        bool transposed = false; ///< the target's matrix is that of the atom, transposed
    };
    /// form of the target = times form of the equations
    struct goal {
        int form, given;
        double times;
    };
    /// An unknown in a sum: context times the parameter, or times (left times the parameter).
    struct unknown {
        int which; ///< atom of the target
        polynomial context, left;
    };
    list<image> images{}; ///< of the target's atoms among those of the equations
    list<summand> found{};
    list<int> solved{}; ///< leaves of the target
    list<goal> goals{};

    constexpr atom const& of_target(int a) const { return target.f.atoms[a]; }
    constexpr atom const& of_given(int a) const { return given.f.atoms[a]; }
    constexpr bool is_unknown(int a) const {
        atom_kind const k = of_target(a).kind;
        return k == atom_kind::vector || k == atom_kind::product;
    }

    // Choosing functions.

    constexpr bool solve(int next) {
        if (next == goals.size())
            return true;
        list<int> functions, candidates;
        list_functions(target.f, goals[next].form, functions);
        list_functions(given.f, goals[next].given, candidates);
        int a = -1, open = 0, unused = 0;
        for (int t : functions)
            if (images[t].to < 0) {
                a = open == 0 ? t : a;
                ++open;
            }
        for (int c : candidates) {
            bool used = false;
            for (int t : functions)
                used = used || images[t].to == c;
            unused += !used;
        }
        if (unused > open) // each function of the equations is one of the target's
            return false;
        if (open == 0)
            return settle(next);
        for (int c : candidates)
            for (function_form const& way : ways(a, c)) {
                int const before = goals.size();
                images[a] = image(c, way);
                if (!any_function) {
                    goals.push_back({of_target(a).argument, of_given(c).argument, way.argument});
                    if (of_target(a).second >= 0)
                        goals.push_back({of_target(a).second, of_given(c).second, 1});
                }
                if (solve(next))
                    return true;
                goals.resize(before);
                images[a] = {};
            }
        return false;
    }
    constexpr list<function_form> ways(int a, int c) const {
        if (any_function) // a list that ?: gives is freed too early in constant expressions of g++ 12
            return function_forms(of_target(a).means, of_target(a).means);
        return ways_to_write(of_target(a), of_given(c), places);
    }
    /// The functions in a sum, those on the left of matrices included.
    constexpr static void list_functions(normal_form_view const& f, int form, list<int>& to) {
        for (monomial const& m : f.form(form))
            for (int a : m)
                if (f.atoms[a].kind == atom_kind::product)
                    list_functions(f, f.atoms[a].argument, to);
                else if (f.atoms[a].kind == atom_kind::function && !to.contains(a))
                    to.push_back(a);
    }

    // Finding the values of unknowns. -1 and false: it is not there, or too large.

    /// from -= what the unknown is, now that it is known.
    constexpr bool take_away(polynomial& from, unknown const& u) const {
        atom const& t = of_target(u.which);
        for (summand const& s : found) {
            if (s.parameter != t.node)
                continue;
            polynomial value;
            if (t.kind == atom_kind::product) {
                atom like = of_given(s.what);
                like.transposed = s.transposed != t.transposed;
                if (!add_rows(value, given.f, u.left, like, s.scale))
                    return false;
            } else {
                monomial m = s.scale;
                if (s.what >= 0 && !m.multiply(s.what))
                    return false;
                value.add(m);
            }
            polynomial all;
            if (!add_product(all, u.context.terms, value.terms))
                return false;
            from.add(all, -1);
        }
        return true;
    }

    /// The summand of u that a term of the sum is, if it is one.
    constexpr bool is_summand(monomial m, unknown const& u, summand& s) const {
        atom const& t = of_target(u.which);
        bool const matrix = t.kind == atom_kind::product;
        s = {.parameter = t.node, .scale = {.factor = m.factor}};
        for (int k = m.count - 1; k >= 0; --k) {
            int const a = m.of[k];
            atom_kind const kind = of_given(a).kind;
            if (of_given(a).is_setting())
                s.scale.multiply(a);
            else if (s.what < 0 && (matrix ? kind == atom_kind::product
                                           : kind == atom_kind::vector || kind == atom_kind::scalar))
                s.what = a;
            else
                continue;
            m.divide(a);
        }
        monomial const& context = u.context.terms.back();
        s.scale.factor /= context.factor;
        if (compare_atoms(m, context) != 0 || (matrix && s.what < 0))
            return false;
        if (!matrix)
            return true;
        monomial const& left = u.left.terms.back();
        s.scale.factor /= left.factor;
        s.transposed = of_given(s.what).transposed != t.transposed;
        return compare_atoms(given.f.form(of_given(s.what).argument)[0], left) == 0;
    }
    static constexpr int degree(unknown const& u) {
        return (u.context.terms.empty() ? 0 : u.context.terms.back().count) +
               (u.left.terms.empty() ? 0 : u.left.terms.back().count);
    }
    constexpr bool have_one_place(unknown const& a, unknown const& b) const {
        return of_target(a.which).kind == of_target(b.which).kind &&
               same_sum(a.context.terms, b.context.terms) && same_sum(a.left.terms, b.left.terms);
    }

    /// The unknowns of a sum of the target; what is known is taken away from `rest`.
    constexpr bool read(view<monomial> sum, polynomial& rest, list<unknown>& unknowns) const {
        for (monomial const& m : sum) {
            unknown u{-1, {}, {}};
            for (int a : m)
                if (is_unknown(a)) {
                    if (u.which >= 0)
                        return false;
                    u.which = a;
                }
            if (!add_image(u.context, m, images, u.which))
                return false;
            if (u.which < 0)
                rest.add(u.context, -1);
            else {
                if (of_target(u.which).kind == atom_kind::product &&
                    !add_image(u.left, target.f.form(of_target(u.which).argument), images))
                    return false;
                bool merged = false;
                for (unknown& there : unknowns)
                    if (there.which == u.which) {
                        there.context.add(u.context);
                        merged = true;
                    }
                if (!merged)
                    unknowns.push_back(u);
            }
        }
        sort(unknowns, [](unknown const& a, unknown const& b) { return degree(a) > degree(b); });
        return true;
    }

    /// All functions of the goal have been chosen.
    constexpr bool settle(int next) {
        goal const aim = goals[next];
        int const found_before = found.size(), solved_before = solved.size();
        polynomial rest;
        rest.add(polynomial(given.f.form(aim.given)), aim.times);
        list<unknown> unknowns;
        bool equal = read(target.f.form(aim.form), rest, unknowns);
        for (int k = 0; equal && k < unknowns.size(); ++k)
            equal = find_value(unknowns, k, rest) && take_away(rest, unknowns[k]);
        if (equal && rest.terms.empty() && solve(next + 1))
            return true;
        found.resize(found_before);
        solved.resize(solved_before);
        return false;
    }
    /// The value of unknown k, and of those that stand beside it in the same place: of several summands each
    /// has one, and the last what is left.
    constexpr bool find_value(list<unknown> const& unknowns, int k, polynomial const& rest) {
        unknown const& u = unknowns[k];
        if (u.context.terms.empty() ||
            (of_target(u.which).kind == atom_kind::product && u.left.terms.empty()))
            return false;
        if (solved.contains(of_target(u.which).node))
            return true;
        list<int> beside;
        for (int other = k; other < unknowns.size(); ++other)
            if (have_one_place(u, unknowns[other])) {
                beside.push_back(of_target(unknowns[other].which).node);
                solved.push_back(beside.back());
            }
        int place = 0;
        for (monomial const& m : rest.terms)
            if (summand s{}; is_summand(m, u, s)) {
                s.parameter = beside[s.what < 0 ? 0 : place];
                place += s.what >= 0 && place + 1 < beside.size();
                found.push_back(s);
            }
        return true;
    }

    // The whole.

    /// The number of a leaf among those of its kind.
    static constexpr int number_of(graph_view const& g, int leaf) {
        int number = 0;
        for (int i = 0; i < leaf; ++i)
            number += g[i].kind == g[leaf].kind;
        return number;
    }
    static constexpr int atom_of_leaf(normalised const& in, int leaf) {
        for (int a = 0; a < in.f.atoms.size(); ++a)
            if ((in.f.atoms[a].kind == atom_kind::input || in.f.atoms[a].kind == atom_kind::state) &&
                in.f.atoms[a].node == leaf && in.f.atoms[a].columns.from < 0 &&
                in.f.atoms[a].columns.width == in.g[leaf].shape.columns)
                return a;
        return -1;
    }
    constexpr void give(int of_target, int leaf) {
        images[atom_of_leaf(target, of_target)] = image(atom_of_leaf(given, leaf));
    }

    constexpr match_term term(summand const& s) const {
        match_term t;
        t.to = number_of(target.g, s.parameter);
        if (s.what >= 0) {
            atom const& a = of_given(s.what);
            t.from = number_of(given.g, a.node);
            t.everywhere = a.kind == atom_kind::scalar;
            t.transposed = s.transposed;
            t.rows = a.rows;
            t.columns = a.columns;
        }
        t.factor = s.scale.factor;
        for (int a : s.scale) {
            int const n = number_of(given.g, of_given(a).node);
            t.of[t.count++] = of_given(a).kind == atom_kind::inverse ? -1 - n : n;
        }
        return t;
    }

    constexpr matching run() {
        matching result;
        auto const inputs = list_inputs(target.g), given_inputs = list_inputs(given.g);
        auto const states = list_states(target.g), given_states = list_states(given.g);
        if (inputs.size() != given_inputs.size() || states.size() != given_states.size())
            return result;
        list<int> order;
        for (int k = 0; k < states.size(); ++k)
            order.push_back(k);
        do {
            images = list<image>(target.f.atoms.size());
            goals.clear();
            for (int k = 0; k < inputs.size(); ++k)
                give(inputs[k].at, given_inputs[k].at);
            if (!any_function)
                goals.push_back({target.f.results[0], given.f.results[0], 1});
            for (int k = 0; k < states.size(); ++k) {
                give(states[k].at, given_states[order[k]].at);
                goals.push_back({target.f.results[k + 1], given.f.results[order[k] + 1], 1});
            }
            result.matched = solve(0);
        } while (!result.matched && next_order(order));
        result.states = order;
        for (image const& i : images)
            result.roles.push_back(i.to);
        for (summand const& s : found)
            result.terms.push_back(term(s));
        return result;
    }
};

} // namespace detail

/// Whether `given` is `target`, and how. With `any_function` only the next states are compared, up to the
/// names and arguments of their functions: what corresponds, in equations that do not match.
constexpr matching match(normalised const& target, normalised const& given, view<int> places,
                         bool any_function = false) {
    return detail::matcher{target, given, places, any_function}.run();
}

/// The same of two pages, as a constant.
template <page Page, page Target, bool AnyFunction = false>
struct match_of {
    using given = passes<Page>;
    using target = passes<Target>;
    struct made {
        static constexpr auto make() {
            return match({target::graph, normal_form_of<target>::value},
                         {given::graph, normal_form_of<given>::value},
                         places_in<typename target::operations>(typename given::operations{}), AnyFunction);
        }
    };
    static constexpr matching_view value = constant_of<made>::value;
};

} // namespace sluice
