// SPDX-License-Identifier: BSL-1.0
// Cells that stay on the device: cuDNN's and others, also with a projection, in groups, and of 16 bits.
#include "resident.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace resident_cells_test {

using namespace resident_test;

TEST_CASE("resident cells: a GRU stays on the device as kernels of its plans, and gives what the CPU does") {
    check_cell<sluice::gru, double, generated>({.input = 3, .units = 5});
    check_cell<sluice::gru, float, device>({.input = 3, .units = 5});
}

TEST_CASE("resident cells: a cell that is cuDNN's stays on the device as its call, but for resets") {
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    check_cell<sluice::cudnn_gru, double, device>({.input = 3, .units = 5});
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 4); // unroll and infer
    check_cell<sluice::lstm, float, device>({.input = 4, .units = 3});
}

TEST_CASE("resident cells: an LSTM with a projection, and one in groups, stay on the device") {
    check_cell<sluice::projected_lstm, double, device>({.input = 3, .units = 5, .projection = 2});
    check_cell<sluice::glstm, double, device>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("resident cells: numbers of 16 bits stay on the device") {
    check_cell<sluice::lstm, sluice::half, device>({.input = 3, .units = 4});
}

} // namespace resident_cells_test
