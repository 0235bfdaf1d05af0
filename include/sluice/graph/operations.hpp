// SPDX-License-Identifier: BSL-1.0
// The table of operations: the pointwise functions and reductions of a set of equations, as a list of types
// that is closed under differentiation (with relu comes step). A node names its function by the place in this
// list. The functions that passes add by themselves stand in front, in the same places in every list.
#pragma once

#include <cstddef>
#include <sluice/expr/equations.hpp>
#include <sluice/graph/graph.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice {

template <class... F>
struct operation_list {
    static constexpr int size = sizeof...(F);

    template <class G>
    static constexpr bool contains = (std::is_same_v<F, G> || ...);

    /// The place of G in the list.
    template <class G>
    static constexpr int find() {
        int place = 0;
        (void)((std::is_same_v<F, G> ? false : (++place, true)) && ...);
        return place;
    }

    template <int Place>
    using at = std::tuple_element_t<static_cast<std::size_t>(Place), std::tuple<F...>>;

    /// Calls `f(F{})` with the operation in that place.
    template <class Function>
    static constexpr void visit(int place, Function&& f) {
        int i = 0;
        (void)((i++ == place ? (f(F{}), true) : false) || ...);
    }
};

using built_in_operations =
    operation_list<operation::add, operation::subtract, operation::multiply, operation::divide,
                   operation::negate, operation::copy, operation::sum>;

/// Their places in every list; a user's follow.
enum function : int { f_add, f_subtract, f_multiply, f_divide, f_negate, f_copy, f_sum, own_functions };
static_assert(built_in_operations::find<operation::add>() == f_add);
static_assert(built_in_operations::find<operation::subtract>() == f_subtract);
static_assert(built_in_operations::find<operation::multiply>() == f_multiply);
static_assert(built_in_operations::find<operation::divide>() == f_divide);
static_assert(built_in_operations::find<operation::negate>() == f_negate);
static_assert(built_in_operations::find<operation::copy>() == f_copy);
static_assert(built_in_operations::find<operation::sum>() == f_sum);
static_assert(built_in_operations::size == own_functions);

/// The derivative of a function with respect to one operand: a graph in which input number k (`order`) stands
/// for operand k and, after the last operand, for the value itself. Of a scan it is the gradient of the
/// operand, in which the input after the value stands for the value's.
struct derivative_rule {
    basic_graph<list> rule{};
    int at = -1;
};
/// function -> operand -> rule
using derivative_rules_table = list<list<derivative_rule>>;

/// How many operands F has; a reduction has one.
template <class F, std::size_t Operands = 1>
constexpr int arity_of() {
    if constexpr (equation::scanning<F>)
        return static_cast<int>(equation::detail::operands_of_scan<F>());
    else if constexpr (equation::reduction<F> || equation::has_value<F, Operands>)
        return static_cast<int>(Operands);
    else
        return arity_of<F, Operands + 1>();
}

template <class F>
inline constexpr op kind_of_operation = equation::scanning<F>    ? op::scan
                                        : equation::reduction<F> ? op::reduce
                                                                 : op::pointwise;

/// An operation as data.
template <class F>
constexpr operation_row row_of() {
    operation_row row;
    row.called = name(F::name);
    row.arity = arity_of<F>();
    row.kind = kind_of_operation<F>;
    if constexpr (requires { F::cheap; })
        row.cheap = F::cheap;
    if constexpr (requires { F::conditions; })
        row.conditions = F::conditions;
    if constexpr (requires { F::is_condition; })
        row.is_condition = F::is_condition;
    if constexpr (requires { F::of_word; })
        row.of_word = F::of_word;
    if constexpr (requires { F::strength; })
        row.strength = F::strength;
    if constexpr (requires { F::sign; })
        row.sign = name(F::sign);
    return row;
}

template <class... F>
constexpr list<operation_row> rows_of(operation_list<F...>) {
    list<operation_row> rows;
    rows.reserve(sizeof...(F));
    (rows.push_back(row_of<F>()), ...);
    return rows;
}

namespace detail {

/// The derivatives of F, one for each operand; of a scan the gradients.
template <class F, int... Operand>
constexpr auto derivatives_of(std::integer_sequence<int, Operand...>) {
    constexpr int y = sizeof...(Operand);
    auto const each_of = [](auto d) {
        if constexpr (equation::expression<decltype(d)>)
            return equation::each(d);
        else
            return d;
    };
    if constexpr (equation::scanning<F>)
        return each_of(F::gradient(equation::operand_term<Operand>{}..., equation::operand_term<y>{},
                                   equation::operand_term<y + 1>{}));
    else
        return each_of(F::derivative(equation::operand_term<Operand>{}..., equation::operand_term<y>{}));
}
template <class F>
using derivatives = decltype(derivatives_of<F>(std::make_integer_sequence<int, arity_of<F>()>{}));

template <class List, class E>
struct collect {
    using type = List;
};
template <class List, class E>
using collect_t = typename collect<List, E>::type;

/// The list with the operations of all of E.
template <class List, class... E>
struct collect_all {
    using type = List;
};
template <class List, class First, class... Rest>
struct collect_all<List, First, Rest...> {
    using type = typename collect_all<collect_t<List, First>, Rest...>::type;
};

/// The list with F and all that its derivatives need.
template <class List, class F, bool There = List::template contains<F>>
struct include {
    using type = List;
};
template <class... G, class F>
struct include<operation_list<G...>, F, false> {
    using type = collect_t<operation_list<G..., F>, derivatives<F>>;
};

template <class List, class F, class... E>
struct collect<List, equation::function_term<F, E...>> {
    using type = typename include<typename collect_all<List, E...>::type, F>::type;
};
template <class List, class... E>
struct collect<List, equation::each_term<E...>> : collect_all<List, E...> {};
template <class List, class... E>
struct collect<List, equation::concat_term<E...>> : collect_all<List, E...> {};
template <class List, class From, class Width, class E>
struct collect<List, equation::slice_term<From, Width, E>> : collect<List, E> {};
template <class List, class F, class Groups, class E>
struct collect<List, equation::grouped_reduction_term<F, Groups, E>>
    : collect<List, equation::function_term<F, E>> {};
template <class List, class E, class Groups>
struct collect<List, equation::features_term<E, Groups>> : collect<List, E> {};
template <class List, class E>
struct collect<List, equation::transposed_term<E>> : collect<List, E> {};
template <class List, class Loss, class Of>
struct collect<List, equation::derivative_term<Loss, Of>> : collect_all<List, Loss, Of> {};
template <class List, equation::stands As, class Groups, class E>
struct collect<List, equation::standing_term<As, Groups, E>> : collect<List, E> {};
template <class List, class Key, class E>
struct collect<List, equation::gate_definition<Key, E>> : collect<List, E> {};
template <class List, class Key, class Width, class E>
struct collect<List, equation::state_update<Key, Width, E>> : collect<List, E> {};
template <class List, class Key, class Width, class E>
struct collect<List, equation::initial_definition<Key, Width, E>> : collect<List, E> {};
template <class List, class E>
struct collect<List, equation::output_definition<E>> : collect<List, E> {};
template <class List, class... Line>
struct collect<List, equation_set<Line...>> : collect_all<List, Line...> {};

} // namespace detail

/// The table of a set of equations.
template <class Lines>
using operations_of = detail::collect_t<built_in_operations, Lines>;

} // namespace sluice
