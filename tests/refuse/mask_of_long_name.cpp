// SPDX-License-Identifier: BSL-1.0
// A state whose name leaves no room for that of its mask.
// expect: sluice: zoneout_ and the name of a state have more than 31 letters together; give the state a shorter name
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto s = state<"state_with_a_name_of_23">;
#else
constexpr auto s = state<"a_state_with_a_name_of_x">;
#endif

struct my_cell {
    static constexpr auto equations = sluice::lines(next(s) = tanh(x * W<"s"> + s * R<"s">));
};

constexpr auto text = sluice::print<sluice::zoneout<my_cell>>();
