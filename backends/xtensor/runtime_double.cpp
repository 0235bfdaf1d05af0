// SPDX-License-Identifier: BSL-1.0
// What of sluice::xtensor is for double: a file of its own, so that a program without doubles links none of it.
#define SLUICE_RUNTIME_SCALAR double
#include "runtime_of_scalar.hpp"
