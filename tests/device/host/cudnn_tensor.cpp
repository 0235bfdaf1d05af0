// SPDX-License-Identifier: BSL-1.0
// Tensor descriptors, as far as states and weights need them.
#include "cudnn_objects.hpp"
#include "cudnn_storage.hpp"
#include <algorithm>
#include <cstdint>
#include <limits>

using namespace host_device;
using namespace host_device::cudnn;

extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* out) {
    return create("cudnnCreateTensorDescriptor", out);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t given) {
    return destroy("cudnnDestroyTensorDescriptor", "the tensor descriptor", given);
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t given, cudnnDataType_t type, int dimensions,
                                         int const extents[], int const strides[]) {
    return called("cudnnSetTensorNdDescriptor", [&] {
        if (given == nullptr)
            return bad_param({"the tensor descriptor is NULL"});
        if (type < CUDNN_DATA_FLOAT || type > CUDNN_DATA_BFLOAT16)
            return bad_param({"a data type numbered ", int(type), " does not exist"});
        if (dimensions < 2)
            return bad_param({dimensions, " dimensions are fewer than the 2 that a tensor needs"});
        if (dimensions > CUDNN_DIM_MAX)
            return not_supported();
        if (extents == nullptr || strides == nullptr)
            stop({"the array of extents or of strides is NULL; the real library would read there"});
        std::int64_t last = 0;
        for (int i = 0; i < dimensions; ++i) {
            if (extents[i] <= 0)
                return bad_param(
                    {"dimension ", i, " has the extent ", extents[i], ", which is not positive"});
            if (strides[i] == 0 && extents[i] != 1)
                return bad_param({"dimension ", i, " has ", extents[i], " elements and the stride 0"});
            last += std::int64_t(extents[i] - 1) * strides[i];
        }
        if (last >= std::numeric_limits<int>::max())
            return not_supported();
        alive("the tensor descriptor",
              given) = {type, {extents, extents + dimensions}, {strides, strides + dimensions}};
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t given, int requested, cudnnDataType_t* type,
                                         int* dimensions, int extents[], int strides[]) {
    return called("cudnnGetTensorNdDescriptor", [&] {
        if (given == nullptr)
            return bad_param({"the tensor descriptor is NULL"});
        auto const& tensor = alive("the tensor descriptor", given);
        auto const count = std::min(std::size_t(std::max(requested, 0)), tensor.extents.size());
        if (type != nullptr)
            *type = tensor.type;
        if (dimensions != nullptr)
            *dimensions = int(tensor.extents.size());
        if (extents != nullptr)
            std::copy_n(tensor.extents.begin(), count, extents);
        if (strides != nullptr)
            std::copy_n(tensor.strides.begin(), count, strides);
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetTensorSizeInBytes(cudnnTensorDescriptor_t given, size_t* size) {
    return called("cudnnGetTensorSizeInBytes", [&] {
        if (given == nullptr || size == nullptr)
            return bad_param({"the tensor descriptor or the place for the size is NULL"});
        auto const& tensor = alive("the tensor descriptor", given);
        std::size_t last = 0;
        for (std::size_t i = 0; i < tensor.extents.size(); ++i)
            last += std::size_t(tensor.extents[i] - 1) * std::size_t(tensor.strides[i]);
        *size = tensor.extents.empty() ? 0 : (last + 1) * bytes_of(tensor.type);
        return CUDNN_STATUS_SUCCESS;
    });
}

} // extern "C"
