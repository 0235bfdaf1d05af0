// SPDX-License-Identifier: BSL-1.0
// The two backward calls. The first uses up the reserve space of a forward call in training, and leaves it
// for the second.
#include "cudnn_reserve.hpp"

using namespace host_device;
using namespace host_device::cudnn;

extern "C" {

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int32_t const*,
                                      cudnnRNNDataDescriptor_t y_given, void const* y, void const* dy,
                                      cudnnRNNDataDescriptor_t x_given, void* dx,
                                      cudnnTensorDescriptor_t h_given, void const* hx, void const* dhy,
                                      void* dhx, cudnnTensorDescriptor_t c_given, void const* cx,
                                      void const* dcy, void* dcx, size_t weight_bytes, void const* weights,
                                      size_t work_bytes, void* work, size_t reserve_bytes, void* reserve) {
    return called("cudnnRNNBackwardData_v8", [&] {
        problem of;
        if (auto const s = describe(handle, rnn, purpose::gradients, x_given, y_given, of);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        bool const cells = of.network.cell == cell_kind::lstm;
        if (!cells) {
            cx = dcy = nullptr;
            dcx = nullptr;
        }
        if (auto const s = check_states("hDesc", h_given, hx || dhy || dhx, of, of.network.outputs);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (auto const s = check_states("cDesc", c_given, cx || dcy || dcx, of, of.network.units);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (auto const s = check_spaces({weight_bytes, weights, work_bytes, work, reserve_bytes, reserve}, of,
                                        purpose::gradients);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        auto const element = bytes_of(of.type);
        auto ranges = check_operands({{reads("y", y, of.y.elements() * element), element},
                                      {reads("dy", dy, of.y.elements() * element), element},
                                      {writes("dx", dx, of.x.elements() * element), element},
                                      {reads("hx", hx, of.h_bytes()), element, true},
                                      {reads("dhy", dhy, of.h_bytes()), element, true},
                                      {writes("dhx", dhx, of.h_bytes()), element, true},
                                      {reads("cx", cx, of.c_bytes()), element, true},
                                      {reads("dcy", dcy, of.c_bytes()), element, true},
                                      {writes("dcx", dcx, of.c_bytes()), element, true},
                                      {reads("the weight space", weights, weight_bytes), element},
                                      {scratch("the work space", work, work_bytes), 16},
                                      {writes("the reserve space", reserve, reserve_bytes), 16}});
        return submit(of, std::move(ranges), [=] {
            tape kept(of.network, of.sequences);
            auto as = take(reserve, of, seal::after_forward, kept);
            auto const parameters = read_all(of.type, weights, of.network.weights());
            auto const h_count = of.state_elements(of.network.outputs);
            auto const c_count = cells ? of.state_elements(of.network.units) : 0;
            states const first{read_states(of.type, hx, h_count), read_states(of.type, cx, c_count)};
            require_same("y", as.y, gather(of.y, y));
            require_same("hx", as.h, first.h);
            require_same("cx", as.c, first.c);
            require_same("the weight space", as.weights, parameters);
            auto const result =
                backward_data(of.network, of.sequences, parameters, gather(of.y, dy), first,
                              {read_states(of.type, dhy, h_count), read_states(of.type, dcy, c_count)}, kept);
            scatter(of.x, dx, result.dx, false); // nothing says what becomes of the padding of dx: it stays
            if (dhx != nullptr)
                write_all(of.type, dhx, result.first.h);
            if (dcx != nullptr)
                write_all(of.type, dcx, result.first.c);
            as.stage = seal::after_data;
            keep(reserve, reserve_bytes, as, kept);
        });
    });
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                         cudnnWgradMode_t mode, int32_t const*,
                                         cudnnRNNDataDescriptor_t x_given, void const* x,
                                         cudnnTensorDescriptor_t h_given, void const* hx,
                                         cudnnRNNDataDescriptor_t y_given, void const* y, size_t weight_bytes,
                                         void* gradients, size_t work_bytes, void* work, size_t reserve_bytes,
                                         void* reserve) {
    return called("cudnnRNNBackwardWeights_v8", [&] {
        problem of;
        if (auto const s = describe(handle, rnn, purpose::gradients, x_given, y_given, of);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (mode != CUDNN_WGRAD_MODE_ADD)
            return mode == CUDNN_WGRAD_MODE_SET
                       ? not_supported()
                       : bad_param({"a mode numbered ", int(mode), " does not exist"});
        if (auto const s = check_states("hDesc", h_given, hx != nullptr, of, of.network.outputs);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        if (auto const s = check_spaces({weight_bytes, gradients, work_bytes, work, reserve_bytes, reserve},
                                        of, purpose::gradients);
            s != CUDNN_STATUS_SUCCESS)
            return s;
        auto const element = bytes_of(of.type);
        auto ranges =
            check_operands({{reads("x", x, of.x.elements() * element), element},
                            {reads("hx", hx, of.h_bytes()), element, true},
                            {reads("y", y, of.y.elements() * element), element},
                            {writes("the gradients of the weights", gradients, weight_bytes), element},
                            {scratch("the work space", work, work_bytes), 16},
                            {writes("the reserve space", reserve, reserve_bytes), 16}});
        return submit(of, std::move(ranges), [=] {
            tape kept(of.network, of.sequences);
            auto as = take(reserve, of, seal::after_data, kept);
            auto const inputs = gather(of.x, x);
            states const first{read_states(of.type, hx, of.state_elements(of.network.outputs)), {}};
            require_same("x", as.x, inputs);
            require_same("y", as.y, gather(of.y, y));
            require_same("hx", as.h, first.h);
            auto sums = read_all(of.type, gradients, of.network.weights());
            backward_weights(of.network, of.sequences, inputs, first, rounding_of(of.type), kept, sums);
            write_all(of.type, gradients, sums);
            as.stage = seal::after_weights;
            keep(reserve, reserve_bytes, as, kept);
        });
    });
}

} // extern "C"
