// SPDX-License-Identifier: BSL-1.0
// The file is for the CPU that compiles, the runtime that it links for another.
// expect: sluice: a file for the CPU that compiles .* a runtime for that CPU; link sluice::xtensor_native in the place of sluice::xtensor
#define SLUICE_RUNTIME extern
#define SLUICE_IS_NATIVE
#ifdef ACCEPT
#define SLUICE_RUNTIME_IS_NATIVE
#endif
#include <sluice/xtensor.hpp>
