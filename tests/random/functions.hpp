// SPDX-License-Identifier: BSL-1.0
// The table of operations that random cells are made of: each with its value in plain arithmetic. The library's own
// stand first, in its order.
#pragma once

#include <cmath>
#include <limits>
#include <sluice/graph/operation.hpp>

namespace random_cells {

enum function_number : int {
    add,
    subtract,
    multiply,
    divide,
    negate,
    copy,
    sum,
    sigmoid,
    tanh,
    exp,
    relu,
    step,
    softplus,
    maximum,
    max,
    function_count
};
static_assert(int(divide) == sluice::f_divide && int(copy) == sluice::f_copy && int(sum) == sluice::f_sum &&
              int(sigmoid) == sluice::own_functions);

struct function {
    std::string_view name{};
    int arity = 1;
    double (*value)(double, double) = nullptr; ///< of a reduction: what is there, and one number more
    std::string_view sign{};
    int strength = 3;
    bool cheap = false;
    bool reduction = false;
    double start = 0; ///< of a reduction
};

inline function const functions[function_count] = {
    {.name = "add",
     .arity = 2,
     .value = [](double a, double b) { return a + b; },
     .sign = "+",
     .strength = 1,
     .cheap = true},
    {.name = "subtract",
     .arity = 2,
     .value = [](double a, double b) { return a - b; },
     .sign = "-",
     .strength = 1,
     .cheap = true},
    {.name = "multiply",
     .arity = 2,
     .value = [](double a, double b) { return a * b; },
     .sign = ".",
     .strength = 2,
     .cheap = true},
    {.name = "divide",
     .arity = 2,
     .value = [](double a, double b) { return a / b; },
     .sign = "/",
     .strength = 2},
    {.name = "negate",
     .value = [](double a, double) { return -a; },
     .sign = "-",
     .strength = 1,
     .cheap = true},
    {.name = "copy", .value = [](double a, double) { return a; }, .cheap = true},
    {.name = "sum", .value = [](double a, double b) { return a + b; }, .reduction = true},
    {.name = "sigmoid", .value = [](double a, double) { return 1 / (1 + std::exp(-a)); }},
    {.name = "tanh", .value = [](double a, double) { return std::tanh(a); }},
    {.name = "exp", .value = [](double a, double) { return std::exp(a); }},
    {.name = "relu", .value = [](double a, double) { return a > 0 ? a : 0; }},
    {.name = "step", .value = [](double a, double) { return a > 0 ? 1.0 : 0.0; }},
    {.name = "softplus",
     .value = [](double a, double) { return (a > 0 ? a : 0) + std::log1p(std::exp(-std::abs(a))); }},
    {.name = "maximum", .arity = 2, .value = [](double a, double b) { return a > b ? a : b; }},
    {.name = "max",
     .value = [](double a, double b) { return a > b ? a : b; },
     .reduction = true,
     .start = -std::numeric_limits<double>::infinity()},
};

inline sluice::list<sluice::operation_row> operation_rows() {
    sluice::list<sluice::operation_row> rows;
    for (function const& f : functions)
        rows.push_back({.called = f.name,
                        .arity = f.arity,
                        .cheap = f.cheap,
                        .reduction = f.reduction,
                        .strength = f.strength,
                        .sign = f.sign});
    return rows;
}

} // namespace random_cells
