// SPDX-License-Identifier: BSL-1.0
// What a file includes that only runs cells: steps, infer, unroll, stream. <sluice/xtensor.hpp> is this and
// all else: stacks of layers, backward, losses, optimisers, checks of gradients. It takes longer to compile.
#pragma once

#include <sluice/core/config.hpp>
#if __cplusplus >= 202002L // otherwise config.hpp has said so, and nothing is to be heard after it

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>

#include <sluice/cell/cell.hpp>
#include <sluice/sequence/batch_major.hpp>
#include <sluice/sequence/stream.hpp>
#include <sluice/sequence/unroll.hpp>
#include <sluice/xtensor/planned.hpp>
#include <sluice/xtensor/runtime/runtime.hpp>

namespace sluice {

struct default_backend : xtensor::planned {};

namespace detail {
template <class Net>
struct learning; // which sequence/backward.hpp defines
}

/// Says which header is missing, where it is.
template <any_net Net, class... Given>
    requires(!requires { sizeof(detail::learning<Net>); })
void backward(Net const&, Given const&...) {
    static_assert(
        never<Net>,
        "sluice: <sluice/xtensor/step.hpp> has what runs cells; include <sluice/xtensor.hpp>, which "
        "has backward and all else of learning too");
}

} // namespace sluice

#endif
