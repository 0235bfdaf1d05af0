// SPDX-License-Identifier: BSL-1.0
// A program: what the runner of a sweep needs of a page. The plan is a value; the functions are what the file
// of a user compiles of it.
//
//   the GRU, inference    run_block(kernels, plan, 0, frame)    r, u and r . h of [batch, units]
//                         run_block(kernels, plan, 1, frame)    n and the next h
#pragma once

#include <sluice/backend/block.hpp>
#include <sluice/backend/loop_frame.hpp>

namespace sluice {

template <class S, class Kernels>
struct fixed_frame;

/// Runs a whole step of a cell whose sizes are constants (execute/fixed_step.hpp).
template <class S, class Kernels>
using fixed_runner = void (*)(Kernels const&, fixed_frame<S, Kernels> const&) noexcept(Kernels::is_host);

template <class S, class Kernels>
struct sweep_program {
    graph_view graph{};
    plan_view plan{};
    block_runner<S, Kernels> run_block = nullptr;
    loop_runner<S, Kernels> run_loop = nullptr; ///< of backends that can run some loops as one piece of work
    fixed_runner<S, Kernels> run_fixed = nullptr; ///< of cells whose sizes are constants
    bool writes_copies = false;                   ///< whether it writes the copies of a fixed_frame
};

} // namespace sluice
