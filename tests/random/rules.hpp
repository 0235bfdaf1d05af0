// SPDX-License-Identifier: BSL-1.0
// The derivatives of the functions of random cells, as graphs; a and b are the operands, y the value.
#pragma once

#include <random/builder.hpp>

namespace random_cells {

inline sluice::derivative_rules_table make_rules() {
    sluice::derivative_rules_table rules(function_count);
    auto const rule = [&](int f, auto const& derivative) {
        builder b;
        int operands[3] = {};
        int const arity = functions[f].arity;
        for (int k = 0; k <= arity; ++k)
            operands[arity == 1 && k == 1 ? 2 : k] = b.g.add({.kind = op::input, .order = k});
        sluice::derivative_rule r;
        r.at = derivative(b, operands[0], operands[1], operands[2]);
        r.rule = b.g;
        rules[f].push_back(r);
    };
    using bld = builder&;
    auto const one = [](bld b, int, int, int) { return b.number(1); };
    auto const nothing = [](bld b, int, int, int) { return b.number(0); };
    auto const minus_one = [](bld b, int, int, int) { return b.number(-1); };
    auto const one_minus = [](bld b, int e) { return b.apply(subtract, b.number(1), e); };
    rule(add, one);
    rule(add, one);
    rule(subtract, one);
    rule(subtract, minus_one);
    rule(multiply, [](bld, int, int b_, int) { return b_; });
    rule(multiply, [](bld, int a, int, int) { return a; });
    rule(divide, [](bld b, int, int b_, int) { return b.apply(divide, b.number(1), b_); });
    rule(divide, [](bld b, int, int b_, int y) { return b.apply(negate, b.apply(divide, y, b_)); });
    rule(negate, minus_one);
    rule(copy, one);
    rule(sum, one);
    rule(sigmoid, [&](bld b, int, int, int y) { return b.apply(multiply, y, one_minus(b, y)); });
    rule(tanh, [&](bld b, int, int, int y) { return one_minus(b, b.apply(multiply, y, y)); });
    rule(exp, [](bld, int, int, int y) { return y; });
    rule(relu, [](bld b, int a, int, int) { return b.apply(step, a); });
    rule(step, nothing);
    rule(softplus, [](bld b, int a, int, int) { return b.apply(sigmoid, a); });
    rule(maximum, [](bld b, int a, int b_, int) { return b.apply(step, b.apply(subtract, a, b_)); });
    rule(maximum,
         [&](bld b, int a, int b_, int) { return one_minus(b, b.apply(step, b.apply(subtract, a, b_))); });
    rule(max, [&](bld b, int a, int, int y) { return one_minus(b, b.apply(step, b.apply(subtract, y, a))); });
    return rules;
}

} // namespace random_cells
