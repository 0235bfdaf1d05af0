// SPDX-License-Identifier: BSL-1.0
// Numbers as cuDNN stores them: float, double, half, bfloat16.
#pragma once

#include "cudnn_network.hpp"
#include <cudnn.h>

namespace host_device::cudnn {

std::size_t bytes_of(cudnnDataType_t type);
char const* name_of(cudnnDataType_t type);
/// To the nearest number of the type, and to the even one of two.
rounding rounding_of(cudnnDataType_t type);

double read(cudnnDataType_t type, void const* from, std::size_t index);
void write(cudnnDataType_t type, void* to, std::size_t index, double value);
reals read_all(cudnnDataType_t type, void const* from, std::size_t count);
void write_all(cudnnDataType_t type, void* to, reals const& values);

} // namespace host_device::cudnn
