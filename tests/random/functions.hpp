// SPDX-License-Identifier: BSL-1.0
// The functions that random cells are made of: those of the library and two of a user, with their
// derivatives, by the place that they have in one table of operations.
#pragma once

#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/rules.hpp>
#include <vector>

namespace random_cells {

struct squared_difference {
    static constexpr std::string_view name = "squared_difference";
    template <class T>
    static T value(T a, T b) {
        return (a - b) * (a - b);
    }
    static constexpr auto derivative(auto a, auto b, auto) {
        using namespace sluice::equation;
        return each(2_n * (a - b), 2_n * (b - a));
    }
};

/// log(sum of e^z)
struct log_sum_exp {
    static constexpr std::string_view name = "log_sum_exp";
    template <class T>
    static T start() {
        return -std::numeric_limits<T>::infinity();
    }
    template <class T>
    static T combine(T a, T b) {
        using std::exp, std::log;
        return log(exp(a) + exp(b));
    }
    static constexpr auto derivative(auto z, auto y) { return exp(z - y); }
};

template <class... F>
using table_with = sluice::operations_of<sluice::equation_set<sluice::equation::output_definition<
    sluice::equation::function_term<F, sluice::equation::operand_term<0>>>...>>;
using table =
    table_with<sluice::activation::sigmoid, sluice::activation::tanh, sluice::activation::exp,
               sluice::activation::relu, sluice::activation::softplus, sluice::activation::hard_sigmoid,
               sluice::operation::maximum, sluice::operation::largest, squared_difference, log_sum_exp>;

template <class F>
inline constexpr int place = table::find<F>();

namespace f {
inline constexpr int add = sluice::f_add, subtract = sluice::f_subtract, multiply = sluice::f_multiply,
                     divide = sluice::f_divide, negate = sluice::f_negate, copy = sluice::f_copy,
                     sum = sluice::f_sum, sigmoid = place<sluice::activation::sigmoid>,
                     tanh = place<sluice::activation::tanh>, exp = place<sluice::activation::exp>,
                     relu = place<sluice::activation::relu>, softplus = place<sluice::activation::softplus>,
                     hard_sigmoid = place<sluice::activation::hard_sigmoid>,
                     maximum = place<sluice::operation::maximum>, largest = place<sluice::operation::largest>;
} // namespace f

/// The value of a function, in double; of a reduction, of what there is and one number more.
struct function {
    double (*value)(double, double) = nullptr;
    double start = 0;
};

template <class F>
function function_of() {
    if constexpr (sluice::equation::reduction<F>)
        return {[](double a, double b) { return F::combine(a, b); }, F::template start<double>()};
    else if constexpr (sluice::arity_of<F>() == 1)
        return {[](double a, double) { return F::value(a); }};
    else
        return {[](double a, double b) { return F::value(a, b); }};
}
template <class... F>
std::vector<function> functions_of(sluice::operation_list<F...>) {
    return {function_of<F>()...};
}
inline std::vector<function> const functions = functions_of(table{});

} // namespace random_cells
