// SPDX-License-Identifier: BSL-1.0
// What a test can ask of the cuDNN of the host-made device, and make it do.
#pragma once

#include <cudnn.h>
#include <string_view>

namespace host_device {

/// How often an entry point was called, such as "cudnnRNNForward"; without a name, how often any was.
long cudnn_calls(std::string_view entry_point = {});

/// How many handles and descriptors of cuDNN are alive.
long cudnn_objects();

/// The n-th call of this entry point from now on does nothing and returns the status. n = 0 takes it back.
void fail_cudnn(std::string_view entry_point, cudnnStatus_t status, long n = 1);

/// The distance that floats of cuDNN may have from those of the CPU. On a GPU its persistent kernels
/// approximate tanh and the sigmoid.
double distance_of_cudnn();

} // namespace host_device
