// SPDX-License-Identifier: BSL-1.0
// The policy for CUDA devices in the suites that every backend passes.
#pragma once

#include <backend/conformance.hpp>
#include <sluice/cudnn.hpp>
#include <support/agreement.hpp>
#include <support/reducing_cells.hpp>

namespace planned_policy {

struct planned_driver {
    using backend = sluice::cudnn::planned;
    using kernels = sluice::cudnn::kernels;
};

/// A cell on the device and the reference agree.
template <class Which, class S>
void device_agrees(double tolerance) {
    support::they_agree<support::subject<Which, S, sluice::cudnn::planned>, support::reference<Which, S>>(
        tolerance);
}

} // namespace planned_policy
