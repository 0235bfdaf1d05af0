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
struct functions_named {
    static constexpr int count = sizeof...(F);
    using table = sluice::operations_of<sluice::equation_set<sluice::equation::output_definition<
        sluice::equation::function_term<F, sluice::equation::operand_term<0>>>...>>;
    /// Their places in a table.
    template <class Table>
    static constexpr int places[] = {Table::template find<F>()...};
};

namespace operation = sluice::operation;
namespace activation = sluice::activation;

/// Of any number, and hardly larger than it.
using smooth_functions =
    functions_named<activation::relu, activation::softplus, activation::hard_sigmoid, operation::negate,
                    activation::softsign, activation::elu, activation::selu, activation::gelu,
                    activation::gelu_tanh, activation::silu, activation::mish, activation::hard_tanh,
                    activation::relu6, activation::tanh_shrink, activation::gaussian, activation::log_sigmoid,
                    operation::abs, operation::sin, operation::cos, operation::erf>;
/// Of numbers that are greater than 1.
using functions_of_positive = functions_named<operation::sqrt, operation::rsqrt, operation::log,
                                              operation::log1p, operation::reciprocal>;
/// Of numbers between -1 and 1.
using functions_of_small = functions_named<operation::exp, operation::expm1, operation::square>;
using functions_of_two =
    functions_named<operation::maximum, operation::minimum, squared_difference, activation::leaky_relu>;
using conditions =
    functions_named<operation::greater, operation::less, operation::greater_equal, operation::less_equal>;
using reductions = functions_named<operation::largest, operation::smallest, log_sum_exp>;
using steps = functions_named<operation::floor>;
using scans = functions_named<operation::cumulative_sum, operation::reverse_cumulative_sum>;

template <class... Named>
struct all_of;
template <class... F>
struct all_of<functions_named<F...>> {
    using table = typename functions_named<F...>::table;
};
template <class... F, class... G, class... More>
struct all_of<functions_named<F...>, functions_named<G...>, More...>
    : all_of<functions_named<F..., G...>, More...> {};

using table =
    all_of<functions_named<activation::sigmoid, activation::tanh, operation::choose, operation::power>,
           smooth_functions, functions_of_positive, functions_of_small, functions_of_two, conditions,
           reductions, scans, steps>::table;

template <class F>
inline constexpr int place = table::find<F>();

namespace f {
inline constexpr int add = sluice::f_add, subtract = sluice::f_subtract, multiply = sluice::f_multiply,
                     divide = sluice::f_divide, negate = sluice::f_negate, copy = sluice::f_copy,
                     sum = sluice::f_sum, sigmoid = place<activation::sigmoid>,
                     tanh = place<activation::tanh>, relu = place<activation::relu>,
                     exp = place<operation::exp>, maximum = place<operation::maximum>,
                     largest = place<operation::largest>, choose = place<operation::choose>,
                     floor = place<operation::floor>, power = place<operation::power>;
} // namespace f

/// The value of a function, in double; of a reduction or a scan, of what there is and one number more.
struct function {
    double (*value)(double, double, double) = nullptr; ///< of as many as it has operands, and any others
    double start = 0;
    bool reversed = false;
};

template <class F>
function function_of() {
    if constexpr (sluice::equation::scanning<F>)
        return {[](double before, double z, double) { return F::step(before, z); },
                F::template start<double>(), sluice::equation::is_reversed<F>};
    else if constexpr (sluice::equation::reduction<F>)
        return {[](double a, double b, double) { return F::combine(a, b); }, F::template start<double>()};
    else if constexpr (sluice::arity_of<F>() == 1)
        return {[](double a, double, double) { return F::value(a); }};
    else if constexpr (sluice::arity_of<F>() == 2)
        return {[](double a, double b, double) { return F::value(a, b); }};
    else
        return {[](double a, double b, double c) { return F::value(a, b, c); }};
}
template <class... F>
std::vector<function> functions_of(sluice::operation_list<F...>) {
    return {function_of<F>()...};
}
inline std::vector<function> const functions = functions_of(table{});

} // namespace random_cells
