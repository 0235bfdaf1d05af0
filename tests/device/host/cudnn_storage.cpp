// SPDX-License-Identifier: BSL-1.0
#include "cudnn_storage.hpp"
#include "numbers.hpp"

namespace host_device::cudnn {
namespace {

cudaDataType_t stored_as(cudnnDataType_t type) {
    return type == CUDNN_DATA_DOUBLE  ? CUDA_R_64F
           : type == CUDNN_DATA_FLOAT ? CUDA_R_32F
           : type == CUDNN_DATA_HALF  ? CUDA_R_16F
                                      : CUDA_R_16BF;
}

template <cudnnDataType_t type>
double stored(double value) {
    write(type, &value, 0, value);
    return read(type, &value, 0);
}

} // namespace

std::size_t bytes_of(cudnnDataType_t type) {
    return host_device::bytes_of(stored_as(type));
}

char const* name_of(cudnnDataType_t type) {
    switch (type) {
    case CUDNN_DATA_FLOAT:
        return "float";
    case CUDNN_DATA_DOUBLE:
        return "double";
    case CUDNN_DATA_HALF:
        return "half";
    case CUDNN_DATA_BFLOAT16:
        return "bfloat16";
    default:
        return "another type";
    }
}

rounding rounding_of(cudnnDataType_t type) {
    switch (type) {
    case CUDNN_DATA_DOUBLE:
        return stored<CUDNN_DATA_DOUBLE>;
    case CUDNN_DATA_HALF:
        return stored<CUDNN_DATA_HALF>;
    case CUDNN_DATA_BFLOAT16:
        return stored<CUDNN_DATA_BFLOAT16>;
    default:
        return stored<CUDNN_DATA_FLOAT>;
    }
}

double read(cudnnDataType_t type, void const* from, std::size_t index) {
    return load(from, stored_as(type), index);
}

void write(cudnnDataType_t type, void* to, std::size_t index, double value) {
    store(to, stored_as(type), index, value);
}

reals read_all(cudnnDataType_t type, void const* from, std::size_t count) {
    reals values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = read(type, from, i);
    return values;
}

void write_all(cudnnDataType_t type, void* to, reals const& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        write(type, to, i, values[i]);
}

} // namespace host_device::cudnn
