// SPDX-License-Identifier: BSL-1.0
// What of sluice::cudnn is for double: a file of its own, so that a program without doubles links none of it.
#ifndef SLUICE_DEVICE_RUNTIME
#error "the library is compiled with SLUICE_DEVICE_RUNTIME defined as nothing: -DSLUICE_DEVICE_RUNTIME="
#endif
#define SLUICE_DEVICE_RUNTIME_SCALAR double
#include <sluice/cudnn/compiled_device.hpp>
