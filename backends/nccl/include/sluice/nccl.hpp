// SPDX-License-Identifier: BSL-1.0
// Ranks that each have a GPU, and add up numbers that lie there:
//
//   sluice::run_ranks(gpus, [](sluice::transport& words) {     // or processes: sluice::mpi::transport
//       cudaSetDevice(words.rank());
//       sluice::nccl::transport all(words);                    // sluice/nccl/nccl_transport.hpp
//       ...
//   });
#pragma once

#include <sluice/nccl/communicator.hpp>
#include <sluice/nccl/nccl_transport.hpp>
