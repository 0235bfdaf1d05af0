// SPDX-License-Identifier: BSL-1.0
// The operations that passes know by number, and the rules of differentiation as graphs.
#pragma once

#include <sluice/graph/graph.hpp>

namespace sluice {

/// The library's own rows of the table of operations, in its order; a user's follow.
enum function : int { f_add, f_subtract, f_multiply, f_divide, f_negate, f_copy, f_sum, own_functions };

/// The derivative of a function with respect to one operand: a graph in which input number k (`order`) stands for
/// operand k and, behind the last operand, for the value itself.
struct derivative_rule {
    basic_graph<list> rule{};
    int at = -1;
};
/// function -> operand -> rule
using derivative_rules_table = list<list<derivative_rule>>;

} // namespace sluice
