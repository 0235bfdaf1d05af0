// SPDX-License-Identifier: BSL-1.0
// The compiled runtime (runtime.hpp), of programs that learn or have stacks of layers.
#pragma once

#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_base.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/sgd.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <sluice/xtensor/runtime/runtime.hpp>

#ifdef SLUICE_RUNTIME
namespace sluice {

#define SLUICE_RUNTIME_OF(S)                                                                                 \
    SLUICE_RUNTIME template class detail::optimizer_base<adam_options, S>;                                   \
    SLUICE_RUNTIME template class detail::optimizer_base<sgd_options, S>;                                    \
    SLUICE_RUNTIME template class detail::optimizer_core<S, adam_options>;                                   \
    SLUICE_RUNTIME template class detail::optimizer_core<S, sgd_options>;                                    \
    SLUICE_RUNTIME template void detail::step_numbers<adam_options, S, 2>(                                   \
        adam_options const&, std::int64_t, std::span<S>, std::span<S const>, std::array<S*, 2>);             \
    SLUICE_RUNTIME template void detail::step_numbers<sgd_options, S, 1>(                                    \
        sgd_options const&, std::int64_t, std::span<S>, std::span<S const>, std::array<S*, 1>);              \
    SLUICE_RUNTIME template detail::loss_of_row<mean_squared_error_rule, S>::loss_of_row(                    \
        mean_squared_error_rule const&, std::size_t);                                                        \
    SLUICE_RUNTIME template void detail::loss_of_row<mean_squared_error_rule, S>::with_targets(              \
        S*, S const*, double, double&);                                                                      \
    SLUICE_RUNTIME template detail::loss_of_row<softmax_cross_entropy_rule, S>::loss_of_row(                 \
        softmax_cross_entropy_rule const&, std::size_t);                                                     \
    SLUICE_RUNTIME template void detail::loss_of_row<softmax_cross_entropy_rule, S>::with_label(             \
        S*, std::size_t, double, double&);                                                                   \
    SLUICE_RUNTIME template class stack_base<S, xtensor::kernels>;                                           \
    SLUICE_COMPILED_LEARNING(SLUICE_RUNTIME, S, host_memory<S, xtensor::kernels>)

#ifdef SLUICE_RUNTIME_SCALAR // a file of the library
SLUICE_RUNTIME_OF(SLUICE_RUNTIME_SCALAR)
#else
SLUICE_RUNTIME_OF(float)
SLUICE_RUNTIME_OF(double)
#endif
#undef SLUICE_RUNTIME_OF

} // namespace sluice
#endif
