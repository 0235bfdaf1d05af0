// SPDX-License-Identifier: BSL-1.0
// What a match of equations with a target says (algebra/match.hpp), and in which ways functions can be
// written as others.
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
