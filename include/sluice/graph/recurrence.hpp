// SPDX-License-Identifier: BSL-1.0
// What a cell is as a recurrence: how its next states depend on its states. Only of an affine one can steps
// be taken together, in another order or in parallel.
//
//   elementwise_affine            s' = a . s + b              minGRU, QRNN; a and b depend on the input only
//   decay_and_outer_product       S' = diag(a) S + b          linear attention, GLA: the rows of a matrix
//                                                             decay, or its columns, or its heads
//   diagonal_plus_low_rank        S' = (D - p q^T) S + b      the delta rules: a contraction of the state
//                                                             comes back as an outer product
//   affine                        s' = s A + b                a matrix of weights, or any mixing of features
//   nonlinear                     s' = f(s)                   GRU, LSTM
//
// A state that only is what the input was before, as delay() makes it, counts as an input.
//
//   sluice::recurrence_class<sluice::delta_net>()    recurrence::diagonal_plus_low_rank
//   sluice::why_not_affine<sluice::gru>()            "r is sigmoid of what depends on a state"
#pragma once

#include <sluice/graph/passes.hpp>
#include <string_view>

namespace sluice {

enum class recurrence : unsigned char {
    elementwise_affine,
    decay_and_outer_product,
    diagonal_plus_low_rank,
    affine,
    nonlinear,
};

constexpr std::string_view name_of(recurrence r) {
    constexpr std::string_view words[] = {"elementwise affine", "decay and outer product",
                                          "diagonal plus low rank", "affine", "nonlinear"};
    return words[static_cast<int>(r)];
}

namespace detail {

/// How a value depends on the states, from the least to the most.
enum class dependence : unsigned char {
    none,
    decayed,    ///< a state times numbers of its rows, columns or heads; of a vector state times anything
    scaled,     ///< a matrix state times anything, element by element
    contracted, ///< sums over a matrix state, and what is made of them
    mixed,      ///< sums over any features
    nonlinear,
};

struct recurrence_finder {
    graph_view g;
    list<dependence> of{};
    list<bool> is_late; ///< of a state: it is only what something else was some steps ago

    constexpr explicit recurrence_finder(graph_view from) : g(from), is_late(from.size()) {
        do {
            of.clear();
            for (int i = 0; i < g.size(); ++i)
                of.push_back(depends(i));
        } while (finds_late());
    }
    /// Marks states whose next value depends on no state; whether one was not marked before.
    constexpr bool finds_late() {
        bool found = false;
        for (definition const& d : g.results)
            for (int i = 0; d.kind == role::next && i < g.size() && is_leaf(g[i].kind); ++i)
                if (g[i].kind == op::state && g[i].index == d.called && is_free(d.at) && !is_late[i])
                    found = is_late[i] = true;
        return found;
    }

    constexpr bool is_free(int i) const { return of[i] == dependence::none; }
    constexpr dependence most_of(int i) const {
        dependence most = dependence::none;
        for (int o : g.operands_of(i))
            most = at_least(most, of[o]);
        return most;
    }
    static constexpr dependence at_least(dependence found, dependence least) {
        return found < least ? least : found;
    }

    constexpr dependence depends(int i) const {
        node const& n = g[i];
        if (is_leaf(n.kind))
            return n.kind == op::state && !is_late[i] ? dependence::decayed : dependence::none;
        dependence const most = most_of(i);
        if (most == dependence::none || n.kind == op::features)
            return dependence::none;
        switch (n.kind) {
        case op::pointwise:
            return pointwise(i, most);
        case op::reduce:
        case op::reduce_groups:
            return n.function == f_sum ? at_least(most, dependence::mixed) : dependence::nonlinear;
        case op::scan:
            return dependence::nonlinear;
        case op::fold:
            return at_least(most, dependence::contracted);
        case op::repeat:
            return most == dependence::contracted ? most : at_least(most, dependence::mixed);
        case op::spread:
            return most;
        default: // a product, features from elsewhere
            return at_least(most, dependence::mixed);
        }
    }
    constexpr dependence pointwise(int i, dependence most) const {
        node const& n = g[i];
        operation_row const& row = g.operations[n.function];
        bool const is_sum = n.function == f_add || n.function == f_subtract || n.function == f_negate ||
                            n.function == f_copy || row.called.view() == "identity";
        if (is_sum)
            return most;
        if (n.function == f_multiply && (is_free(g.operand(i)) || is_free(g.operand(i, 1))))
            return times(most, g.operand(i, is_free(g.operand(i)) ? 0 : 1));
        if (n.function == f_divide && is_free(g.operand(i, 1)))
            return times(most, g.operand(i, 1));
        if (row.conditions == 1 && is_free(g.operand(i)))
            return g.is_matrix_value(i) ? at_least(most, dependence::scaled) : most;
        return dependence::nonlinear;
    }
    /// Times a factor that depends on no state.
    constexpr dependence times(dependence most, int factor) const {
        bool const is_of_elements = g.is_matrix_value(factor) && g[factor].kind != op::repeat;
        return is_of_elements ? at_least(most, dependence::scaled) : most;
    }

    constexpr recurrence found() const {
        dependence most = dependence::none;
        bool has_matrix = false;
        for (definition const& d : g.results)
            if (d.kind == role::next) {
                most = at_least(most, of[d.at]);
                has_matrix = has_matrix || g.is_matrix_value(d.at);
            }
        switch (most) {
        case dependence::none:
        case dependence::decayed:
            return has_matrix ? recurrence::decay_and_outer_product : recurrence::elementwise_affine;
        case dependence::scaled:
            return recurrence::elementwise_affine;
        case dependence::contracted:
            return recurrence::diagonal_plus_low_rank;
        case dependence::mixed:
            return recurrence::affine;
        case dependence::nonlinear:
            break;
        }
        return recurrence::nonlinear;
    }
    /// A next state may be affine where the output is not.
    constexpr text why() const {
        text words;
        if (found() != recurrence::nonlinear)
            return words;
        list<bool> is_read(g.size());
        for (definition const& d : g.results)
            if (d.kind == role::next)
                is_read[d.at] = true;
        for (int i = g.size() - 1; i >= 0; --i)
            for (int o : g.operands_of(i))
                is_read[o] = is_read[o] || is_read[i];
        int first = 0;
        while (!is_read[first] || of[first] != dependence::nonlinear)
            ++first;
        node const& n = g[first];
        bool const is_product = n.function == f_multiply && n.kind == op::pointwise;
        words << g.owner(first).view() << " is ";
        if (is_product)
            words << "a product of two values that depend on states";
        else
            words << (about(n.kind).has_function ? g.operations[n.function].called.view()
                                                 : about(n.kind).word)
                  << " of what depends on a state";
        return words;
    }
};

template <class Page>
struct reason_of_recurrence {
    static constexpr auto make() { return recurrence_finder(passes<Page>::graph).why(); }
};

} // namespace detail

/// A constant.
template <page Page>
constexpr recurrence recurrence_class() {
    return detail::recurrence_finder(passes<Page>::graph).found();
}
/// Which line is nonlinear in a state, and by what; nothing for an affine recurrence.
template <page Page>
constexpr auto why_not_affine() {
    return constant_of<detail::reason_of_recurrence<Page>>::value;
}

} // namespace sluice
