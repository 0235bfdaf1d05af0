// SPDX-License-Identifier: BSL-1.0
// Cells whose states are matrices, kept in 16 bits on the default backend, against the reference in float;
// and sums over long sequences, which would stop growing if they were kept in so few digits on the way.
#include "storage_twins.hpp"
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/test_time.hpp>
#include <support/matrix_cells.hpp>

namespace storage_matrices_test {

using namespace storage_twins;
using sluice::bfloat16, sluice::half;

namespace {

constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};

} // namespace

TEST_CASE("storage matrices: gated attention and delta rules, in heads") {
    check<matrix_cells::gated_attention, bfloat16>(in_heads);
    check<matrix_cells::gated_delta_net, bfloat16>(in_heads);
    check<matrix_cells::gated_delta_net, half>(in_heads);
}
TEST_CASE("storage matrices: rows longer than a tile, which are summed over once") {
    check<matrix_cells::linear_attention, bfloat16>({.input = 3, .own = {{"keys", 85}, {"values", 91}}}, 5);
}
TEST_CASE("storage matrices: a derivative in the equations, and its own gradient") {
    check<sluice::ttt_linear, bfloat16>({.input = 3, .units = 14, .groups = 2}, 5, of_outputs,
                                        2 * of_gradients);
}
TEST_CASE("storage matrices: sums over many steps, of groups that run by themselves, and step by step") {
    check<sluice::mamba, bfloat16>({.input = 3, .units = 7, .own = {{"order", 5}, {"rank", 2}}}, 700);
    check<matrix_cells::nonlinear_memory, bfloat16>(in_heads, 100);
}

} // namespace storage_matrices_test
