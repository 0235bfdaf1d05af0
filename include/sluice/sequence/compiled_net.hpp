// SPDX-License-Identifier: BSL-1.0
// Cells and nets as explicit instantiations: what the compiled runtime of a backend has of them, and what a
// file that is linked with it only declares. LINKAGE is nothing or `extern`.
//
//   SLUICE_COMPILED_CELLS(extern, float, xtensor::kernels)      cells in memory of the host
//   SLUICE_COMPILED_NETS(extern, float, net memory)             nets in any memory; one of those
//   SLUICE_COMPILED_LEARNING(extern, float, net memory)         after sequence/backward.hpp
#pragma once

#include <sluice/cell/net_base.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/lowering.hpp>
#include <sluice/net/net.hpp>
#include <sluice/net/steps.hpp>
#include <sluice/sequence/unroll.hpp>

// A memory has commas, so it is the rest of the arguments.
#define SLUICE_COMPILED_NETS(LINKAGE, S, ...)                                                                \
    LINKAGE template class net<__VA_ARGS__>;                                                                 \
    LINKAGE template class net_steps<__VA_ARGS__>;                                                           \
    LINKAGE template void detail::unroll_net(net<__VA_ARGS__> const&, net<__VA_ARGS__>::programs,            \
                                             std::span<S const>, std::vector<__VA_ARGS__::tensor>,           \
                                             std::vector<__VA_ARGS__::tensor>&, unroll_options const&,       \
                                             std::optional<std::uint64_t>, net_run<__VA_ARGS__>&);           \
    LINKAGE template __VA_ARGS__::tensor detail::infer_net(                                                  \
        net<__VA_ARGS__> const&, net<__VA_ARGS__>::programs, std::span<S const>,                             \
        std::vector<__VA_ARGS__::tensor>, std::vector<__VA_ARGS__::tensor>&, unroll_options const&);         \
    LINKAGE template std::vector<__VA_ARGS__::tensor> start_states(net<__VA_ARGS__> const&,                  \
                                                                   std::span<S const>, std::size_t);         \
    LINKAGE template std::vector<__VA_ARGS__::tensor> detail::zero_states_of(net<__VA_ARGS__> const&,        \
                                                                             std::size_t);

#define SLUICE_COMPILED_CELLS(LINKAGE, S, KERNELS)                                                           \
    SLUICE_COMPILED_NETS(LINKAGE, S, host_memory<S, KERNELS>)                                                \
    LINKAGE template struct net_run<host_memory<S, KERNELS>>;                                                \
    LINKAGE template std::shared_ptr<engine<S, KERNELS>> make_planned_engine(page_view const&);              \
    LINKAGE template xt::xtensor<S, 3> detail::infer_in_place(                                               \
        net<host_memory<S, KERNELS>> const&, net<host_memory<S, KERNELS>>::programs, std::span<S const>,     \
        sluice::detail::taken_inputs<S> const&, std::span<xt::xtensor<S, 2> const>, reset_mask const&,       \
        std::vector<xt::xtensor<S, 3>>&);                                                                    \
    LINKAGE template class net_base<S, KERNELS>;                                                             \
    LINKAGE template void net_base<S, KERNELS>::require_state(                                               \
        std::string_view, std::string_view, std::size_t, std::size_t, xt::xtensor<S, 3> const&) const;       \
    LINKAGE template void net_base<S, KERNELS>::require_states(                                              \
        std::string_view, std::string_view, std::size_t, std::span<xt::xtensor<S, 2> const>) const;          \
    LINKAGE template void net_base<S, KERNELS>::require_states(                                              \
        std::string_view, std::string_view, std::size_t, std::span<xt::xtensor<S, 3> const>) const;

#define SLUICE_COMPILED_LEARNING(LINKAGE, S, ...)                                                            \
    LINKAGE template std::vector<__VA_ARGS__::tensor> detail::back_net(                                      \
        net<__VA_ARGS__> const&, net<__VA_ARGS__>::programs, std::span<S const>,                             \
        net_tape<__VA_ARGS__> const&, __VA_ARGS__::tensor, std::vector<__VA_ARGS__::tensor>&,                \
        backward_options<S> const&, bool, std::span<S>);
