// SPDX-License-Identifier: BSL-1.0
// Two gates that need each other.
// expect: a gate is defined through itself; break the circle with a state
// expect: in_gate<boost::hana::string<'f'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;

constexpr auto g = gate<"g">;
#ifdef ACCEPT
constexpr auto last = state<"g">;
#else
constexpr auto last = g;
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f"> + last), g = tanh(f * h), next(h) = f + g
#ifdef ACCEPT
                      ,
                      next(last) = g
#endif
        );
};

constexpr auto text = sluice::print<my_cell>();
