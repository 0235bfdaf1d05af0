// SPDX-License-Identifier: BSL-1.0
// A dense layer: a cell without a state.
//
//   y = x W_y + b_y        [batch, input] -> [batch, units]
#pragma once

#include <sluice/cell/cell.hpp>

namespace sluice {

constexpr auto dense_equations() {
    using namespace equation;
    return equations(output = x * W<"y"> + b<"y">);
}

struct dense_options {
    std::size_t input = 0;
    std::size_t num_units = 0;
};

template <class Scalar = float, class Backend = default_backend, sizes Extents = sizes{}>
class dense : public basic_cell<decltype(dense_equations()), Scalar, Backend, Extents> {
public:
    explicit dense(dense_options const& o, seed from = {})
        : basic_cell<decltype(dense_equations()), Scalar, Backend, Extents>(
              {.input = o.input, .units = o.num_units}, from) {}
};

} // namespace sluice
