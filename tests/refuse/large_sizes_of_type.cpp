// SPDX-License-Identifier: BSL-1.0
// Sizes in the type of a cell that multiply to more than memory can have.
// expect: sluice: the sizes multiply to more numbers than memory can have; choose smaller ones
#include <sluice/cells/dense.hpp>
#include <sluice/xtensor.hpp>

#ifdef ACCEPT
constexpr std::size_t width = 1 << 4;
#else
constexpr std::size_t width = std::size_t(1) << 40;
#endif
using cell = sluice::cell<sluice::dense, sluice::extents<sluice::sizes{.input = width, .units = width}>>;
auto make() {
    return cell();
}
