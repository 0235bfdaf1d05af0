// SPDX-License-Identifier: BSL-1.0
// The main function of tests that mpirun starts: each process runs all of them.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <sluice/mpi/process.hpp>

int main(int count, char** words) {
    sluice::mpi::process const process(count, words);
    return doctest::Context(count, words).run();
}
