// SPDX-License-Identifier: BSL-1.0
// What of a program depends on no equations, for float and double. The library sluice::xtensor compiles it,
// with SLUICE_RUNTIME defined as nothing; to a file that is linked with it SLUICE_RUNTIME is `extern`, and
// here are declarations only. With headers only it is not defined, and each file compiles what it needs.
// This is what running takes; runtime_of_training.hpp has the rest.
#pragma once

#include <sluice/parameter/parameters.hpp>
#include <sluice/sequence/compiled_net.hpp>
#include <sluice/xtensor/host_kernels.hpp>

#ifdef SLUICE_RUNTIME
#if defined(SLUICE_IS_NATIVE) && !defined(SLUICE_RUNTIME_IS_NATIVE)
#error                                                                                                       \
    "sluice: a file for the CPU that compiles (sluice::native) expects a runtime for that CPU; link sluice::xtensor_native in the place of sluice::xtensor, or sluice::xtensor_header_only"
#endif
namespace sluice {

SLUICE_RUNTIME template void fail<std::invalid_argument>(std::initializer_list<sentence_part>);
SLUICE_RUNTIME template void fail<std::logic_error>(std::initializer_list<sentence_part>);
SLUICE_RUNTIME template void append(std::initializer_list<sentence_part>, std::string&);
SLUICE_RUNTIME template void
    detail::fail_of_shape<std::invalid_argument>(std::initializer_list<sentence_part>,
                                                 std::span<std::size_t const>, std::span<std::size_t const>);
SLUICE_RUNTIME template void detail::require_rows(std::string_view, unroll_options const&, std::size_t,
                                                  std::size_t);

#define SLUICE_RUNTIME_OF(S)                                                                                 \
    SLUICE_COMPILED_CELLS(SLUICE_RUNTIME, S, xtensor::kernels)                                               \
    SLUICE_RUNTIME template class xtensor::packed_matrix<S>;                                                 \
    SLUICE_RUNTIME template class xtensor::row_product<S>;                                                   \
    SLUICE_RUNTIME template void xtensor::multiply_packed(                                                   \
        std::size_t, std::size_t, std::size_t, S const*, std::size_t, xtensor::packed_matrix<S> const&,      \
        matrix_part const&, S*, std::size_t, bool, xtensor::column_parts const&);                            \
    SLUICE_RUNTIME template void xtensor::multiply_outer(std::size_t, std::size_t, std::size_t, S const*,    \
                                                         std::size_t, S const*, std::size_t, S*,             \
                                                         std::size_t, bool);                                 \
    SLUICE_RUNTIME template class parameter_tensor<S, 1>;                                                    \
    SLUICE_RUNTIME template class parameter_tensor<S, 2>;                                                    \
    SLUICE_RUNTIME template arena<S> detail::zero_arena<S>(view<parameter_entry>, sizes const&);             \
    SLUICE_RUNTIME template arena<S> detail::unwritten_arena<S>(view<parameter_entry>, sizes const&);        \
    SLUICE_RUNTIME template class arena<S>;                                                                  \
    SLUICE_RUNTIME template void detail::bind_tensors(std::span<tensor_place const>, std::span<S>,           \
                                                      std::span<parameter_tensor<S, 1>>);                    \
    SLUICE_RUNTIME template void detail::bind_tensors(std::span<tensor_place const>, std::span<S>,           \
                                                      std::span<parameter_tensor<S, 2>>);                    \
    SLUICE_RUNTIME template struct detail::taken_inputs<S>;                                                  \
    SLUICE_RUNTIME template void detail::take_input<2>(std::string_view, std::string_view, std::size_t,      \
                                                       xt::xtensor<S, 2> const&, bool,                       \
                                                       sluice::detail::taken_inputs<S>&);                    \
    SLUICE_RUNTIME template void detail::take_input<3>(std::string_view, std::string_view, std::size_t,      \
                                                       xt::xtensor<S, 3> const&, bool,                       \
                                                       sluice::detail::taken_inputs<S>&);                    \
    SLUICE_RUNTIME template std::vector<xt::xtensor<S, 3>> detail::rows_of_states<S>(                        \
        std::span<xt::xtensor<S, 2> const>);                                                                 \
    SLUICE_RUNTIME template void detail::states_of_rows<S>(std::vector<xt::xtensor<S, 3>>&&,                 \
                                                           std::span<xt::xtensor<S, 2>>);

#ifdef SLUICE_RUNTIME_SCALAR // a file of the library
SLUICE_RUNTIME_OF(SLUICE_RUNTIME_SCALAR)
#else
SLUICE_RUNTIME_OF(float)
SLUICE_RUNTIME_OF(double)
#endif
#undef SLUICE_RUNTIME_OF

} // namespace sluice
#endif
