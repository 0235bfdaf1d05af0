// SPDX-License-Identifier: BSL-1.0
// Dropout descriptors. The numbers come from the buffer of states alone: every call that draws changes all of
// it, so that a saved copy, and nothing less, repeats a run.
#include "cudnn_objects.hpp"
#include <cstring>

using namespace host_device;
using namespace host_device::cudnn;

namespace host_device::cudnn {
namespace {
constexpr std::uint64_t mark = 0x534C5549434544'0Fu;
constexpr std::size_t numbers = (dropout_states_bytes - sizeof(mark)) / sizeof(std::uint64_t);
} // namespace

void make_dropout_states(void* states, unsigned long long seed) {
    std::uint64_t content[1 + numbers] = {mark};
    for (std::size_t i = 0; i < numbers; ++i)
        content[1 + i] = scrambled(seed + scrambled(i));
    std::memcpy(states, content, sizeof content);
}

std::uint64_t draw_dropout_seed(void* states) {
    std::uint64_t content[1 + numbers], seed = 0;
    std::memcpy(content, states, sizeof content);
    if (content[0] != mark)
        stop({"the states of dropout were not made by cudnnSetDropoutDescriptor, or were overwritten"});
    for (std::size_t i = 1; i <= numbers; ++i) {
        seed = scrambled(seed ^ content[i]);
        content[i] = scrambled(content[i]);
    }
    std::memcpy(states, content, sizeof content);
    return seed;
}
} // namespace host_device::cudnn

namespace {

/// A buffer of states that is given has to be large enough; without one there is no dropout to be had.
cudnnStatus_t check(cudnnDropoutDescriptor_t given, cudnnHandle_t handle, float rate, void* states,
                    std::size_t bytes) {
    if (handle == nullptr || given == nullptr)
        return bad_param({"the handle or the dropout descriptor is NULL"});
    if (!(rate >= 0 && rate <= 1))
        stop({"the rate of dropout is ", rate, ", not within 0 and 1; the real library takes it in silence"});
    if (states != nullptr && bytes < dropout_states_bytes)
        return bad_param({"the buffer of states has ", bytes, " bytes and needs ", dropout_states_bytes});
    if (states != nullptr)
        require_device("the states of dropout", states, dropout_states_bytes);
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* out) {
    return create("cudnnCreateDropoutDescriptor", out);
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t given) {
    return destroy("cudnnDestroyDropoutDescriptor", "the dropout descriptor", given);
}

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t* bytes) {
    return called("cudnnDropoutGetStatesSize", [&] {
        if (handle == nullptr || bytes == nullptr)
            return bad_param({"the handle or the place for the size is NULL"});
        alive("the handle", handle);
        *bytes = dropout_states_bytes;
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t given, cudnnHandle_t handle, float rate,
                                        void* states, size_t bytes, unsigned long long seed) {
    return called("cudnnSetDropoutDescriptor", [&] {
        if (auto const status = check(given, handle, rate, states, bytes); status != CUDNN_STATUS_SUCCESS)
            return status;
        auto const stream = alive("the handle", handle).stream;
        alive("the dropout descriptor", given) = {true, rate, states, bytes, seed};
        if (states != nullptr && enqueue(stream, "cudnnSetDropoutDescriptor",
                                         {writes("the states of dropout", states, dropout_states_bytes)},
                                         [=] { make_dropout_states(states, seed); }) != cudaSuccess)
            return refuse(CUDNN_STATUS_EXECUTION_FAILED_CUDART, {"the stream does not take work"});
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t given, cudnnHandle_t handle, float rate,
                                            void* states, size_t bytes, unsigned long long seed) {
    return called("cudnnRestoreDropoutDescriptor", [&] {
        if (auto const status = check(given, handle, rate, states, bytes); status != CUDNN_STATUS_SUCCESS)
            return status;
        alive("the handle", handle);
        alive("the dropout descriptor", given) = {true, rate, states, bytes, seed};
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t given, cudnnHandle_t handle, float* rate,
                                        void** states, unsigned long long* seed) {
    return called("cudnnGetDropoutDescriptor", [&] {
        if (handle == nullptr || given == nullptr)
            return bad_param({"the handle or the dropout descriptor is NULL"});
        alive("the handle", handle);
        auto const& dropout = alive("the dropout descriptor", given);
        if (rate != nullptr)
            *rate = dropout.rate;
        if (states != nullptr)
            *states = dropout.states;
        if (seed != nullptr)
            *seed = dropout.seed;
        return CUDNN_STATUS_SUCCESS;
    });
}

} // extern "C"
