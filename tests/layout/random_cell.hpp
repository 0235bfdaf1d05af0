// SPDX-License-Identifier: BSL-1.0
// A cell of random numbers for each convention.
#pragma once

#include <sluice/cell/cell.hpp>
#include <sluice/layout/all.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace conventions_test {

using namespace sluice;
using namespace support;

template <class C, class S = double>
using cell_for = cell<typename C::page, S, xtensor::reference>;

/// A cell of random numbers, whose groups are alike where a convention ties them.
template <class C, class S = double>
cell_for<C, S> random_cell() {
    sizes n{.input = 5, .units = 7};
    for (parameter_entry const& p : layout::describe<C>().parameters) {
        if (p.rank == 3)
            n = {.input = 4, .units = 10, .projection = n.projection, .groups = 2};
        if (p.called == name("W_P"))
            n.projection = 6;
    }
    cell_for<C, S> made(n, seed{3});
    randomize(made);
    made.visit_tensors([&](std::string_view, auto shape, auto values) {
        if (shape.empty())
            values[0] = 0.375;
        if (requires { C::ties_groups; } && shape.size() == 3)
            for (std::size_t i = values.size() / shape[0]; i < values.size(); ++i)
                values[i] = values[i - values.size() / shape[0]];
    });
    return made;
}

} // namespace conventions_test
