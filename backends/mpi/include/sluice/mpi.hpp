// SPDX-License-Identifier: BSL-1.0
// Ranks that are processes of MPI:
//
//   int main() {
//       sluice::mpi::process process;
//       sluice::mpi::transport all;                    // of MPI_COMM_WORLD
//       train(all);                                    // sluice/distributed/transport.hpp
//   }
//
//   mpirun -np 4 program
#pragma once

#include <sluice/mpi/mpi_exchange.hpp>
#include <sluice/mpi/mpi_transport.hpp>
#include <sluice/mpi/process.hpp>
