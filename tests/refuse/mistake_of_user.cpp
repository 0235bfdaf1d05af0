// SPDX-License-Identifier: BSL-1.0
// A mistake that is the user's own: nothing of the library is in the error.
// expect: error: .*foo
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

int main() {
#ifdef ACCEPT
    return 0;
#else
    return foo;
#endif
}
