// SPDX-License-Identifier: BSL-1.0
// The sizes of temporary spaces, and the forward call.
#include "cudnn_reserve.hpp"

using namespace host_device;
using namespace host_device::cudnn;

namespace {

/// The rate, and the states that it draws from; NULL where nothing is to be drawn.
cudnnStatus_t find_dropout(cudnnRNNStruct const& rnn, bool training, double& rate, void*& states) {
    rate = 0;
    states = nullptr;
    if (!training || rnn.dropout == nullptr)
        return CUDNN_STATUS_SUCCESS;
    auto const& now = alive("the dropout descriptor", rnn.dropout);
    auto const& then = rnn.dropout_then;
    if (then.set && (then.rate != now.rate || then.states != now.states))
        stop(
            {"the dropout descriptor has another rate or other states than when the RNN descriptor was set"});
    if (rnn.layers < 2 || !(now.rate > 0))
        return CUDNN_STATUS_SUCCESS;
    if (now.states == nullptr)
        return bad_param({"the rate of dropout is ", now.rate, ", and its states are NULL"});
    rate = double(now.rate);
    states = now.states;
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn_given,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x_given,
                                        size_t* work_bytes, size_t* reserve_bytes) {
    return called("cudnnGetRNNTempSpaceSizes", [&] {
        if (handle == nullptr || rnn_given == nullptr || x_given == nullptr)
            return bad_param({"the handle, the RNN descriptor or xDesc is NULL"});
        if (mode != CUDNN_FWD_MODE_INFERENCE && mode != CUDNN_FWD_MODE_TRAINING)
            return bad_param({"a mode numbered ", int(mode), " does not exist"});
        alive("the handle", handle);
        auto const& rnn = ready("the RNN descriptor", rnn_given);
        auto const& x = ready("xDesc", x_given);
        if (x.type != rnn.type || x.width != rnn.inputs)
            return bad_param({"x is ", name_of(x.type), " of the width ", x.width, ", the network's input ",
                              name_of(rnn.type), " of ", rnn.inputs});
        bool const training = mode == CUDNN_FWD_MODE_TRAINING;
        auto const use = training ? purpose::training : purpose::inference;
        if (auto const status = check_algorithm(rnn, x, use); status != CUDNN_STATUS_SUCCESS)
            return status;
        problem const of{nullptr, rnn.network(), x.sequences(), rnn.type, x, x};
        if (work_bytes != nullptr)
            *work_bytes = of.work_bytes(training);
        if (reserve_bytes != nullptr)
            *reserve_bytes = training ? of.reserve_bytes() : 0;
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                              int32_t const*, cudnnRNNDataDescriptor_t x_given, void const* x,
                              cudnnRNNDataDescriptor_t y_given, void* y, cudnnTensorDescriptor_t h_given,
                              void const* hx, void* hy, cudnnTensorDescriptor_t c_given, void const* cx,
                              void* cy, size_t weight_bytes, void const* weights, size_t work_bytes,
                              void* work, size_t reserve_bytes, void* reserve) {
    return called("cudnnRNNForward", [&] {
        if (mode != CUDNN_FWD_MODE_INFERENCE && mode != CUDNN_FWD_MODE_TRAINING)
            return bad_param({"a mode numbered ", int(mode), " does not exist"});
        bool const training = mode == CUDNN_FWD_MODE_TRAINING;
        auto const use = training ? purpose::training : purpose::inference;
        problem of;
        if (auto const s = describe(handle, rnn, use, x_given, y_given, of); s != CUDNN_STATUS_SUCCESS)
            return s;
        bool const cells = of.network.cell == cell_kind::lstm;
        if (!cells)
            cx = cy = nullptr;
        if (auto const s = check_states("hDesc", h_given, hx || hy, of, of.network.outputs);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (auto const s = check_states("cDesc", c_given, cx || cy, of, of.network.units);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (auto const s =
                check_spaces({weight_bytes, weights, work_bytes, work, reserve_bytes, reserve}, of, use);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        void* dropout_states = nullptr;
        if (auto const s = find_dropout(*rnn, training, of.network.dropout, dropout_states);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (!training)
            reserve = nullptr;
        auto const element = bytes_of(of.type);
        auto ranges = check_operands(
            {{reads("x", x, of.x.elements() * element), element},
             {writes("y", y, of.y.elements() * element), element},
             {reads("hx", hx, of.h_bytes()), element, true},
             {writes("hy", hy, of.h_bytes()), element, true},
             {reads("cx", cx, of.c_bytes()), element, true},
             {writes("cy", cy, of.c_bytes()), element, true},
             {reads("the weight space", weights, weight_bytes), element},
             {scratch("the work space", work, work_bytes), 16},
             {writes("the reserve space", reserve, reserve_bytes), 16, true},
             {writes("the states of dropout", dropout_states, dropout_states_bytes), 1, true}});
        return submit(of, std::move(ranges), [=] {
            auto const parameters = read_all(of.type, weights, of.network.weights());
            auto const inputs = gather(of.x, x);
            states const first{read_states(of.type, hx, of.state_elements(of.network.outputs)),
                               read_states(of.type, cx, cells ? of.state_elements(of.network.units) : 0)};
            std::uint64_t const seed = dropout_states != nullptr ? draw_dropout_seed(dropout_states) : 0;
            tape kept(of.network, of.sequences);
            auto const result =
                forward(of.network, of.sequences, parameters, inputs, first,
                        dropout_states != nullptr ? &seed : nullptr, rounding_of(of.type), kept);
            scatter(of.y, y, result.y, true);
            if (hy != nullptr)
                write_all(of.type, hy, result.last.h);
            if (cy != nullptr)
                write_all(of.type, cy, result.last.c);
            if (training)
                keep(reserve, reserve_bytes,
                     {0, seal::after_forward, of.identity(), hash_of(inputs), hash_of(gather(of.y, y)),
                      hash_of(first.h), hash_of(first.c), hash_of(parameters), 0},
                     kept);
        });
    });
}

} // extern "C"
