// SPDX-License-Identifier: BSL-1.0
// The main function of the tests of ranks with the real NCCL: as many ranks as there are GPUs, 4 at most.
// NCCL takes no two ranks on one GPU, so that one GPU has one rank.
#define DOCTEST_CONFIG_IMPLEMENT
#include "on_ranks.hpp"

#include <doctest/doctest.h>
#include <iostream>
#include <sluice/cudnn/runtime/device.hpp>

int on_ranks::most_ranks() {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? std::clamp(devices, 1, 4) : 1;
}
void on_ranks::choose_device(int rank) {
    sluice::cudnn::require(cudaSetDevice(rank), {"make device ", rank, " current"});
}

int main(int count, char** words) {
    if (!sluice::cudnn::device_available()) {
        std::cout << "skipped: no GPU\n";
        return 0;
    }
    std::cout << on_ranks::most_ranks() << " ranks, each with a GPU, and NCCL "
              << sluice::nccl::detail::version_of_library() << '\n';
    return doctest::Context(count, words).run();
}
