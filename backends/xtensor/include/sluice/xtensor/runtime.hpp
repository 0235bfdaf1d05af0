// SPDX-License-Identifier: BSL-1.0
// What of a program depends on no equations, for float and double. It is compiled with each program, unless
// the program links sluice::xtensor_compiled: to that library SLUICE_RUNTIME is defined as nothing, and it
// compiles all of these; to who links it as `extern`, and they are declared only.
#pragma once

#include <sluice/cell/settings.hpp>
#include <sluice/lower/leaves.hpp>
#include <sluice/lower/run.hpp>
#include <sluice/parameter/initializer.hpp>
#include <sluice/xtensor/kernels.hpp>

#ifdef SLUICE_RUNTIME
namespace sluice {

#define SLUICE_RUNTIME_OF(S)                                                                                 \
    SLUICE_RUNTIME template class memory_pool<S, xtensor::kernels>;                                          \
    SLUICE_RUNTIME template class scratch<S, xtensor::kernels>;                                              \
    SLUICE_RUNTIME template class sweep_memory<S, xtensor::kernels>;                                         \
    SLUICE_RUNTIME template class matrix_values<S>;                                                          \
    SLUICE_RUNTIME template class weights<S, xtensor::kernels>;                                              \
    SLUICE_RUNTIME template struct leaf_values<S>;                                                           \
    SLUICE_RUNTIME template class sweep_run<S, xtensor::kernels>;                                            \
    SLUICE_RUNTIME template void initialize(initializer const&, std::span<S>, shape_of_parameter const&,     \
                                            seed, std::string_view);                                         \
    SLUICE_RUNTIME template std::vector<S> detail::setting_values<S>(view<setting_entry> const&,             \
                                                                     settings const&);

SLUICE_RUNTIME_OF(float)
SLUICE_RUNTIME_OF(double)
#undef SLUICE_RUNTIME_OF

} // namespace sluice
#endif
