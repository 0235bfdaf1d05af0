// SPDX-License-Identifier: BSL-1.0
// The initial values of a page are not called as they are.
// expect: sluice: the initial_values of a page are called for the start of each parameter: start operator
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h">));
    struct initial_values {
#ifdef ACCEPT
        sluice::start operator()(sluice::parameter_role const& p, sluice::sizes const&) const {
#else
        sluice::start operator()(sluice::parameter_role const& p) const {
#endif
            return default_start(p);
    }
};
}
;

auto make() {
    return sluice::cell<my_cell>({.input = 3, .units = 5});
}
