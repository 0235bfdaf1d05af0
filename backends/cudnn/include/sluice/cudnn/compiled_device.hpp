// SPDX-License-Identifier: BSL-1.0
// What of a program for a device depends on no equations, for float and double. The library sluice::cudnn
// compiles it, with SLUICE_DEVICE_RUNTIME defined as nothing; to a file that is linked with it
// SLUICE_DEVICE_RUNTIME is `extern`, and here are declarations only. With headers only it is not defined, and
// each file compiles what it needs, as it does of other scalars and of products with factors::tf32.
#pragma once

#include <sluice/cudnn/kernels/device_kernels.hpp>
#include <sluice/cudnn/resident/device_memory.hpp>
#include <sluice/cudnn/rnn/network_engine.hpp>
#include <sluice/cudnn/rnn/sent_engine.hpp>
#include <sluice/net/lazy_engine.hpp>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/compiled_net.hpp>
#include <sluice/sequence/stack_base.hpp>

#ifdef SLUICE_DEVICE_RUNTIME
namespace sluice {

#define SLUICE_DEVICE_RUNTIME_OF(S)                                                                          \
    SLUICE_DEVICE_RUNTIME template printed_kernel detail::print_kernel<S>(                                   \
        plan_view const&, int, sluice::detail::traced_functions<S> const&);                                  \
    SLUICE_DEVICE_RUNTIME template std::optional<printed_loop> detail::print_loop<S>(                        \
        plan_view const&, sluice::detail::traced_functions<S> const&);                                       \
    SLUICE_DEVICE_RUNTIME template void cudnn::detail::run_block(                                            \
        cudnn::queue&, void const*, printed_kernel (*)(), block_frame<S> const&, bool (*)(int),              \
        bool (*)(int));                                                                                      \
    SLUICE_DEVICE_RUNTIME template void cudnn::detail::run_loop(cudnn::queue&, void const*,                  \
                                                                printed_loop const&, loop_frame<S> const&);  \
    SLUICE_COMPILED_CELLS(SLUICE_DEVICE_RUNTIME, S, cudnn::kernels)                                          \
    SLUICE_DEVICE_RUNTIME template class stack_base<S, cudnn::kernels>;                                      \
    SLUICE_COMPILED_LEARNING(SLUICE_DEVICE_RUNTIME, S, host_memory<S, cudnn::kernels>)                       \
    SLUICE_COMPILED_NETS(SLUICE_DEVICE_RUNTIME, S, cudnn::device_memory<S, cudnn::kernels>)                  \
    SLUICE_COMPILED_LEARNING(SLUICE_DEVICE_RUNTIME, S, cudnn::device_memory<S, cudnn::kernels>)              \
    SLUICE_DEVICE_RUNTIME template class lazy_engine<S, cudnn::kernels>;                                     \
    SLUICE_DEVICE_RUNTIME template class cudnn::sent_engine<S, cudnn::kernels>;                              \
    SLUICE_DEVICE_RUNTIME template class cudnn::network_engine<S, cudnn::kernels>;

#ifdef SLUICE_DEVICE_RUNTIME_SCALAR // a file of the library
SLUICE_DEVICE_RUNTIME_OF(SLUICE_DEVICE_RUNTIME_SCALAR)
#else
SLUICE_DEVICE_RUNTIME_OF(float)
SLUICE_DEVICE_RUNTIME_OF(double)
#endif
#undef SLUICE_DEVICE_RUNTIME_OF

} // namespace sluice
#endif
