// SPDX-License-Identifier: BSL-1.0
// Sizes in the type of a cell that multiply to more than memory can have.
// expect: sluice: the sizes multiply to more numbers than memory can have; choose smaller ones
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

using cell = sluice::cell<sluice::dense_equations(), float, sluice::default_backend,
#ifdef ACCEPT
                          sluice::sizes{.input = 1 << 4, .units = 1 << 4}>;
#else
                          sluice::sizes{.input = std::size_t(1) << 40, .units = std::size_t(1) << 40}>;
#endif
auto make() {
    return cell();
}
