// SPDX-License-Identifier: BSL-1.0
// Matrix values, in generated kernels.
#include <device/planned.hpp>
#include <support/matrix_cells.hpp>

namespace planned_matrices_test {

namespace {

inline constexpr sluice::sizes plain{.input = 3, .own = {{"keys", 5}, {"values", 7}}};
inline constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};
inline constexpr sluice::sizes with_units{.input = 3, .units = 10, .own = {{"values", 6}, {"heads", 2}}};
inline constexpr sluice::sizes without_heads{.input = 3, .units = 6, .own = {{"keys", 5}, {"values", 7}}};

} // namespace

TEST_CASE("planned matrices: states that are matrices on a CUDA device") {
    using namespace matrix_cells;
    planned_policy::device_agrees<support::sized<linear_attention, plain>, double>(1e-11);
    planned_policy::device_agrees<support::sized<gated_delta_net, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<elementwise, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<mixed, with_units>, double>(1e-11);
    planned_policy::device_agrees<support::sized<nonlinear_memory, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<row_products, without_heads>, double>(1e-11);
}

} // namespace planned_matrices_test
