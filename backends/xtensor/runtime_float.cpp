// SPDX-License-Identifier: BSL-1.0
// What of sluice::xtensor is for float: a file of its own, so that a program without floats links none of it.
#define SLUICE_RUNTIME_SCALAR float
#include "runtime_of_scalar.hpp"
