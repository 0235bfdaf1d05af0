// SPDX-License-Identifier: BSL-1.0
// CUDA devices: everything. It needs the headers of the CUDA toolkit and of cuDNN, and no nvcc.
#pragma once

#include <sluice/cudnn/compiled_device.hpp>
#include <sluice/cudnn/device_gradient_sum.hpp>
#include <sluice/cudnn/device_loss.hpp>
#include <sluice/cudnn/device_optimizer.hpp>
#include <sluice/cudnn/explain.hpp>
#include <sluice/cudnn/planned_policy.hpp>
#include <sluice/cudnn/resident.hpp>
#include <sluice/cudnn/resident/resident_check.hpp>
#include <sluice/cudnn/runtime/device.hpp>
#include <sluice/sluice.hpp>
