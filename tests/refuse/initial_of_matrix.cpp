// SPDX-License-Identifier: BSL-1.0
// A state that starts at a matrix.
// expect: a state starts at a parameter that is a vector, as in initial.h. = vector<.*h0.*>; bias<> and fixed.vector<>. are others
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto h0 = fixed(vector<"h0">);
#else
constexpr auto h0 = matrix<"h0">;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), initial(h) = h0);
};

constexpr auto text = sluice::print<my_cell>();
