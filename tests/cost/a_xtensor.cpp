// SPDX-License-Identifier: BSL-1.0
// What the others are measured by: the headers of xtensor and xtensor-blas.
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xtensor.hpp>

int main() {}
