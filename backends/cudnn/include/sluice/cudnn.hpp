// SPDX-License-Identifier: BSL-1.0
// CUDA devices: everything. It needs the headers of the CUDA toolkit and of cuDNN, and no nvcc.
#pragma once

#include <sluice/cudnn/device.hpp>
#include <sluice/cudnn/explain.hpp>
#include <sluice/cudnn/loss.hpp>
#include <sluice/cudnn/optimizer.hpp>
#include <sluice/cudnn/planned.hpp>
#include <sluice/cudnn/resident.hpp>
#include <sluice/cudnn/resident_check.hpp>
#include <sluice/sluice.hpp>
